// SPDX-License-Identifier: Apache-2.0
#include "conformance/judge/trust.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "conformance/arithmetic/arithmetic.h"
#include "conformance/judge/judge_statistical.h"

namespace concord::conformance {
namespace {

using Values = std::vector<double>;
using Plants = std::vector<Plant>;
const concord_arithmetic kStrict{};

const Plants kWrongValues = {Plant::kZeros, Plant::kScaled, Plant::kNegated};

Plants with_wrong_values(const Plants& rearranged) {
  Plants plants = kWrongValues;
  plants.insert(plants.end(), rearranged.begin(), rearranged.end());
  return plants;
}

OutputShape shape_of(Extent N, Extent G, Extent OC, Extent OH, Extent OW) {
  return output_shape({N, OC, OH, OW}, G);
}

Values count_up(std::size_t size) {
  Values values(size);
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

TEST(Trust, HasEveryPlantRejectedWhereAllElementsDiffer) {
  const auto g = shape_of(2, 2, 4, 3, 5);
  const Trust trust = assess_exact(Dtype::kF32, kStrict, g, count_up(120));
  EXPECT_EQ(trust.rejected, Plants(std::begin(kPlants), std::end(kPlants)));
  EXPECT_TRUE(trust.can_reject());
  EXPECT_EQ(trust.describe(), "");
}

TEST(Trust, PlantsOnlyWhatTheShapeOffers) {
  EXPECT_EQ(assess_exact(Dtype::kF32, kStrict, shape_of(1, 1, 1, 1, 1), Values{7}).rejected,
            kWrongValues);
  EXPECT_EQ(assess_exact(Dtype::kF32, kStrict, shape_of(1, 1, 1, 1, 3), Values{7, 8, 9}).rejected,
            with_wrong_values({Plant::kShifted}));
  EXPECT_EQ(assess_exact(Dtype::kF32, kStrict, shape_of(1, 3, 3, 1, 2), count_up(6)).rejected,
            with_wrong_values({Plant::kShifted, Plant::kChannels}));
}

TEST(Trust, IsMissingWhereTheRightOutputIsZeros) {
  const Trust trust = assess_exact(Dtype::kF32, kStrict, shape_of(1, 1, 1, 2, 3), Values(6, 0));
  EXPECT_FALSE(trust.can_reject());
  EXPECT_EQ(trust.describe(), "accepts zeros, scaled, negated, shifted, transposed");
}

TEST(Trust, IsMissingWhereEveryElementIsTheSame) {
  const Trust trust = assess_exact(Dtype::kF32, kStrict, shape_of(1, 1, 1, 2, 3), Values(6, 4));
  EXPECT_EQ(trust.rejected, kWrongValues);
  EXPECT_FALSE(trust.can_reject());
}

TEST(Trust, HasNothingToPlantInAnEmptyTensor) {
  EXPECT_TRUE(assess_exact(Dtype::kF32, kStrict, shape_of(0, 1, 1, 2, 3), {}).can_reject());
}

TEST(Trust, SeesASymmetryThatHidesASwap) {
  const Values symmetric{1, 2, 2, 1};  // equal to its transpose
  const Trust trust = assess_exact(Dtype::kF32, kStrict, shape_of(1, 1, 1, 2, 2), symmetric);
  EXPECT_EQ(trust.missed, (Plants{Plant::kTransposed}));
  EXPECT_TRUE(trust.can_reject());
}

TEST(Trust, EndsWithTheBound) {
  const auto shape = shape_of(1, 1, 1, 2, 3);
  constexpr Extent kProducts = 100;
  const Values want{1, 2, 3, 4, 5, 6};
  const Values magnitude(6, 10);
  const auto can_reject = [&](const char* arithmetic) {
    return assess_interval(Dtype::kBF16, *parse_arithmetic(arithmetic), kProducts, shape, want,
                           magnitude)
        .can_reject();
  };
  EXPECT_TRUE(can_reject("strict"));
  EXPECT_FALSE(can_reject("bf16-accumulate"));  // A = 0.65 S
}

TEST(Trust, OfTheStatisticalTierHoldsWhereIntervalsAreTooWide) {
  const auto shape = shape_of(1, 1, 40, 5, 5);
  constexpr Extent kProducts = 2304;
  Values want(1000);
  for (std::size_t i = 0; i < want.size(); ++i) want[i] = i % 3 == 0 ? 16 : i % 3 == 1 ? -20 : 9;
  const Values magnitude(want.size(), 576);
  const concord_arithmetic half = *parse_arithmetic("f16-accumulate");
  EXPECT_FALSE(assess_interval(Dtype::kF16, half, kProducts, shape, want, magnitude).can_reject());
  EXPECT_TRUE(
      assess_statistical({Dtype::kF16, half, kProducts, 1}, shape, want, magnitude).can_reject());
}

// An error bound of three quarters of each value: zeros, the other sign and a shift are seen.
TEST(Trust, IsMissingWhereHalfAsMuchAgainPasses) {
  const Values want{1, -2, 3, -4, 5, -6};
  const Values magnitude{1, 2, 3, 4, 5, 6};
  const auto assess = [&](double relative) {
    return assess_bounded(Dtype::kF32, kStrict, shape_of(1, 1, 1, 2, 3), {relative, 0}, want,
                          magnitude);
  };
  EXPECT_EQ(assess(0.75).missed, (Plants{Plant::kScaled}));
  EXPECT_FALSE(assess(0.75).can_reject());
  EXPECT_TRUE(assess(0.25).can_reject());
}

TEST(Trust, SaysHowLargeAnErrorIsFound) {
  const Values want{1, -2, 3, -4, 5, -6};
  const Values magnitude{1, 2, 3, 16, 5, 600};
  const auto shape = shape_of(1, 1, 1, 2, 3);
  EXPECT_NEAR(assess_bounded(Dtype::kF32, kStrict, shape, {0.125, 0}, want, magnitude).resolution,
              0.125, 1e-6);
  EXPECT_LT(assess_exact(Dtype::kF32, kStrict, shape, want).resolution, 1e-6);
  EXPECT_EQ(assess_exact(Dtype::kF32, kStrict, shape, Values(6, 0)).resolution, HUGE_VAL);
}

// The places of NaN and Inf tell a shift, and nothing of the numbers between them.
TEST(Trust, OfSpecialValuesAsksForAFiniteElementThatIsRejected) {
  const auto shape = shape_of(1, 1, 1, 2, 3);
  const Values want{1, std::nan(""), 3, -4, HUGE_VAL, 6};
  const Values magnitude{1, std::nan(""), 3, 4, HUGE_VAL, 6};
  const auto assess = [&](const char* arithmetic, Extent products) {
    const concord_arithmetic own = *parse_arithmetic(arithmetic);
    return assess_special(Dtype::kF32, own, error_bound(Dtype::kF32, own, products), shape, want,
                          magnitude);
  };
  EXPECT_TRUE(assess("strict", 9).can_reject());
  EXPECT_TRUE(assess("bf16-accumulate", 9).can_reject());
  EXPECT_FALSE(assess("bf16-accumulate", 300).can_reject());
  EXPECT_FALSE(assess("bf16,bilinear", 9).can_reject());
}

TEST(Trust, OfSpecialValuesAloneIsThatOfTheirPlaces) {
  const Values want{HUGE_VAL, std::nan(""), -HUGE_VAL, 0, HUGE_VAL, 0};
  EXPECT_TRUE(assess_special(Dtype::kF32, kStrict, error_bound(Dtype::kF32, kStrict, 9),
                             shape_of(1, 1, 1, 2, 3), want, want)
                  .can_reject());
  const Values one{std::nan("")};
  EXPECT_TRUE(assess_special(Dtype::kF32, kStrict, error_bound(Dtype::kF32, kStrict, 9),
                             shape_of(1, 1, 1, 1, 1), one, one)
                  .can_reject());
}

// What overflows f16 has to be infinite, and is after it was made half as large again.
TEST(Trust, OfResultsThatOverflowIsThatOfTheirSigns) {
  const Values want{1e6, -1e6, 2e6, 1e6, 1e6, -3e6};
  const Values magnitude{1e6, 1e6, 2e6, 1e6, 1e6, 3e6};
  const auto assess = [&](const Values& wanted) {
    return assess_special(Dtype::kF16, kStrict, error_bound(Dtype::kF16, kStrict, 9),
                          shape_of(1, 1, 1, 2, 3), wanted, magnitude)
        .can_reject();
  };
  EXPECT_TRUE(assess(want));
  EXPECT_TRUE(assess({1e6, -1e6, 2e6, 40, 1e6, -3e6}));
}

TEST(Trust, OfTheStatisticalTierSaysHowLargeAnErrorIsFound) {
  const auto shape = shape_of(1, 1, 40, 5, 5);
  Values want(1000);
  for (std::size_t i = 0; i < want.size(); ++i) want[i] = i % 2 == 0 ? 16 : -20;
  const Values magnitude(want.size(), 576);
  const concord_arithmetic half = *parse_arithmetic("f16-accumulate");
  const auto assess = [&](double factor) {
    Values got = want;
    for (double& value : got) value *= 1 + factor;
    return judge_statistical(Dtype::kF16, half,
                             sum_errors({Dtype::kF16, half, 2304, 1}, got, want, magnitude))
        .passed();
  };
  const double resolution =
      assess_statistical({Dtype::kF16, half, 2304, 1}, shape, want, magnitude).resolution;
  EXPECT_FALSE(assess(1.1 * resolution));
  EXPECT_LT(resolution, 0.5);
}

}  // namespace
}  // namespace concord::conformance
