// SPDX-License-Identifier: Apache-2.0
// What more threads than this machine has would gain: measured tasks, handed out by simulation.
#ifndef CONCORD_BENCH_SIMULATION_H_
#define CONCORD_BENCH_SIMULATION_H_

#include <vector>

#include "optimized/runtime/thread_pool.h"

namespace concord::bench {

/// What the simulation assumes of a machine: docs/benchmarking.md, "More threads than there are".
struct MachineModel {
  double wake_seconds = 1e-6;    ///< until a thread that waits begins; one that runs wakes two
  double task_seconds = 0.2e-6;  ///< to take a task
  double memory_cores = 16;      ///< so many cores use all of the bandwidth
  double core_bytes = 20e9;      ///< that one core moves in a second
  double last_level_bytes = 32e6;
};

/// Seconds from the beginning of a run to the end of its last task: every thread, once it is awake,
/// takes the next task when it has none.
double simulated_seconds(const optimized::TaskSeconds& tasks, int threads,
                         const MachineModel& machine);

/// The same for runs of which each begins when all of the last one has ended, and no less than it
/// takes to move `bytes`, where the last-level cache does not hold them.
double simulated_seconds(const std::vector<optimized::TaskSeconds>& runs, int threads, double bytes,
                         const MachineModel& machine);

}  // namespace concord::bench

#endif  // CONCORD_BENCH_SIMULATION_H_
