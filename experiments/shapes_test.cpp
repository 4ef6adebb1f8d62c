// SPDX-License-Identifier: Apache-2.0
#include "experiments/shapes.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace concord::experiments {
namespace {

// The part of the square of 2 x 2 that each shape covers.
TEST(Shapes, HaveTheirAreas) {
  const std::array<double, kShapes> areas{3.14159 / 4, 0.85 * 0.85, 0.3 + 0.3 - 0.09, 0.5};
  constexpr int kPoints = 400;
  for (int shape = 0; shape < kShapes; ++shape) {
    int inside = 0;
    for (int i = 0; i < kPoints * kPoints; ++i) {
      const double y = (i / kPoints + 0.5) * 2 / kPoints - 1;
      const double x = (i % kPoints + 0.5) * 2 / kPoints - 1;
      inside += is_inside(static_cast<Shape>(shape), y, x) ? 1 : 0;
    }
    EXPECT_NEAR(inside / double{kPoints * kPoints}, areas.at(static_cast<std::size_t>(shape)),
                0.005)
        << shape;
    EXPECT_FALSE(is_inside(static_cast<Shape>(shape), 0.99, 1.01));
  }
  EXPECT_TRUE(is_inside(Shape::kTriangle, 0.95, 0.9) && !is_inside(Shape::kTriangle, -0.95, 0.9));
}

TEST(Shapes, AreOfEveryKindAndTheSameOfTheSameSeed) {
  Random one(1), same(1), other(2);
  const Labelled batch = shapes(40, 32, one);
  EXPECT_EQ(batch.images.dims, (Extents{40, 1, 32, 32}));
  EXPECT_EQ(batch.images.at, shapes(40, 32, same).images.at);
  EXPECT_NE(batch.images.at, shapes(40, 32, other).images.at);
  std::array<int, kShapes> counts{};
  for (const int label : batch.labels) ++counts.at(static_cast<std::size_t>(label));
  EXPECT_EQ(counts, (std::array<int, kShapes>{10, 10, 10, 10}));
}

TEST(Shapes, AreStandardisedAndVaryInPlace) {
  Random random(3);
  const Labelled batch = shapes(40, 32, random);
  bool up = false, down = false;
  for (std::size_t n = 0; n < 40; ++n) {
    double sum = 0, square = 0, high = 0;
    for (std::size_t i = 0; i < 1024; ++i) {
      const double value = static_cast<double>(batch.images.at[n * 1024 + i]);
      sum += value;
      square += value * value;
      if (i < 512) high += value;
    }
    EXPECT_NEAR(sum / 1024, 0, 1e-5);
    EXPECT_NEAR(square / 1024, 1, 1e-4);
    up = up || high > 100;
    down = down || high < -100;
  }
  EXPECT_TRUE(up && down);
}

}  // namespace
}  // namespace concord::experiments
