// SPDX-License-Identifier: Apache-2.0
// A control group for all processes of one sandbox: what they use together is limited, where
// resource limits hold for each process alone.
#ifndef CONCORD_CONFORMANCE_WORKER_CONTROL_GROUP_H_
#define CONCORD_CONFORMANCE_WORKER_CONTROL_GROUP_H_

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "conformance/worker/cgroup.h"

namespace concord::conformance {

/// How much the processes of a sandbox may use together.
struct GroupLimits {
  std::uint64_t memory = 0;     ///< bytes; 0 for no limit
  std::uint64_t processes = 0;  ///< and threads; 0 for no limit
};

/// One folder in each hierarchy that limits memory or processes: in cgroup v1 two, in v2 one. It
/// has none where this user may not make groups, and then does nothing.
class ControlGroup {
 public:
  /// Makes the group, below that of this process (v1) or beside it (v2, where groups that hold
  /// processes have no groups with limits below them). Removes what sandboxes have left whose
  /// keepers were killed. Tests pass a `root` other than "/".
  static ControlGroup make(const GroupLimits& limits, const std::string& root = "");

  /// Moves this process into the group, so that its children begin there, and back.
  void enter() const;
  void leave() const;
  /// Once all processes in it have ended.
  void remove() const;

  bool limits_memory() const { return limits_memory_; }
  bool limits_processes() const { return limits_processes_; }

 private:
  struct Place {
    std::filesystem::path own, made;
  };

  bool add(const OwnGroup& own, const std::string& file, std::uint64_t limit);

  std::vector<Place> places_{};
  bool limits_memory_ = false, limits_processes_ = false;
};

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_WORKER_CONTROL_GROUP_H_
