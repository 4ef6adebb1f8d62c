// SPDX-License-Identifier: Apache-2.0
#include "conformance/run/job_bounds.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <thread>

#include "conformance/run/prepared_case.h"
#include "conformance/run/room.h"
#include "conformance/worker/cgroup.h"

namespace concord::conformance {
namespace {

namespace fs = std::filesystem;

// A process has a channel, a pipe for its output, and a descriptor of itself; one behind `exec:`
// has the shared memory's as well. While one is started, some more are open.
constexpr std::uint64_t kDescriptorsOfProcess = 4, kDescriptorsOfStart = 16;
// The thread that serves requests and the one that watches the host, beside the backend's own.
constexpr std::uint64_t kThreadsOfWorker = 2;
// What a backend takes by being there, more or less.
constexpr std::uint64_t kBytesOfProcess = 64 << 20;

std::uint64_t open_descriptors() {
  std::error_code error;
  const auto all = fs::directory_iterator("/proc/self/fd", error);
  return error ? 0 : static_cast<std::uint64_t>(std::distance(begin(all), fs::end(all)));
}

// Threads of the user's processes: "Uid:" and "Threads:" of each. A process that ends meanwhile
// counts for nothing.
std::uint64_t threads_of_user(uid_t user) {
  std::uint64_t threads = 0;
  std::error_code error;
  for (const auto& process : fs::directory_iterator("/proc", error)) {
    if (std::isdigit(static_cast<unsigned char>(process.path().filename().string()[0])) == 0) {
      continue;
    }
    std::ifstream status(process.path() / "status");
    std::uint64_t count = 0;
    uid_t owner = 0;
    bool mine = false;
    for (std::string word; status >> word;) {
      if (word == "Uid:") mine = static_cast<bool>(status >> owner) && owner == user;
      if (word == "Threads:" && status >> count) break;
    }
    if (mine) threads += count;
  }
  return threads;
}

std::optional<std::uint64_t> processes_left() {
  auto left = cgroup_processes_left();
  rlimit limit{};
  // The superuser is held to no number of processes.
  if (getuid() != 0 && getrlimit(RLIMIT_NPROC, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    const std::uint64_t used = threads_of_user(getuid());
    const std::uint64_t own = limit.rlim_cur - std::min<std::uint64_t>(limit.rlim_cur, used);
    left = std::min(left.value_or(own), own);
  }
  return left;
}

}  // namespace

FreeResources free_resources() {
  FreeResources resources;
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    resources.descriptors =
        limit.rlim_cur - std::min<std::uint64_t>(limit.rlim_cur, open_descriptors());
  }
  resources.processes = processes_left();
  resources.memory = usable_memory();
  return resources;
}

BoundedJobs bound_jobs(int wanted, std::size_t backends, int threads,
                       const FreeResources& resources) {
  const std::uint64_t count = std::max<std::uint64_t>(backends, 1);
  const auto pool = static_cast<std::uint64_t>(std::max(threads, 1));
  struct Bound {
    std::optional<std::uint64_t> free;
    std::uint64_t reserve, each;
    const char* what;
  };
  const Bound bounds[] = {
      {resources.descriptors, kDescriptorsOfStart, count * kDescriptorsOfProcess,
       "descriptors (ulimit -n)"},
      {resources.processes, kMostOtherThreads, 1 + count * (kThreadsOfWorker + pool - 1),
       "processes and threads (ulimit -u, pids.max)"},
      {resources.memory, 0, count * kBytesOfProcess, "bytes of memory"}};
  BoundedJobs bounded{wanted, {}};
  for (const Bound& bound : bounds) {
    if (!bound.free) continue;
    const std::uint64_t free = *bound.free - std::min(*bound.free, bound.reserve);
    const auto most = static_cast<std::uint64_t>(bounded.jobs);
    if (free / bound.each >= most) continue;
    bounded.jobs = static_cast<int>(std::max<std::uint64_t>(free / bound.each, 1));
    bounded.why = fmt::format("--jobs {}: each needs some {} {}, and {} are free, so {} are run",
                              wanted, bound.each, bound.what, *bound.free, bounded.jobs);
  }
  return bounded;
}

BoundedJobs choose_jobs(std::optional<int> wanted, std::size_t backends, int threads) {
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  return bound_jobs(wanted.value_or(std::max(1, cores / threads)), backends, threads,
                    free_resources());
}

}  // namespace concord::conformance
