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

// By hand: 2 * 15^2 * 3 = 1350, and 2 * 67.7 * 114.9 * (2 * 4 + 3 * 5) + 7 = 357,828.6.
TEST(TileScale, SaysWhatNumbersATileMayHold) {
  const Problem problem = convolution({1, 2, 1, 1}, {1, 2, 3, 7}, 3);
  const auto geometry = reference::resolve(problem);
  Inputs inputs{{-2, 3}, std::vector<double>(42), {7}}, small_weights = inputs;
  inputs.weights[20] = -4;
  inputs.weights[21] = 5;
  small_weights.bias = {0};
  EXPECT_TRUE(tiles_may_exceed(357'828, *geometry, inputs));
  EXPECT_FALSE(tiles_may_exceed(357'829, *geometry, inputs));
  EXPECT_TRUE(tiles_may_exceed(1349, *geometry, small_weights));
  EXPECT_FALSE(tiles_may_exceed(1351, *geometry, small_weights));
}

TEST(TileScale, CountsWhatTransformsLoseForEachChannel) {
  const Problem problem = convolution({1, 2, 1, 2}, {1, 2, 1, 1}, 0);
  const Inputs inputs{{1, -2, 3, 0}, {-4, 5}, {}};
  EXPECT_EQ(lost_in_transforms(*reference::resolve(problem), inputs, 0x1p-20),
            2 * 0x1p-20 * (1.2e7 * 3 + 4e4 * 5));
}

// By hand: the window of a kernel of 35 taps is 35 / 4 of one tap.
TEST(TileScale, GrowsWithTheTapsOfAKernel) {
  const Problem problem = convolution({1, 1, 5, 7}, {1, 1, 5, 7}, 0);
  const Inputs inputs{std::vector<double>(35, 2), std::vector<double>(35, 3), {}};
  EXPECT_EQ(tile_scale(*reference::resolve(problem), inputs).magnitude, 35.0 / 4 * 6);
}

double sum_of(const std::vector<double>& row) {
  double sum = 0;
  for (const double value : row) sum += std::fabs(value);
  return sum;
}

// The largest of sum_k |A|_ik f(k) over outputs i.
template <class Of>
double largest_output(const WinogradTile& tile, Of of) {
  double most = 0;
  for (const auto& row : tile.A) {
    double sum = 0;
    for (std::size_t k = 0; k < row.size(); ++k) sum += std::fabs(row[k]) * of(k);
    most = std::max(most, sum);
  }
  return most;
}

// The row sums of the matrices behind the constants: of abs(B^T), and of products of all of them,
// by the taps of the kernel.
TEST(TileScale, CoversTheTransformsOfEveryTile) {
  const std::vector<double> sums{1, 1, 56.2, 67.7, 77.3, 86.8, 98.4, 114.9};
  std::vector<double> reached(sums.size());
  for (const WinogradTile& tile : winograd_tiles()) {
    const auto B = [&](std::size_t k) { return sum_of(tile.B[k]); };
    const auto G = [&](std::size_t k) { return sum_of(tile.G[k]); };
    for (std::size_t k = 0; k < tile.B.size(); ++k) EXPECT_LE(B(k), 15);
    EXPECT_LE(largest_output(tile, B), 998);
    EXPECT_LE(largest_output(tile, G), 11.2);
    double& most = reached.at(static_cast<std::size_t>(tile.taps));
    most = std::max(most, largest_output(tile, [&](std::size_t k) { return B(k) * G(k); }));
  }
  for (std::size_t taps = 2; taps < sums.size(); ++taps) {
    EXPECT_LE(reached[taps], sums[taps]) << taps;
    EXPECT_GT(reached[taps], 0.99 * sums[taps]) << taps;
  }
}

// What the interval allows in units of the sum over channels of max|x| max|w| and of u, and what
// the largest tile of as many taps needs where each row of a transform is added up as it is
// written: docs/numerics.md#bilinear has the counts.
TEST(TileScale, AllowsWhatTheLargestTilesNeed) {
  for (const WinogradTile& tile : winograd_tiles()) {
    const auto c =
        largest_output(tile, [&](std::size_t k) { return sum_of(tile.B[k]) * sum_of(tile.G[k]); });
    const auto r = static_cast<double>(tile.taps);
    for (const double axes : {1.0, 2.0}) {
      const double taps = std::pow(r, axes), window = std::max(9.0, taps) / 4;
      for (double IC = 1; IC < 5000; IC *= 2) {
        const double needed = std::pow(c, axes) * (IC + axes * (r + 13) + 2);
        EXPECT_LE(needed, 1024 * window * (taps * IC + 65)) << tile.m << ", " << r << ", " << IC;
      }
    }
  }
}

}  // namespace
}  // namespace concord::conformance
