// SPDX-License-Identifier: Apache-2.0
// What the control groups of this process allow: a container's limits, which the machine's sizes do
// not show.
#ifndef CONCORD_CONFORMANCE_WORKER_CGROUP_H_
#define CONCORD_CONFORMANCE_WORKER_CGROUP_H_

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace concord::conformance {

/// The least memory that the process's own control group and those above it allow, in bytes, by
/// cgroup v1 or v2; nothing if none of them has a limit. Tests pass a `root` other than "/".
std::optional<std::uint64_t> cgroup_memory_limit(const std::string& root = "");

/// How many more processes and threads the control groups allow; nothing if there is no limit.
std::optional<std::uint64_t> cgroup_processes_left(const std::string& root = "");

/// The least number of processes and threads that the control groups allow, used or not.
std::optional<std::uint64_t> cgroup_process_limit(const std::string& root = "");

/// The group of this process in a hierarchy that may limit what `controller` counts.
struct OwnGroup {
  bool is_v2 = false;
  std::filesystem::path folder;
  /// Where a group for its children can be made: in v1 the folder itself; in v2 the one above it,
  /// since a group that holds processes gives those below it no limits.
  std::filesystem::path parent;
};

/// All of them, `controller` being "memory" or "pids".
std::vector<OwnGroup> own_groups(const std::string& root, std::string_view controller);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_WORKER_CGROUP_H_
