// SPDX-License-Identifier: Apache-2.0
#include "conformance/output/progress.h"

#include <gtest/gtest.h>

namespace concord::conformance {
namespace {

Progress progress(double done, double total) {
  return {.done = 1, .total = 100, .cost_done = done, .cost_total = total};
}

TEST(TimeLeft, NothingIsSaidInTheFirstSecondsOrOfTheFirstCases) {
  EXPECT_EQ(time_left(progress(50, 100), 4.9), "");
  EXPECT_EQ(time_left(progress(1, 100), 60), "");
  EXPECT_EQ(time_left(progress(0, 0), 60), "");
}

// Worked by hand: a tenth took 100 s, so 900 s are left.
TEST(TimeLeft, IsByCostAndNotByTheNumberOfCases) {
  EXPECT_EQ(time_left(progress(10, 100), 100), "about 0:15 h left");
  EXPECT_EQ(time_left(progress(50, 100), 100), "about 0:02 h left");
  EXPECT_EQ(time_left(progress(2, 100), 600), "about 8:10 h left");
}

TEST(TimeLeft, TheLastMinuteIsNotCounted) {
  EXPECT_EQ(time_left(progress(90, 100), 100), "less than a minute left");
  EXPECT_EQ(time_left(progress(101, 100), 100), "less than a minute left");
}

TEST(FailureLine, NamesBackendVerdictAndCaseAndTheFirstLineOfTheReason) {
  BackendRun backend;
  backend.spec.text = "onednn";
  const std::string id = "boundary/a/f32/integers";
  CaseResult result;
  result.verdict = Verdict::kFail;
  result.reason = "1 of 2 elements are wrong\nand more";
  EXPECT_EQ(failure_line({backend, id, result}),
            "onednn: FAIL boundary/a/f32/integers: 1 of 2 elements are wrong");
  backend.spec.text = "exec:python3 mine.py";
  backend.identity.name = "mine";
  result.verdict = Verdict::kCrash;
  result.reason.clear();
  EXPECT_EQ(failure_line({backend, id, result}), "exec:mine: CRASH boundary/a/f32/integers");
}

}  // namespace
}  // namespace concord::conformance
