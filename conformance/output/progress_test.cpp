// SPDX-License-Identifier: Apache-2.0
#include "conformance/output/progress.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace concord::conformance {
namespace {

/// What is said after so many seconds, if the run got on evenly until then.
std::string left(double done, double total, double elapsed) {
  Pace pace;
  for (int i = 0; i <= 100; ++i) pace.note(elapsed * i / 100, done * i / 100);
  return time_left({.done = 1, .total = 100, .cost_done = done, .cost_total = total}, pace);
}

TEST(TimeLeft, NothingIsSaidInTheFirstSecondsOrOfTheFirstCases) {
  EXPECT_EQ(left(50, 100, 4.9), "");
  EXPECT_EQ(left(1, 100, 60), "");
  EXPECT_EQ(time_left({}, Pace()), "");
}

// Worked by hand: a tenth took 100 s, so 900 s are left.
TEST(TimeLeft, IsByCostAndNotByTheNumberOfCases) {
  EXPECT_EQ(left(10, 100, 100), "about 0:15 h left");
  EXPECT_EQ(left(50, 100, 100), "about 0:02 h left");
  EXPECT_EQ(left(2, 100, 600), "about 8:10 h left");
}

TEST(TimeLeft, TheLastMinuteIsNotCounted) {
  EXPECT_EQ(left(90, 100, 100), "less than a minute left");
  EXPECT_EQ(left(101, 100, 100), "less than a minute left");
}

// By hand: 96 of 100 in 100 s, then 1 in 100 s: 3 are left, of which each takes 100 s.
TEST(TimeLeft, ASlowEndIsBelieved) {
  Pace pace;
  for (int second = 0; second <= 200; ++second) {
    pace.note(second, second <= 100 ? 0.96 * second : 96 + 0.01 * (second - 100));
  }
  const Progress now{.done = 97, .total = 100, .cost_done = 97, .cost_total = 100};
  EXPECT_EQ(time_left(now, pace), "about 0:05 h left");
}

TEST(TimeLeft, NothingIsSaidOfARunThatDoesNotGetOn) {
  Pace pace;
  for (int second = 0; second <= 200; ++second) pace.note(second, std::min(second, 90));
  const Progress now{.done = 90, .total = 100, .cost_done = 90, .cost_total = 100};
  EXPECT_EQ(time_left(now, pace), "");
}

// The first quarter was slow: the whole run is the slower estimate.
TEST(TimeLeft, AFastEndIsNotBelievedAtOnce) {
  Pace pace;
  for (int second = 0; second <= 100; ++second) pace.note(second, second < 50 ? 0 : second - 50);
  const Progress now{.done = 50, .total = 100, .cost_done = 50, .cost_total = 100};
  EXPECT_EQ(time_left(now, pace), "about 0:02 h left");
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
