// SPDX-License-Identifier: Apache-2.0
#include "experiments/scales.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace concord::experiments {
namespace {

using testing::ElementsAre;

TEST(Scales, TheNearestFractionIsTheNearestOfAll) {
  EXPECT_EQ(nearest_fraction(std::pow(0.25, 1.0 / 7), 10), Rational(5, 6));
  EXPECT_EQ(nearest_fraction(0.5, 10), Rational(1, 2));
  EXPECT_EQ(nearest_fraction(1.04, 10), Rational(1));
  Random random(1);
  std::uniform_real_distribution<double> uniform(0, 2);
  for (int i = 0; i < 200; ++i) {
    const double value = uniform(random);
    const Rational nearest = nearest_fraction(value, 10);
    EXPECT_LE(nearest.denominator(), 10);
    for (Extent k = 1; k <= 10; ++k) {
      for (Extent n = 0; n <= 2 * k; ++n) {
        const double tried = std::abs(Rational(n, k).to_double() - value);
        EXPECT_GE(tried, std::abs(nearest.to_double() - value)) << n << "/" << k << " " << value;
      }
    }
  }
}

TEST(Scales, ASequenceHasItsProductExactlyAndOneScaleAtMostBeyondTheDenominators) {
  Random random(2);
  bool first_was_fixed = false, last_was_fixed = false;
  for (int i = 0; i < 300; ++i) {
    const auto scales = scale_sequence(7, {1, 4}, 0.01, random);
    ASSERT_EQ(scales.size(), 7U);
    EXPECT_EQ(std::accumulate(scales.begin(), scales.end(), Rational(1),
                              [](const Rational& a, const Rational& b) { return a * b; }),
              Rational(1, 4));
    const auto beyond = [](const Rational& scale) { return scale.denominator() > 10; };
    EXPECT_LE(std::count_if(scales.begin(), scales.end(), beyond), 1);
    first_was_fixed = first_was_fixed || beyond(scales.front());
    last_was_fixed = last_was_fixed || beyond(scales.back());
  }
  EXPECT_TRUE(first_was_fixed && last_was_fixed) << "any layer is fixed up, not always the same";
}

// 0.82 lies between 4/5 and 5/6, the fractions that a deviation of 0.01 reaches most often.
TEST(Scales, ASequenceIsNormalAroundTheRoot) {
  Random random(3);
  double sum = 0, count = 0;
  for (int i = 0; i < 2000; ++i) {
    for (const Rational& scale : scale_sequence(7, {1, 4}, 0.01, random)) {
      if (scale.denominator() > 10) continue;
      sum += scale.to_double();
      ++count;
      EXPECT_NEAR(scale.to_double(), 0.82, 0.09);
    }
  }
  EXPECT_NEAR(sum / count, std::pow(0.25, 1.0 / 7), 0.01);
}

TEST(Scales, FloatScalesAreWithinThePapersRange) {
  Random random(4);
  double least = 2, most = 0;
  for (int i = 0; i < 1000; ++i) {
    const double scale = float_scale(random).to_double();
    least = std::min(least, scale);
    most = std::max(most, scale);
  }
  EXPECT_GE(least, 0.3);
  EXPECT_LE(most, 1.3);
  EXPECT_LT(least, 0.32);
  EXPECT_GT(most, 1.28);
}

// The rows of Table 4's first example, whose heights rounded up layer by layer would end at 9.
TEST(Scales, SizesFollowEquation4) {
  const std::vector<Rational> rows{1, {5, 6}, {5, 6}, {8, 9}, {189, 250}, {6, 7}, {5, 6}, {3, 4}};
  EXPECT_THAT(sizes_by_equation_4(32, rows), ElementsAre(32, 27, 23, 20, 15, 13, 11, 8));
}

// Section 4: two layers of about 1/sqrt(2), or three of about 1/cbrt(2), reach what one of 1/2
// does.
TEST(Scales, TwoOrThreeLayersReplaceOneOfOneHalf) {
  Backend backend(TEST_PLUGIN);
  Random random(7);
  const std::vector<std::vector<Rational>> expected{{{5, 7}, {7, 10}}, {{4, 5}, {4, 5}, {25, 32}}};
  for (const auto& sequence : expected) {
    const auto layers = static_cast<int>(sequence.size());
    auto scales = scale_sequence(layers, {1, 2}, 0, random);
    // Any of them is the one that makes the product exact.
    EXPECT_TRUE(std::is_permutation(scales.begin(), scales.end(), sequence.begin())) << layers;
    const Extents sizes = sizes_by_equation_4(30, scales);
    Values values({1, 1, 30, 30});
    std::fill(values.at.begin(), values.at.end(), 1.0F);
    for (std::size_t i = 0; i < scales.size(); ++i) {
      const ContinuousLayer layer(1, 1, 3, random);
      values = layer.forward(backend, values, {scales[i], scales[i], {sizes[i], sizes[i]}});
    }
    const ContinuousLayer one(1, 1, 3, random);
    const Values at_once = one.forward(backend, Values({1, 1, 30, 30}), {{1, 2}, {1, 2}, {}});
    EXPECT_EQ(values.dims, at_once.dims) << layers;
    EXPECT_NE(values.at.front(), 0) << layers;
  }
}

}  // namespace
}  // namespace concord::experiments
