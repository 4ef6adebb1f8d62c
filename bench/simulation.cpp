// SPDX-License-Identifier: Apache-2.0
#include "bench/simulation.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <queue>

namespace concord::bench {

double simulated_seconds(const optimized::TaskSeconds& tasks, int threads,
                         const MachineModel& machine) {
  // When each thread is free, the earliest first. Of n that are woken one after the other by those
  // that run, the last begins after about log2(n) steps.
  std::priority_queue<double, std::vector<double>, std::greater<>> free_at;
  const auto awake =
      static_cast<unsigned>(std::min<std::size_t>(static_cast<std::size_t>(threads), tasks.size()));
  for (unsigned thread = 0; thread < awake; ++thread) {
    const auto steps = static_cast<double>(std::bit_width(thread));
    free_at.push(machine.wake_seconds * steps);
  }
  const double handing = awake > 1 ? machine.task_seconds : 0;
  double end = 0;
  for (const double seconds : tasks) {
    const double done = free_at.top() + handing + seconds;
    free_at.pop();
    free_at.push(done);
    end = std::max(end, done);
  }
  return end;
}

double simulated_seconds(const std::vector<optimized::TaskSeconds>& runs, int threads, double bytes,
                         const MachineModel& machine) {
  double seconds = 0;
  for (const auto& tasks : runs) seconds += simulated_seconds(tasks, threads, machine);
  if (bytes <= machine.last_level_bytes) return seconds;
  const double cores = std::min<double>(threads, machine.memory_cores);
  return std::max(seconds, bytes / (cores * machine.core_bytes));
}

}  // namespace concord::bench
