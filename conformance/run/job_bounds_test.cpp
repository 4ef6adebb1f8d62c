// SPDX-License-Identifier: Apache-2.0
#include "conformance/run/job_bounds.h"

#include <gtest/gtest.h>

#include "conformance/run/prepared_case.h"

namespace concord::conformance {
namespace {

TEST(JobBounds, WithoutLimitsAllJobsAreRun) {
  const BoundedJobs bounded = bound_jobs(300, 5, 2, {});
  EXPECT_EQ(bounded.jobs, 300);
  EXPECT_EQ(bounded.why, "");
}

// Worked by hand: (1016 - 16) / (5 * 4) = 50.
TEST(JobBounds, DescriptorsBoundJobsAndAreNamed) {
  const BoundedJobs bounded = bound_jobs(300, 5, 2, {.descriptors = 1016});
  EXPECT_EQ(bounded.jobs, 50);
  EXPECT_EQ(bounded.why,
            "--jobs 300: each needs some 20 descriptors (ulimit -n), and 1016 are free, so 50 are "
            "run");
}

// Worked by hand: a job is a thread of ours and two workers of 2 + 3 threads each: 11; 40 / 11 = 3,
// beside the threads with which few cases are computed once more.
TEST(JobBounds, ProcessesBoundJobs) {
  EXPECT_EQ(bound_jobs(8, 2, 4, {.processes = 40 + kMostOtherThreads}).jobs, 3);
  EXPECT_EQ(bound_jobs(3, 2, 4, {.processes = 40 + kMostOtherThreads}).why, "");
}

TEST(JobBounds, MemoryBoundsJobs) {
  EXPECT_EQ(bound_jobs(64, 1, 2, {.memory = std::uint64_t{1} << 30}).jobs, 16);
}

TEST(JobBounds, OneJobIsAlwaysRun) {
  EXPECT_EQ(bound_jobs(8, 2, 4, {.descriptors = 3}).jobs, 1);
  EXPECT_EQ(bound_jobs(1, 2, 4, {.processes = 0}).jobs, 1);
}

TEST(JobBounds, ThisProcessHasSomeDescriptorsLeft) {
  EXPECT_GT(free_resources().descriptors.value_or(1), 0u);
  EXPECT_GT(free_resources().memory.value_or(0), 1u << 20);
}

}  // namespace
}  // namespace concord::conformance
