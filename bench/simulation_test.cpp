// SPDX-License-Identifier: Apache-2.0
#include "bench/simulation.h"

#include <gtest/gtest.h>

namespace concord::bench {
namespace {

using optimized::TaskSeconds;

constexpr MachineModel kIdeal = {.wake_seconds = 0, .task_seconds = 0};

TEST(Simulation, SharesEqualTasks) {
  const TaskSeconds tasks(12, 1.0);
  EXPECT_DOUBLE_EQ(simulated_seconds(tasks, 1, kIdeal), 12);
  EXPECT_DOUBLE_EQ(simulated_seconds(tasks, 3, kIdeal), 4);
  EXPECT_DOUBLE_EQ(simulated_seconds(tasks, 5, kIdeal), 3) << "the last round is not full";
  EXPECT_DOUBLE_EQ(simulated_seconds(tasks, 64, kIdeal), 1) << "no more threads than tasks";
}

TEST(Simulation, HandsOutTasksInOrderToWhoeverIsFree) {
  EXPECT_DOUBLE_EQ(simulated_seconds(TaskSeconds{3, 1, 1, 1}, 2, kIdeal), 3);
  EXPECT_DOUBLE_EQ(simulated_seconds(TaskSeconds{1, 1, 1, 3}, 2, kIdeal), 4);
  EXPECT_DOUBLE_EQ(simulated_seconds(TaskSeconds{}, 2, kIdeal), 0);
}

TEST(Simulation, CountsWakingAndHandingOut) {
  const MachineModel machine = {.wake_seconds = 1, .task_seconds = 0.5};
  EXPECT_DOUBLE_EQ(simulated_seconds(TaskSeconds(1, 10.0), 1, machine), 10);
  EXPECT_DOUBLE_EQ(simulated_seconds(TaskSeconds(1, 10.0), 2, machine), 10) << "no other is woken";
  EXPECT_DOUBLE_EQ(simulated_seconds(TaskSeconds(2, 10.0), 2, machine), 11.5);
  EXPECT_DOUBLE_EQ(simulated_seconds(TaskSeconds(4, 10.0), 4, machine), 12.5);
  EXPECT_DOUBLE_EQ(simulated_seconds(TaskSeconds(64, 10.0), 64, machine), 16.5);
}

TEST(Simulation, WaitsBetweenRuns) {
  const std::vector<TaskSeconds> runs = {TaskSeconds(3, 1.0), TaskSeconds(3, 1.0)};
  EXPECT_DOUBLE_EQ(simulated_seconds(runs, 2, 0, kIdeal), 4) << "not 3, as of six tasks at once";
}

TEST(Simulation, MovesNoMoreThanMemoryDelivers) {
  MachineModel machine = kIdeal;
  machine.memory_cores = 4;
  machine.core_bytes = 10;
  machine.last_level_bytes = 100;
  const std::vector<TaskSeconds> runs = {TaskSeconds(64, 1.0)};
  EXPECT_DOUBLE_EQ(simulated_seconds(runs, 64, 100, machine), 1);
  EXPECT_DOUBLE_EQ(simulated_seconds(runs, 64, 200, machine), 5);
  EXPECT_DOUBLE_EQ(simulated_seconds(runs, 2, 200, machine), 32);
}

}  // namespace
}  // namespace concord::bench
