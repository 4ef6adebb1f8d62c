// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "conformance/output/results.h"

namespace concord::conformance {
namespace {

using ::testing::HasSubstr;

Tally tally_of(const std::string& family, const std::vector<Verdict>& verdicts) {
  Tally tally{.family = family, .operation = Operation::kConvolution, .dtype = Dtype::kF32};
  for (const Verdict verdict : verdicts) {
    CaseResult result;
    result.verdict = verdict;
    tally.add(result);
  }
  return tally;
}

TEST(Junit, TellsWhatBecameOfCasesThatAreCountedAndNotListed) {
  RunOutcome outcome;
  outcome.backends = {BackendRun{}};
  BackendRun& backend = outcome.backends[0];
  const auto xml = [&] { return junit_xml({}, outcome, {}); };
  backend.tallies = {tally_of("good", {Verdict::kPass, Verdict::kDeclined, Verdict::kVacuous})};
  EXPECT_THAT(xml(), HasSubstr(R"(tests="1" failures="0" errors="0" skipped="0")"));
  EXPECT_THAT(xml(), HasSubstr(R"(name="good/Convolution/f32: 3 cases"></testcase>)"));

  backend.tallies = {tally_of("lost", {Verdict::kPass, Verdict::kHarnessError})};
  EXPECT_THAT(xml(), HasSubstr(R"(tests="1" failures="0" errors="1" skipped="0")"));
  EXPECT_THAT(xml(), HasSubstr(R"(message="1 of 2 unlisted cases ended in harness errors"/>)"));
  backend.tallies = {tally_of("both", {Verdict::kHarnessError, Verdict::kFail})};
  EXPECT_THAT(xml(), HasSubstr(R"(tests="1" failures="1" errors="0" skipped="0")"));

  backend.tallies = {tally_of("none", {Verdict::kDeclined, Verdict::kVacuous})};
  backend.unlisted_not_run = 7;
  EXPECT_THAT(xml(), HasSubstr(R"(tests="2" failures="0" errors="0" skipped="2")"));
  EXPECT_THAT(xml(), HasSubstr(R"(name="not run: 7 cases"><skipped message="not run"/>)"));
}

}  // namespace
}  // namespace concord::conformance
