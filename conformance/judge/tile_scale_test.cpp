// SPDX-License-Identifier: Apache-2.0
#include "conformance/judge/tile_scale.h"

#include <gtest/gtest.h>

#include <cmath>

#include "conformance/arithmetic/arithmetic.h"
#include "conformance/fill/xoshiro.h"
#include "conformance/judge/judge_data.h"
#include "conformance/power/simulated_winograd.h"

namespace concord::conformance {
namespace {

Problem convolution(Extents src, Extents weights, Extent padding) {
  Problem problem;
  problem.dtype = Dtype::kF32;
  problem.src.dims = std::move(src);
  problem.weights.dims = std::move(weights);
  problem.attributes = ConvolutionAttributes{
      {{1, 1}, {padding, padding}, {padding, padding}, {1, 1}, AutoPad::kNone, 1, DataFormat::kNCX},
      WeightsFormat::kOIX};
  return problem;
}

// By hand: channels of at most 2 and 3 in src, 4 and 5 in the weights.
TEST(TileScale, HasTheLargestValuesOfEachChannel) {
  const Problem problem = convolution({1, 2, 1, 2}, {1, 2, 1, 1}, 0);
  const Inputs inputs{{1, -2, 3, std::nan("")}, {-4, 5}, {7}};
  const TileScale scale = tile_scale(*reference::resolve(problem), inputs);
  EXPECT_EQ(scale.magnitude, 9.0 / 4 * (2 * 4 + 3 * 5));
  EXPECT_EQ(scale.squares, 8 * 8 + 15 * 15 + 7 * 7);
}

// The one output sees the weight in the middle, which is small; its tile has them all.
DataVerdict judge_lone_pixel(Fill fill, std::uint64_t seed, double lost) {
  const Problem problem = convolution({1, 1, 1, 1}, {1, 1, 3, 3}, 1);
  const auto geometry = reference::resolve(problem);
  Xoshiro random(seed);
  Inputs inputs{{0.7F}, {}, {}};
  for (int tap = 0; tap < 9; ++tap) {
    const auto weight = static_cast<float>(2 * random.unit() - 1);
    inputs.weights.push_back(tap == 4 ? std::ldexp(weight, -20) : weight);
  }
  std::vector<double> tile(16);
  tile[5] = inputs.src.front();
  const double sum = tile_outputs(winograd_tile(2), {tile}, {inputs.weights}, {}, {}).front();
  const std::vector<double> got{static_cast<float>(sum - lost)};
  const auto oracle =
      reference::evaluate(problem, *geometry, {inputs.src, inputs.weights, inputs.bias, {}});
  const concord_arithmetic bilinear = *parse_arithmetic("bilinear");
  const OutputShape shape = output_shape(geometry->dst.dims, 1);
  return judge_data({fill, Dtype::kF32, bilinear, *geometry, shape, inputs, oracle}, Trust{}, got);
}

TEST(TileScale, KeepsWinogradLegalWhereAnOutputSeesLittleOfItsTile) {
  for (const Fill fill : {Fill::kUniform, Fill::kWide}) {
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
      EXPECT_NE(judge_lone_pixel(fill, seed, 0).verdict, Verdict::kFail) << seed;
      EXPECT_EQ(judge_lone_pixel(fill, seed, 0.1).verdict, Verdict::kFail) << seed;
    }
  }
}

// By hand: 2 * 15^2 * 3 = 1350, and 2 * 4579 * (2 * 4 + 3 * 5) + 7 = 210,641.
TEST(TileScale, SaysWhatNumbersATileMayHold) {
  const Problem problem = convolution({1, 2, 1, 2}, {1, 2, 1, 1}, 0);
  const auto geometry = reference::resolve(problem);
  const Inputs inputs{{1, -2, 3, 0}, {-4, 5}, {7}}, small_weights{{1, -2, 3, 0}, {0, 0}, {}};
  EXPECT_TRUE(tiles_may_exceed(210'640, *geometry, inputs));
  EXPECT_FALSE(tiles_may_exceed(210'642, *geometry, inputs));
  EXPECT_TRUE(tiles_may_exceed(1349, *geometry, small_weights));
  EXPECT_FALSE(tiles_may_exceed(1351, *geometry, small_weights));
}

TEST(TileScale, CountsWhatTransformsLoseForEachChannel) {
  const Problem problem = convolution({1, 2, 1, 2}, {1, 2, 1, 1}, 0);
  const Inputs inputs{{1, -2, 3, 0}, {-4, 5}, {}};
  EXPECT_EQ(lost_in_transforms(*reference::resolve(problem), inputs, 0x1p-20),
            2 * 0x1p-20 * (4e6 * 3 + 2e4 * 5));
}

// The row sums of the matrices behind the constants: of abs(B^T), and of products of all of them.
TEST(TileScale, CoversTheTransformsOfTheLargestTile) {
  const WinogradTile tile = winograd_tile(6);
  const auto sum_of = [](const std::vector<double>& row) {
    double sum = 0;
    for (const double value : row) sum += std::fabs(value);
    return sum;
  };
  double input = 0, all = 0, of_weights = 0, of_src = 0;
  for (const auto& row : tile.B) input = std::max(input, sum_of(row));
  for (const auto& row : tile.A) {
    double with_both = 0, with_B = 0, with_G = 0;
    for (std::size_t k = 0; k < row.size(); ++k) {
      const double a = std::fabs(row[k]), b = sum_of(tile.B[k]), g = sum_of(tile.G[k]);
      with_both += a * b * g, with_B += a * b, with_G += a * g;
    }
    all = std::max(all, with_both);
    of_weights = std::max(of_weights, with_B);
    of_src = std::max(of_src, with_G);
  }
  EXPECT_LE(input, 15);
  EXPECT_LE(all * all, 4580);
  EXPECT_LE(of_weights, 519);
  EXPECT_LE(of_src, 7.5);
}

}  // namespace
}  // namespace concord::conformance
