// SPDX-License-Identifier: Apache-2.0
// A bias that is added after the store: docs/numerics.md#bias-after-the-store.
#include "conformance/judge/late_bias.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "conformance/arithmetic/arithmetic.h"
#include "conformance/judge/acceptance.h"
#include "conformance/judge/judge.h"
#include "spec/rounding.h"

namespace concord::conformance {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
using Values = std::vector<double>;

// One element whose products add up to `sum`.
bool is_exactly(Dtype dtype, const char* arithmetic, double sum, double bias, double got) {
  return judge_exact(dtype, *parse_arithmetic(arithmetic), Values{got}, Values{sum + bias},
                     {Values{bias}})
      .passed();
}

bool is_within(Dtype dtype, const char* arithmetic, double sum, double S0, double bias,
               double got) {
  return judge_interval(dtype, *parse_arithmetic(arithmetic), 1, Values{got}, Values{sum + bias},
                        Values{S0 + std::fabs(bias)}, {Values{bias}})
      .passed();
}

// By hand: bf16 has a step of 2 at 256, so 257 is stored as 256, and 256 + 1 again.
TEST(LateBias, RoundsTheSumThatHasNone) {
  EXPECT_TRUE(is_exactly(Dtype::kBF16, "bias=after_store", 257, 1, 256));
  EXPECT_FALSE(is_exactly(Dtype::kBF16, "bias=after_store", 257, 1, 258));
  EXPECT_TRUE(is_exactly(Dtype::kBF16, "strict", 257, 1, 258));
  EXPECT_FALSE(is_exactly(Dtype::kBF16, "strict", 257, 1, 256));
  EXPECT_TRUE(
      is_exactly(Dtype::kBF16, "bias=after_store,output_rounding=nearest_away", 257, 1, 260));
}

TEST(LateBias, MayLeaveLittleOfASumThatItCancels) {
  EXPECT_TRUE(is_exactly(Dtype::kBF16, "bias=after_store", 257, -256, 0));
  for (const double wrong : {0.5, 1.0, 2.0, -1.0}) {
    EXPECT_FALSE(is_exactly(Dtype::kBF16, "bias=after_store", 257, -256, wrong)) << wrong;
  }
  const auto finding = judge_exact(Dtype::kBF16, *parse_arithmetic("bias=after_store"), Values{1},
                                   Values{1}, {Values{-256}});
  EXPECT_EQ(finding.worst->want, 0);  // not the exact value, which is what was got
  EXPECT_EQ(finding.margin, kInfinity);
}

// RZ(256 - 2^-30) is 255; by way of f32 to nearest the small term is lost.
TEST(LateBias, MayBeAddedInSingleFirst) {
  const char* const cut = "bias=after_store,output_rounding=zero";
  EXPECT_TRUE(is_exactly(Dtype::kBF16, cut, 256, -0x1p-30, 255));
  EXPECT_TRUE(is_exactly(Dtype::kBF16, cut, 256, -0x1p-30, 256));
  EXPECT_FALSE(is_exactly(Dtype::kBF16, cut, 256, -0x1p-30, 254));
  EXPECT_FALSE(is_exactly(Dtype::kBF16, "bias=after_store", 256, -0x1p-30, 255));
  // 2^-126 is far beyond the last bit that f64 has of 256.
  EXPECT_TRUE(is_exactly(Dtype::kBF16, cut, 256, -0x1p-126, 255));
}

TEST(LateBias, ComesTooLateForASumThatOverflowed) {
  EXPECT_TRUE(is_exactly(Dtype::kF16, "bias=after_store", 65520, -20000, kInfinity));
  EXPECT_FALSE(is_exactly(Dtype::kF16, "bias=after_store", 65520, -20000, 45504));
  EXPECT_TRUE(
      is_exactly(Dtype::kF16, "bias=after_store,output_rounding=zero", 65520, -20000, 45504));
}

// The sum is 1 +- 2^-23 or so in f32: in bf16 it is 1, but half way between two it may be either.
TEST(LateBias, LeavesTheIntervalOfTheSumToBeRounded) {
  const char* const late = "bias=after_store";
  EXPECT_TRUE(is_within(Dtype::kBF16, late, 257, 257, 1, 256));
  EXPECT_TRUE(is_within(Dtype::kBF16, late, 257, 257, 1, 260));  // R(258 + 1), a tie
  EXPECT_FALSE(is_within(Dtype::kBF16, late, 257, 257, 1, 254));
  EXPECT_FALSE(is_within(Dtype::kBF16, late, 257, 257, 1, 262));
  EXPECT_TRUE(is_within(Dtype::kBF16, late, 256, 256, 1, 256));
  EXPECT_FALSE(is_within(Dtype::kBF16, late, 256, 256, 1, 258));
}

TEST(LateBias, MayMeetAFlushedSum) {
  const double N = 0x1p-126;  // the smallest normal number of bf16
  EXPECT_TRUE(is_within(Dtype::kBF16, "flush,bias=after_store", N / 2, N / 2, 4 * N, 4 * N));
  EXPECT_FALSE(is_within(Dtype::kBF16, "bias=after_store", N / 2, N / 2, 4 * N, 4 * N));
  EXPECT_TRUE(is_within(Dtype::kBF16, "bias=after_store", N / 2, N / 2, 4 * N, 4.5 * N));
}

// A sum of 2^-126 (1 - 2^-30) is subnormal, and f32 rounds it to the least normal number.
TEST(LateBias, MayMeetASumThatWasFlushedBeforeItWasRounded) {
  const char* const flush = "accumulator=f64,flush=yes,bias=after_store";
  const double least = 0x1p-126, bias = 31 * least;
  EXPECT_TRUE(is_within(Dtype::kF32, flush, least, least, bias, bias));
  EXPECT_TRUE(is_within(Dtype::kF32, flush, least, least, bias, 32 * least));
  EXPECT_FALSE(is_within(Dtype::kF32, flush, 2 * least, 2 * least, bias, bias));
}

TEST(LateBias, IsOneMoreTermWhereStoringRoundsNothing) {
  const auto late = [](Dtype dtype, const char* arithmetic) {
    return rounds_before_bias(dtype, *parse_arithmetic(arithmetic));
  };
  EXPECT_FALSE(late(Dtype::kF32, "bias=after_store"));
  EXPECT_FALSE(late(Dtype::kF16, "f16-accumulate,bias=after_store"));
  EXPECT_FALSE(late(Dtype::kF32, "bf16-accumulate,bias=after_store"));
  EXPECT_FALSE(late(Dtype::kBF16, "strict"));
  EXPECT_TRUE(late(Dtype::kBF16, "bias=after_store"));
  EXPECT_TRUE(late(Dtype::kBF16, "f16-accumulate,bias=after_store"));
  EXPECT_TRUE(late(Dtype::kF32, "f64-accumulate,bias=after_store"));
  EXPECT_TRUE(late(Dtype::kF32, "accumulator_rounding=zero,bias=after_store"));
}

// Two images of two channels of three elements each.
TEST(LateBias, IsTheOneOfTheElementsChannel) {
  const Values bias{7, 9};
  const ChannelBias of{bias, 3};
  for (std::size_t i = 0; i < 12; ++i) EXPECT_EQ(of.of(i), i / 3 % 2 == 0 ? 7 : 9) << i;
  EXPECT_EQ(ChannelBias{}.of(5), 0);
}

// The largest sum without a bias is 100, though the largest with one is that of the other element.
TEST(LateBias, IsNoPartOfTheScaleOfABilinearSum) {
  const Values want{100, 1001}, S{100, 1001}, bias{0, 1000};
  const auto arithmetic = *parse_arithmetic("bilinear,bias=after_store");
  const double A = error_bound(Dtype::kF16, arithmetic, 9).of(100);
  const auto passes = [&](double got) {
    return judge_interval(Dtype::kF16, arithmetic, 9, Values{100, got}, want, S, {bias}).passed();
  };
  const double high = round_to(Dtype::kF16, round_to(Dtype::kF16, 1 + A) + 1000);
  ASSERT_GT(high, 1001);
  EXPECT_TRUE(passes(high));
  EXPECT_FALSE(passes(high + 0.5));  // the next number
}

}  // namespace
}  // namespace concord::conformance
