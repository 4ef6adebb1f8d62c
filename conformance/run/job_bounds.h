// SPDX-License-Identifier: Apache-2.0
// How many cases can be judged at a time with the available descriptors, processes and memory.
#ifndef CONCORD_CONFORMANCE_RUN_JOB_BOUNDS_H_
#define CONCORD_CONFORMANCE_RUN_JOB_BOUNDS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace concord::conformance {

/// What this process and its children can still allocate; nothing where there is no limit.
struct FreeResources {
  std::optional<std::uint64_t> descriptors{};
  std::optional<std::uint64_t> processes{};  ///< threads are counted as processes
  std::optional<std::uint64_t> memory{};     ///< bytes
};

/// Of this process, now. Control groups count as well as its own limits.
FreeResources free_resources();

struct BoundedJobs {
  int jobs = 1;
  std::string why{};  ///< one sentence that names the limit; empty if it is as many as wanted
};

/// As many of the `wanted` jobs as `resources` allow, at least one, where each job has
/// a process for every backend, which computes by `threads`.
BoundedJobs bound_jobs(int wanted, std::size_t backends, int threads,
                       const FreeResources& resources);

/// The same of what is free now. By default each case has as many cores as its backend has threads:
/// threads that wait for work on a core that another case's need make a run several times longer
/// (docs/benchmarking.md).
BoundedJobs choose_jobs(std::optional<int> wanted, std::size_t backends, int threads);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_RUN_JOB_BOUNDS_H_
