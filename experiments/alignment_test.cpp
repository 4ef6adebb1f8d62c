// SPDX-License-Identifier: Apache-2.0
// Section 4: where standard convolutions look, against the grid of Eq. 2. A symmetric filter of sum
// 1 maps a slope x[i] = i to the middle of each output's window, so values are places.
#include <gtest/gtest.h>

#include "experiments/image.h"

namespace concord::experiments {
namespace {

Values slope(Extent pixels) {
  Values values({1, 1, 1, pixels});
  for (Extent i = 0; i < pixels; ++i) {
    values.at[static_cast<std::size_t>(i)] = static_cast<float>(i);
  }
  return values;
}

// Along the last axis. The binary fractions keep every value exact.
Values same_convolution(Backend& backend, const Values& src, const std::vector<float>& taps,
                        Extent stride, AutoPad rule) {
  Values weights({1, 1, 1, static_cast<Extent>(taps.size())});
  weights.at = taps;
  ConvolutionAttributes attributes;
  attributes.strides = {1, stride};
  attributes.dilations = {1, 1};
  attributes.pads_begin = attributes.pads_end = {0, 0};
  attributes.auto_pad = rule;
  attributes.data_format = DataFormat::kNCX;
  attributes.weights_format = WeightsFormat::kOIX;
  Problem problem;
  problem.src.dims = src.dims;
  problem.weights.dims = weights.dims;
  problem.attributes = attributes;
  return backend.run(problem, {&src, &weights});
}

struct Rule {
  AutoPad pad;
  float side;  // where the window lies beside the grid point: 1 after it, -1 before
};
constexpr Rule kRules[] = {{AutoPad::kSameUpper, 1}, {AutoPad::kSameLower, -1}};

TEST(Misalignment, ThreeTapsAtStrideTwoAreHalfAPixelOffUnderEitherPadding) {
  Backend backend(TEST_PLUGIN);
  const auto grid = projected_grid(8, 4, {1, 2});
  for (const Rule& rule : kRules) {
    const Values dst = same_convolution(backend, slope(8), {0.25F, 0.5F, 0.25F}, 2, rule.pad);
    ASSERT_EQ(dst.dims, (Extents{1, 1, 1, 4}));
    for (std::size_t n = 1; n < 3; ++n) {  // the outermost may see the zeros outside
      EXPECT_EQ(dst.at[n], static_cast<float>(grid[n].to_double()) + rule.side / 2) << n;
    }
  }
}

TEST(Misalignment, ThreeTapsAtStrideThreeAndFourAtTwoLieOnTheGrid) {
  Backend backend(TEST_PLUGIN);
  const auto of_thirds = projected_grid(12, 4, {1, 3}), of_halves = projected_grid(8, 4, {1, 2});
  for (const Rule& rule : kRules) {
    const Values three = same_convolution(backend, slope(12), {0.25F, 0.5F, 0.25F}, 3, rule.pad);
    const Values four =
        same_convolution(backend, slope(8), {0.125F, 0.375F, 0.375F, 0.125F}, 2, rule.pad);
    for (std::size_t n = 1; n < 3; ++n) {
      EXPECT_EQ(three.at[n], static_cast<float>(of_thirds[n].to_double())) << n;
      EXPECT_EQ(four.at[n], static_cast<float>(of_halves[n].to_double())) << n;
    }
  }
}

TEST(Misalignment, FourTapsDriftByHalfAPixelInEachLayer) {
  Backend backend(TEST_PLUGIN);
  constexpr Extent kMiddle = 20;
  for (const Rule& rule : kRules) {
    Values values = slope(2 * kMiddle + 1);
    for (int layers = 1; layers <= 6; ++layers) {  // zeros come 2 pixels nearer in each
      values = same_convolution(backend, values, {0.125F, 0.375F, 0.375F, 0.125F}, 1, rule.pad);
      ASSERT_EQ(values.dims[3], 2 * kMiddle + 1);
      EXPECT_EQ(values.at[kMiddle],
                static_cast<float>(kMiddle) + rule.side * static_cast<float>(layers) / 2)
          << layers;
    }
  }
}

}  // namespace
}  // namespace concord::experiments
