// SPDX-License-Identifier: Apache-2.0
#include "conformance/judge/judge.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "conformance/arithmetic/arithmetic.h"
#include "conformance/fill/xoshiro.h"
#include "conformance/judge/acceptance.h"
#include "conformance/judge/error_bound.h"

namespace concord::conformance {
namespace {

using Values = std::vector<double>;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
const concord_arithmetic kStrict{};

concord_arithmetic arithmetic(const char* text) { return *parse_arithmetic(text); }

bool exact(Dtype dtype, double got, double want, const char* text = "strict") {
  return judge_exact(dtype, arithmetic(text), Values{got}, Values{want}).passed();
}

bool interval(Dtype dtype, Extent n, double got, double want, double S,
              const char* text = "strict") {
  return judge_interval(dtype, arithmetic(text), n, Values{got}, Values{want}, Values{S}).passed();
}

TEST(ExactTier, AcceptsTheRoundedValueAndNoNeighbour) {
  // 2049 is a tie between the f16 values 2048 and 2050; 2048 is even.
  EXPECT_TRUE(exact(Dtype::kF16, 2048, 2049));
  EXPECT_FALSE(exact(Dtype::kF16, 2050, 2049));
  EXPECT_TRUE(exact(Dtype::kF16, 2052, 2051));
  EXPECT_TRUE(exact(Dtype::kF16, 2050, 2051, "output_rounding=zero"));
  EXPECT_FALSE(exact(Dtype::kF16, 2052, 2051, "output_rounding=zero"));
  EXPECT_FALSE(exact(Dtype::kF32, std::nextafterf(3, 4), 3));
}

// By hand: 2049 is half way between 2048 and 2050 of f16, 257 between 256 and 258 of bf16.
TEST(ExactTier, TellsTiesToEvenFromTiesAway) {
  EXPECT_TRUE(exact(Dtype::kF16, 2050, 2049, "output_rounding=nearest_away"));
  EXPECT_FALSE(exact(Dtype::kF16, 2048, 2049, "output_rounding=nearest_away"));
  EXPECT_FALSE(exact(Dtype::kF16, 2050, 2049, "strict"));
  EXPECT_TRUE(exact(Dtype::kBF16, -258, -257, "output_rounding=nearest_away"));
  EXPECT_FALSE(exact(Dtype::kBF16, -256, -257, "output_rounding=nearest_away"));
  EXPECT_FALSE(exact(Dtype::kBF16, -258, -257, "strict"));
}

TEST(ExactTier, TakesBothZerosForTheSame) {
  EXPECT_TRUE(exact(Dtype::kF32, -0.0, 0.0));
  EXPECT_TRUE(exact(Dtype::kF32, 0.0, -0.0));
}

TEST(ExactTier, NeverAcceptsNotANumberForANumber) {
  for (const Dtype dtype : kDtypes) {
    EXPECT_FALSE(exact(dtype, kNaN, 1));
    EXPECT_FALSE(exact(dtype, kInfinity, 1));
    EXPECT_FALSE(exact(dtype, 1, kNaN));
    EXPECT_TRUE(exact(dtype, kNaN, kNaN));
    EXPECT_TRUE(exact(dtype, kInfinity, kInfinity));
    EXPECT_FALSE(exact(dtype, -kInfinity, kInfinity));
  }
}

TEST(ExactTier, NamesTheElementThatIsFurthestOff) {
  const Finding finding =
      judge_exact(Dtype::kF32, kStrict, Values{1, 5, -9, 4}, Values{1, 2, 3, 4});
  EXPECT_EQ(finding.elements, 4U);
  EXPECT_EQ(finding.wrong, 2U);
  EXPECT_EQ(finding.margin, kInfinity);
  ASSERT_TRUE(finding.worst);
  EXPECT_EQ(finding.worst->index, 2U);
  EXPECT_EQ(finding.worst->got, -9);
  EXPECT_EQ(finding.worst->want, 3);
  EXPECT_EQ(finding.worst->allowed, 0);
}

TEST(ExactTier, ThatPassesHasNoMargin) {
  const Finding finding = judge_exact(Dtype::kF16, kStrict, Values{2048}, Values{2049});
  EXPECT_TRUE(finding.passed());
  EXPECT_EQ(finding.margin, 0);
  EXPECT_FALSE(finding.worst);
}

// n = 3 products, n' = 4: A = 4 u S, a little more for the oracle. Here u S = 1 step of f32 at 1.
TEST(IntervalTier, EndsWhereTheBoundEnds) {
  const double step = 0x1p-23;
  const double S = 2;  // u S = one step
  EXPECT_TRUE(interval(Dtype::kF32, 3, 1 + 4 * step, 1, S));
  EXPECT_TRUE(interval(Dtype::kF32, 3, 1 - 4 * step, 1, S));
  EXPECT_FALSE(interval(Dtype::kF32, 3, 1 + 5 * step, 1, S));
  EXPECT_FALSE(interval(Dtype::kF32, 3, 1 - 5 * step, 1, S));
}

TEST(IntervalTier, RoundsItsEndsToTheDtype) {
  // Exactly between two bf16 values, 1 and 1 + 2^-7: an f32 sum may have fallen on either side.
  const double between = 1 + 0x1p-8;
  EXPECT_TRUE(interval(Dtype::kBF16, 9, 1, between, 1));
  EXPECT_TRUE(interval(Dtype::kBF16, 9, 1 + 0x1p-7, between, 1));
  EXPECT_FALSE(interval(Dtype::kBF16, 9, 1 + 0x1p-6, between, 1));
  // A quarter of a step from 1: only 1 is right, and what cut off the other side is wrong.
  EXPECT_TRUE(interval(Dtype::kBF16, 9, 1, 1 + 0x1p-9, 1));
  EXPECT_FALSE(interval(Dtype::kBF16, 9, 1 + 0x1p-7, 1 + 0x1p-9, 1));
  EXPECT_FALSE(interval(Dtype::kBF16, 9, 1, 1 + 0.75 * 0x1p-7, 1));
  EXPECT_TRUE(interval(Dtype::kBF16, 9, 1, 1 + 0.75 * 0x1p-7, 1, "output_rounding=zero"));
}

TEST(IntervalTier, AllowsNothingWhereNothingIsSummed) {
  EXPECT_TRUE(interval(Dtype::kF32, 9, 0, 0, 0));
  EXPECT_TRUE(interval(Dtype::kF32, 9, -0.0, 0, 0));
  EXPECT_FALSE(interval(Dtype::kF32, 9, 0x1p-149, 0, 0));
}

TEST(IntervalTier, AcceptsOverflowOnlyWhereRoundingLeadsToIt) {
  // 65520 is where f16 rounds to infinity.
  EXPECT_TRUE(interval(Dtype::kF16, 9, kInfinity, 65520, 65520));
  EXPECT_TRUE(interval(Dtype::kF16, 9, 65504, 65519.999, 65520));
  EXPECT_FALSE(interval(Dtype::kF16, 9, kInfinity, 65000, 65000));
  EXPECT_FALSE(interval(Dtype::kF16, 9, -kInfinity, 65520, 65520));
  EXPECT_FALSE(interval(Dtype::kF16, 9, kInfinity, 65520, 65520, "output_rounding=zero"));
  EXPECT_TRUE(interval(Dtype::kF16, 9, 65504, 65520, 65520, "output_rounding=zero"));
}

TEST(IntervalTier, AcceptsInfinityOfAHalfAccumulatorThatMayHaveOverflowedOnItsWay) {
  // Positive and negative terms of 70,000 each, or of 60,000.
  EXPECT_TRUE(interval(Dtype::kF16, 9, kInfinity, 10, 140000, "f16-accumulate"));
  EXPECT_TRUE(interval(Dtype::kF16, 9, -kInfinity, 10, 140000, "f16-accumulate"));
  EXPECT_FALSE(interval(Dtype::kF16, 9, kInfinity, 10, 120000, "f16-accumulate"));
  EXPECT_FALSE(interval(Dtype::kF16, 9, kInfinity, 10, 140000));
  EXPECT_FALSE(interval(Dtype::kF16, 9, kNaN, 10, 140000, "f16-accumulate"));
  // All terms positive.
  EXPECT_FALSE(interval(Dtype::kF16, 9, -kInfinity, 70000, 70000, "f16-accumulate"));
}

TEST(IntervalTier, AcceptsSaturationOnlyOfAnAccumulatorTowardZero) {
  const double largest = format_of(Dtype::kF32).largest();
  EXPECT_TRUE(interval(Dtype::kF32, 9, largest, 1e40, 1e40, "accumulator_rounding=zero"));
  EXPECT_TRUE(interval(Dtype::kF32, 9, -largest, -1e40, 1e40, "accumulator_rounding=zero"));
  EXPECT_TRUE(interval(Dtype::kF32, 9, kInfinity, 1e40, 1e40, "accumulator_rounding=zero"));
  EXPECT_FALSE(interval(Dtype::kF32, 9, largest / 2, 1e40, 1e40, "accumulator_rounding=zero"));
  EXPECT_FALSE(interval(Dtype::kF32, 9, largest, 1e40, 1e40));
}

// What a compensated sum has kept of an error before is subtracted from the largest number.
TEST(IntervalTier, AcceptsLittleLessThanSaturationInAFaithfulClass) {
  const double below = 0x1.fffffcp127, far_below = 0x1.fffp127;
  EXPECT_TRUE(interval(Dtype::kF32, 9, below, 1e40, 1e40, "accumulator_rounding=faithful"));
  EXPECT_TRUE(interval(Dtype::kF32, 9, -below, -1e40, 1e40, "accumulator_rounding=faithful"));
  EXPECT_FALSE(interval(Dtype::kF32, 9, far_below, 1e40, 1e40, "accumulator_rounding=faithful"));
  EXPECT_FALSE(interval(Dtype::kF32, 9, below, 1e40, 1e40, "accumulator_rounding=zero"));
}

TEST(IntervalTier, AcceptsFlushedResultsOnlyOfAClassThatFlushes) {
  const double subnormal = 0x1p-130;
  EXPECT_FALSE(interval(Dtype::kF32, 1, 0, 0x1p-127, 0x1p-127));
  EXPECT_TRUE(interval(Dtype::kF32, 1, 0, 0x1p-127, 0x1p-127, "flush"));
  EXPECT_TRUE(interval(Dtype::kF32, 1, subnormal, subnormal, subnormal, "flush"));
  EXPECT_FALSE(interval(Dtype::kF32, 1, 0, 0x1p-120, 0x1p-120, "flush"));
  // The accumulator is f32, so only the store can flush this subnormal half.
  EXPECT_TRUE(interval(Dtype::kF16, 1, 0, 0x1p-16, 0x1p-16, "flush"));
  EXPECT_FALSE(interval(Dtype::kF16, 1, 0, 0x1p-16, 0x1p-16));
  EXPECT_FALSE(interval(Dtype::kF16, 1, 0, 0x1p-13, 0x1p-13, "flush"));
}

// The smallest normal number of f16 is 6.1e-5; the bound of 64 products here is 7.7e-6.
TEST(IntervalTier, AcceptsAFlushedResultIfOneEndOfTheIntervalIsSubnormal) {
  for (const double sign : {1.0, -1.0}) {
    EXPECT_TRUE(interval(Dtype::kF16, 64, 0, sign * 5.4e-5, 2, "flush"));
    EXPECT_TRUE(interval(Dtype::kF16, 64, 0, sign * 6.5e-5, 2, "flush"));
    EXPECT_FALSE(interval(Dtype::kF16, 64, 0, sign * 7.5e-5, 2, "flush"));
    EXPECT_FALSE(interval(Dtype::kF16, 64, 0, sign * 5.4e-5, 2, "strict"));
  }
}

TEST(IntervalTier, NeverAcceptsNotANumberForANumber) {
  for (const char* text : {"strict", "f16-accumulate", "bf16-accumulate,bilinear,flush"}) {
    EXPECT_FALSE(interval(Dtype::kF32, 1 << 20, kNaN, 1, 1, text));
    EXPECT_TRUE(interval(Dtype::kF32, 1 << 20, kNaN, kNaN, kNaN, text));
    EXPECT_FALSE(interval(Dtype::kF32, 1 << 20, 1, kNaN, kNaN, text));
  }
}

TEST(IntervalTier, SaysThatItIsVacuousWhereNoBoundExists) {
  const auto judge = [](Extent n, double got) {
    return judge_interval(Dtype::kBF16, arithmetic("bf16-accumulate"), n, Values{got}, Values{1},
                          Values{1});
  };
  EXPECT_FALSE(judge(200, 1).vacuous);
  EXPECT_TRUE(judge(256, 1).vacuous);
  EXPECT_TRUE(judge(256, 1e30).passed());
  EXPECT_FALSE(judge(256, kNaN).passed());
}

TEST(IntervalTier, ReportsItsMarginAndTheElementFurthestBeyondItsBound) {
  const double step = 0x1p-23;
  const Finding finding = judge_interval(Dtype::kF32, kStrict, 3, Values{1 + 2 * step, 2, 1},
                                         Values{1, 1, 1}, Values{2, 2, 2});
  EXPECT_EQ(finding.wrong, 1U);
  ASSERT_TRUE(finding.worst);
  EXPECT_EQ(finding.worst->index, 1U);
  EXPECT_NEAR(finding.worst->allowed, 4 * step, step / 2);
  EXPECT_NEAR(finding.margin, 1 / (4 * step), 1 / step / 16);
  const Finding passing =
      judge_interval(Dtype::kF32, kStrict, 3, Values{1 + 2 * step}, Values{1}, Values{2});
  EXPECT_NEAR(passing.margin, 0.5, 0.1);
}

TEST(IntervalTier, JudgesABilinearClassByTheLargestMagnitude) {
  const Values want{1, 1000};
  const Values got{1.001, 1000};
  EXPECT_FALSE(judge_interval(Dtype::kF32, kStrict, 9, got, want, Values{1, 1000}).passed());
  EXPECT_TRUE(
      judge_interval(Dtype::kF32, arithmetic("bilinear"), 9, got, want, Values{1, 1000}).passed());
}

TEST(Gamma, IsInfiniteWhereTheLemmaDoesNotHold) {
  EXPECT_DOUBLE_EQ(gamma(4, 0x1p-4), 1.0 / 3);
  EXPECT_EQ(gamma(16, 0x1p-4), kInfinity);
  EXPECT_EQ(gamma(17, 0x1p-4), kInfinity);
}

void expect_same(const Finding& fast, const Finding& each) {
  EXPECT_EQ(fast.elements, each.elements);
  EXPECT_EQ(fast.wrong, each.wrong);
  EXPECT_EQ(fast.margin, each.margin);
  EXPECT_EQ(fast.vacuous, each.vacuous);
  ASSERT_EQ(fast.worst.has_value(), each.worst.has_value());
  if (!fast.worst) return;
  EXPECT_EQ(fast.worst->index, each.worst->index);
  EXPECT_EQ(fast.worst->allowed, each.worst->allowed);
}

// Values of every magnitude that the dtype has and beyond, a few of them wrong.
TEST(IntervalTier, FindsTheSameWhetherOrNotLimitsAreAskedForEveryElement) {
  Xoshiro random(11);
  for (const Dtype dtype : kDtypes) {
    for (const char* text : {"strict", "tf32", "f16-accumulate", "flush", "output_rounding=zero",
                             "accumulator_rounding=zero", "f64-accumulate"}) {
      for (const Extent products : {1, 30, 900}) {
        const ErrorBound bound = error_bound(dtype, arithmetic(text), products);
        const Acceptance acceptance(dtype, arithmetic(text), bound);
        // Of bounds in hundreds of steps and in less than one; in some tensors all errors small.
        for (int tensor = 0; tensor < 12; ++tensor) {
          Values got, want, magnitude;
          for (int i = 0; i < 1000; ++i) {
            const int exponent = static_cast<int>(random.between(-160, 130));
            const double y = std::ldexp(2 * random.unit() - 1, tensor < 8 ? tensor : exponent);
            const double S = random.below(50) == 0 ? 0 : std::fabs(y) * std::ldexp(1, tensor % 7);
            const double share = tensor % 2 == 0 ? 0.9 : random.below(200) == 0 ? 1.5 : 0.99;
            const double error = share * bound.of(S) * (2 * random.unit() - 1);
            got.push_back(round_to(dtype, random.below(300) == 0 ? 0 : y + error));
            want.push_back(y);
            magnitude.push_back(S);
          }
          SCOPED_TRACE(std::string(to_string(dtype)) + " " + text + " " + std::to_string(tensor));
          expect_same(acceptance.judge(got, want, magnitude),
                      acceptance.judge_each(got, want, magnitude));
        }
      }
    }
  }
}

// A result that was flushed lies at the end of its interval, though it is nearer to the wanted one
// than the bound; here behind many elements whose margin is smaller, but not by far.
TEST(IntervalTier, SeesTheMarginOfAFlushedResultBehindOthers) {
  const ErrorBound bound = error_bound(Dtype::kF16, arithmetic("flush"), 1);
  const Acceptance acceptance(Dtype::kF16, arithmetic("flush"), bound);
  const double S = 64, A = bound.of(S);
  Values got(128, round_to(Dtype::kF16, 0.95 * A)), want(128, 0), magnitude(128, S);
  std::fill(got.begin() + 64, got.end(), 0);
  std::fill(want.begin() + 64, want.end(), 0.85 * A);
  expect_same(acceptance.judge(got, want, magnitude), acceptance.judge_each(got, want, magnitude));
  EXPECT_EQ(acceptance.judge(got, want, magnitude).margin, 1);
}

// A block of elements that set a margin, and then a block of one that has a larger one.
void expect_larger_margin(const Acceptance& acceptance, double got, double want, double next_got,
                          double next_want) {
  Values gots(128, got), wants(128, want), magnitude(128, 1);
  std::fill(gots.begin() + 64, gots.end(), next_got);
  std::fill(wants.begin() + 64, wants.end(), next_want);
  expect_same(acceptance.judge(gots, wants, magnitude),
              acceptance.judge_each(gots, wants, magnitude));
}

// Steps of bf16 from 1 on are 2^-7: the end of 1.04 + 20.45 steps is 20, not 20.45 away.
TEST(IntervalTier, SeesTheMarginOfAnEndThatWasRoundedInward) {
  constexpr double kStep = 0x1p-7, kAllowed = 20.45 * kStep;
  const Acceptance acceptance(Dtype::kBF16, kStrict, ErrorBound{0, kAllowed});
  expect_larger_margin(acceptance, round_to(Dtype::kBF16, 0x1p-6 + 0.543 * kAllowed), 0x1p-6,
                       1 + 11 * kStep, 1 + 0.04 * kStep);
}

// Toward zero an interval ends at the largest number: 608 away, not 1000.
TEST(IntervalTier, SeesTheMarginOfAnEndAtTheLargestNumber) {
  const Acceptance acceptance(Dtype::kF16, arithmetic("output_rounding=zero"), ErrorBound{0, 1000});
  expect_larger_margin(acceptance, 500, 0, 65504 - 608 + 416, 65504 - 608);
}

// The positive terms, 2^129, stop at the largest number, from which the negative one is subtracted.
TEST(IntervalTier, SubtractsFromASumThatHasStoppedAtTheLargestNumber) {
  constexpr double kLargest = 0x1.fffffep127, kOther = 0x1p126;
  const auto passes = [](const char* arithmetic, double negative, double got) {
    const std::vector<double> want{0x1p129 - negative}, magnitude{0x1p129 + negative};
    return judge_interval(Dtype::kF32, *parse_arithmetic(arithmetic), 3, std::vector<double>{got},
                          want, magnitude)
        .passed();
  };
  const char* const zero = "accumulator_rounding=zero";
  EXPECT_TRUE(passes(zero, 0, kLargest));
  EXPECT_FALSE(passes(zero, 0, 0x1.fffffcp127));
  EXPECT_TRUE(passes(zero, kOther, kLargest));
  EXPECT_TRUE(passes(zero, kOther, kLargest - kOther));
  EXPECT_FALSE(passes(zero, kOther, kLargest - 1.01 * kOther));
  // Split inputs have low parts of either sign, of up to 4.1 / 128 of the products: 2^124.04 here.
  EXPECT_TRUE(passes("bf16x3,accumulator_rounding=zero", 0, kLargest - 0x1p124));
  EXPECT_FALSE(passes("bf16x3,accumulator_rounding=zero", 0, kLargest - 0x1p125));
}

}  // namespace
}  // namespace concord::conformance
