// SPDX-License-Identifier: Apache-2.0
#include "conformance/record/brief_result.h"

#include <gtest/gtest.h>

#include <limits>

namespace concord::conformance {
namespace {

CaseResult passed() {
  CaseResult result;
  result.verdict = Verdict::kPass;
  result.tier = Tier::kInterval;
  result.arithmetic = "strict";
  result.elements = 8;
  return result;
}

TEST(BriefResult, IsOneThatPassedOrWasDeclinedWithNothingElseToTell) {
  EXPECT_TRUE(is_brief(passed()));
  CaseResult declined;
  declined.verdict = Verdict::kDeclined;
  declined.reason = "no groups";
  EXPECT_TRUE(is_brief(declined));
  const auto with = [](auto change) {
    CaseResult result = passed();
    change(result);
    return is_brief(result);
  };
  EXPECT_FALSE(with([](CaseResult& r) { r.verdict = Verdict::kFail; }));
  EXPECT_FALSE(with([](CaseResult& r) { r.verdict = Verdict::kVacuous; }));
  EXPECT_FALSE(with([](CaseResult& r) { r.lowered = "Convolution f32"; }));
  EXPECT_FALSE(with([](CaseResult& r) { r.wrong = 1; }));
  EXPECT_FALSE(with([](CaseResult& r) { r.failure = Failure{}; }));
}

TEST(KernelName, EndsBeforeWhatFollowsIt) {
  EXPECT_EQ(kernel_name("tiles_f32_avx512: dst 1x2x3, 4 threads"), "tiles_f32_avx512");
  EXPECT_EQ(kernel_name("in f64, 1 partial sums"), "in f64");
  EXPECT_EQ(kernel_name("brgconv:avx512_core_amx"), "brgconv:avx512_core_amx");
  EXPECT_EQ(kernel_name(""), "");
}

TEST(Shortened, HasFourDigitsAndStaysOnItsSide) {
  EXPECT_EQ(shortened(1.0 / 3, 1), 0.3333);
  EXPECT_EQ(shortened(1.23456e-7, 0.25), 1.235e-7);
  EXPECT_EQ(shortened(1, 1), 1);
  EXPECT_EQ(shortened(0.99999999, 1), 0.99999999);
  EXPECT_EQ(shortened(1.00000001, 1), 1.00000001);
  EXPECT_EQ(shortened(0.25000001, 0.25), 0.25000001);
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(shortened(infinity, 1), infinity);
}

TEST(Outcome, IsTheSameForResultsThatDifferInNumbersAlone) {
  CaseResult one = passed(), other = passed();
  one.implementation = "tiles: 3 blocks";
  other.implementation = "tiles: 4 blocks";
  other.elements = 9;
  other.margin = 0.5;
  EXPECT_EQ(outcome_json(one), outcome_json(other));
  EXPECT_EQ(outcome_key(one), outcome_key(other));
  other.arithmetic = "flush=yes";
  EXPECT_NE(outcome_json(one), outcome_json(other));
  EXPECT_NE(outcome_key(one), outcome_key(other));
}

}  // namespace
}  // namespace concord::conformance
