// SPDX-License-Identifier: Apache-2.0
#include "experiments/image.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "experiments/imitate.h"

namespace concord::experiments {
namespace {

using testing::ElementsAre;

// The teacher is written without the engine, so this compares two implementations.
TEST(Teacher, BicubicIsWhatTheEngineComputesWithKeysCubic) {
  Random random(1);
  Backend backend(TEST_PLUGIN);
  const Image image = scene(17, random);
  ContinuousLayer layer(1, 1, 4, random);
  layer.attributes().function = KernelFunction::kKeys;
  Problem problem;
  problem.src.dims = {1, 1, 17, 17};
  problem.weights.dims = {0};
  const Values src = values_of(image), theta({0});
  for (const auto& [h, w] : {std::pair<Rational, Rational>{{2, 3}, {1, 2}}, {{13, 10}, {1, 1}}}) {
    ContinuousAttributes attributes;
    attributes.function = KernelFunction::kKeys;
    attributes.kernel = {4, 4};
    attributes.scale_h = h;
    attributes.scale_w = w;
    problem.attributes = attributes;
    const Image got = image_of(backend.run(problem, {&src, &theta}));
    // f32 against f64: 16 products of magnitude at most 1.
    EXPECT_LT(mean_square_error(got, resize(image, h, w, 4, bicubic)), 1e-12);
  }
}

TEST(Teacher, GridsAreThoseOfThePaper) {
  EXPECT_THAT(projected_grid(6, 3, {1, 2}),
              ElementsAre(Rational(1, 2), Rational(5, 2), Rational(9, 2)));
  EXPECT_THAT(projected_grid(9, 3, {1, 3}), ElementsAre(Rational(1), Rational(4), Rational(7)));
  EXPECT_EQ(projected_grid(6, 3, {1, 2}), unrounded_grid(3, {1, 2}));
  // 0.6 of 4 is 2.4, rounded up to 3: the grid is centred, the one without the rounded size is not.
  const auto grid = projected_grid(4, 3, {3, 5});
  EXPECT_EQ(grid.front() + grid.back(), Rational(3));
  EXPECT_NE(grid, unrounded_grid(3, {3, 5}));
}

TEST(Teacher, TheGaussianIsRotatedAndSumsToOne) {
  EXPECT_GT(rotated_gaussian(1, 1), 5 * rotated_gaussian(1, -1));
  EXPECT_DOUBLE_EQ(rotated_gaussian(0.3, 0.8), rotated_gaussian(0.8, 0.3));
  const Image kernel = sampled_kernel(rotated_gaussian, 4, 20);
  double sum = 0;
  for (const double value : kernel.at) sum += value / 400;
  EXPECT_NEAR(sum, 1, 0.1);  // the support cuts off what is beyond 2
}

TEST(Kernels, AreSampledAsTheyAre) {
  Backend backend(TEST_PLUGIN);
  Random random(5);
  ContinuousLayer layer(1, 1, 4, random);
  const Image kernel = sampled_kernel(backend, layer, 10);
  ASSERT_EQ(kernel.rows, 40);
  ASSERT_EQ(kernel.columns, 40);
  // The same point through another problem: an impulse in a corner, at another scale.
  Image impulse(3, 3);
  impulse(0, 0) = 1;
  const Image other = apply(backend, layer, impulse, {10, 10, {}});
  // Output n lies at (n - 4.5)/10, and kernel point p at (p - 19.5)/10.
  for (const Extent n : {Extent{0}, Extent{7}, Extent{20}}) {
    EXPECT_NEAR(other(n, 3), kernel(n + 15, 18), 1e-6);
  }
}

// Every third point of 15 a pixel is one of 5 a pixel: points are centred whether their number is
// even or odd.
TEST(Kernels, OfAnOddNumberOfPointsAreCentred) {
  Backend backend(TEST_PLUGIN);
  Random random(5);
  for (const Extent support : {3, 4}) {
    ContinuousLayer layer(1, 1, support, random);
    const Image fine = sampled_kernel(backend, layer, 15),
                coarse = sampled_kernel(backend, layer, 5);
    for (Extent i = 0; i < coarse.rows; ++i) {
      for (Extent j = 0; j < coarse.columns; ++j) {
        EXPECT_NEAR(coarse(i, j), fine(3 * i + 1, 3 * j + 1), 1e-6) << i << " " << j;
      }
    }
  }
}

}  // namespace
}  // namespace concord::experiments
