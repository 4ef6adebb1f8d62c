// SPDX-License-Identifier: Apache-2.0
#include "conformance/judge/trust.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "conformance/judge/arithmetic.h"

namespace concord::conformance {
namespace {

using Values = std::vector<double>;
using Plants = std::vector<Plant>;
const concord_arithmetic kStrict{};

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
            (Plants{Plant::kZeros}));
  EXPECT_EQ(assess_exact(Dtype::kF32, kStrict, shape_of(1, 1, 1, 1, 3), Values{7, 8, 9}).rejected,
            (Plants{Plant::kZeros, Plant::kShifted}));
  EXPECT_EQ(assess_exact(Dtype::kF32, kStrict, shape_of(1, 3, 3, 1, 2), count_up(6)).rejected,
            (Plants{Plant::kZeros, Plant::kShifted, Plant::kChannels}));
}

TEST(Trust, IsMissingWhereTheRightOutputIsZeros) {
  const Trust trust = assess_exact(Dtype::kF32, kStrict, shape_of(1, 1, 1, 2, 3), Values(6, 0));
  EXPECT_FALSE(trust.can_reject());
  EXPECT_EQ(trust.describe(), "accepts zeros, shifted, transposed");
}

TEST(Trust, IsMissingWhereEveryElementIsTheSame) {
  const Trust trust = assess_exact(Dtype::kF32, kStrict, shape_of(1, 1, 1, 2, 3), Values(6, 4));
  EXPECT_EQ(trust.rejected, (Plants{Plant::kZeros}));
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
      assess_statistical(Dtype::kF16, half, kProducts, shape, 1, want, magnitude).can_reject());
}

}  // namespace
}  // namespace concord::conformance
