// SPDX-License-Identifier: Apache-2.0
#include "optimized/runtime/thread_pool.h"

#include <gtest/gtest.h>

#include <latch>
#include <set>
#include <thread>

namespace concord::optimized {
namespace {

TEST(ThreadPool, RunsTasksAtTheSameTime) {
  const ThreadPool pool(2, ThreadPool::kFewProducts);
  std::latch both_run(2);  // neither task ends without the other
  pool.run(2, [&](Extent, int) { both_run.arrive_and_wait(); });
  EXPECT_TRUE(both_run.try_wait());
}

TEST(ThreadPool, OfFewProductsWakesNoOtherThread) {
  const ThreadPool pool(8, ThreadPool::kFewProducts - 1);
  EXPECT_EQ(pool.threads(), 8);
  const auto caller = std::this_thread::get_id();
  std::set<Extent> indices;
  pool.run(100, [&](Extent index, int slot) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    EXPECT_EQ(slot, 0);
    indices.insert(index);
  });
  EXPECT_EQ(indices.size(), 100U);
}

}  // namespace
}  // namespace concord::optimized
