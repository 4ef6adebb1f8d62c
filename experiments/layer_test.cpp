// SPDX-License-Identifier: Apache-2.0
#include "experiments/layer.h"

#include <gmock/gmock.h>

#include <cmath>
#include <stdexcept>
#include <tuple>

#include "experiments/scales.h"

namespace concord::experiments {
namespace {

using testing::HasSubstr;

Values random_values(const Extents& dims, Random& random) {
  std::normal_distribution<float> normal(0, 1);
  Values values(dims);
  for (float& value : values.at) value = normal(random);
  return values;
}

double dot(const Values& a, const Values& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.at.size(); ++i) {
    sum += static_cast<double>(a.at[i]) * static_cast<double>(b.at[i]);
  }
  return sum;
}

// The layer is linear in src: <diff_dst, layer(src)> = <backward_data(diff_dst), src>.
TEST(Layer, GradientOfTheInputIsTheTransposedMap) {
  Backend backend(TEST_PLUGIN);
  Random random(1);
  ContinuousLayer layer(2, 3, 4, random);
  const Sampling where{{2, 3}, {7, 5}, {}};
  const Values src = random_values({2, 2, 8, 9}, random);
  const Values dst = layer.forward(backend, src, where);
  EXPECT_EQ(dst.dims, (Extents{2, 3, 6, 13}));
  const Values diff_dst = random_values(dst.dims, random);
  const Values diff_src = layer.backward_data(backend, src, diff_dst, where);
  EXPECT_NEAR(dot(diff_dst, dst), dot(diff_src, src), 1e-4);
  const Values other = random_values(dst.dims, random);
  EXPECT_GT(std::abs(dot(other, dst) - dot(diff_src, src)), 1e-2) << "the check can fail";
}

// A step along the gradient lowers a loss that is linear in the output.
TEST(Layer, ThetaFollowsItsGradient) {
  Backend backend(TEST_PLUGIN);
  Random random(2);
  ContinuousLayer layer(2, 1, 3, random);
  const Sampling where{{3, 4}, {3, 4}, {}};
  const Values src = random_values({1, 2, 8, 8}, random);
  const Values direction = random_values(layer.forward(backend, src, where).dims, random);
  double before = dot(direction, layer.forward(backend, src, where));
  for (int i = 0; i < 5; ++i) {
    layer.step(layer.backward_weights(backend, src, direction, where), 0.001);
    const double after = dot(direction, layer.forward(backend, src, where));
    EXPECT_LT(after, before);
    before = after;
  }
}

// The weights themselves, at random distances: what a layer makes of an impulse in each channel, on
// grids of random scales. Outputs whose support ends before it are 0.
double kernel_variance(Backend& backend, const ContinuousLayer& layer, Extent channels,
                       Random& random) {
  constexpr Extent kSide = 9;
  Values impulses({channels, channels, kSide, kSide});
  for (Extent c = 0; c < channels; ++c) {
    impulses.at[static_cast<std::size_t>((c * channels + c) * kSide * kSide + kSide * kSide / 2)] =
        1;
  }
  double square = 0;
  int weights = 0;
  for (int i = 0; i < 8; ++i) {
    const Sampling where{float_scale(random), float_scale(random), {}};
    for (const float weight : layer.forward(backend, impulses, where).at) {
      if (weight == 0) continue;
      square += static_cast<double>(weight) * static_cast<double>(weight);
      ++weights;
    }
  }
  return square / weights;
}

TEST(Layer, StartsWithTheVarianceOfAConvolution) {
  Backend backend(TEST_PLUGIN);
  Random random(3);
  for (const KernelFunction function : {KernelFunction::kNet, KernelFunction::kNetK}) {
    for (const auto& [in, out, support] :
         {std::tuple<Extent, Extent, Extent>{32, 32, 3}, {16, 64, 4}, {3, 32, 3}, {8, 16, 3}}) {
      ContinuousLayer layer(in, out, support, random, function);
      const Extent last = in * out * (function == KernelFunction::kNet ? 1 : support * support);
      ASSERT_EQ(layer.theta().size(), 320 + 17 * last);
      // PyTorch's variance of a convolution's weights.
      const double expected = 1 / (3 * static_cast<double>(in * support * support));
      const double variance = kernel_variance(backend, layer, in, random);
      EXPECT_GT(variance, expected / 2) << in << " " << out;
      EXPECT_LT(variance, expected * 2) << in << " " << out;
    }
  }
}

// The efficient net of one input serves all neighbours: its gradients are those of its output, too.
TEST(Layer, OfTheEfficientNetHasItsGradients) {
  Backend backend(TEST_PLUGIN);
  Random random(5);
  ContinuousLayer layer(2, 3, 3, random, KernelFunction::kNetK);
  const Sampling where{{2, 3}, {4, 5}, {}};
  const Values src = random_values({2, 2, 8, 9}, random);
  const Values dst = layer.forward(backend, src, where);
  const Values diff_dst = random_values(dst.dims, random);
  EXPECT_NEAR(dot(diff_dst, dst), dot(layer.backward_data(backend, src, diff_dst, where), src),
              1e-4);
  const Values by_theta = layer.backward_weights(backend, src, diff_dst, where);
  ASSERT_EQ(by_theta.dims, layer.theta().dims);
  // The output is linear in the last layer, matrix and biases.
  const auto last = static_cast<std::size_t>(17 * 2 * 3 * 9);
  double sum = 0;
  for (std::size_t i = by_theta.at.size() - last; i < by_theta.at.size(); ++i) {
    sum += static_cast<double>(by_theta.at[i]) * static_cast<double>(layer.theta().at[i]);
  }
  EXPECT_NEAR(sum, dot(diff_dst, dst), 1e-4);
}

// Two steps by hand: g = 1 then 3, rate 0.1.
TEST(Adam, StepsAsItsPaperSays) {
  Adam adam({0.5});
  adam.step({1}, 0.1);
  EXPECT_NEAR(adam.value()[0], 0.4, 1e-8);
  adam.step({3}, 0.1);
  const double mean = (0.9 * 0.1 + 0.1 * 3) / (1 - 0.81);
  const double square = (0.999 * 0.001 + 0.001 * 9) / (1 - 0.999 * 0.999);
  EXPECT_NEAR(adam.value()[0], 0.4 - 0.1 * mean / std::sqrt(square), 1e-8);
}

// With a gradient of 0, the decayed one is all there is: Adam's first step is the rate against it.
TEST(Adam, DecaysWeightsByAddingThemToTheGradient) {
  Adam adam({0.5, -0.25});
  adam.step({0, 0.25}, 0.1, 0.5);
  EXPECT_NEAR(adam.value()[0], 0.4, 1e-7);
  EXPECT_NEAR(adam.value()[1], -0.35, 1e-7);
  adam.step({0, 1}, 0.1, 0.5);
  const double mean = (0.9 * 0.1 * 0.25 + 0.1 * 0.2) / (1 - 0.81);
  const double square = (0.999 * 0.001 * 0.0625 + 0.001 * 0.04) / (1 - 0.999 * 0.999);
  EXPECT_NEAR(adam.value()[0], 0.4 - 0.1 * mean / std::sqrt(square), 1e-6);
}

TEST(Backend, NamesWhatItCannotLoadOrServe) {
  EXPECT_THROW(
      {
        try {
          Backend backend("nowhere.so");
        } catch (const std::runtime_error& error) {
          EXPECT_THAT(error.what(), HasSubstr("nowhere.so"));
          throw;
        }
      },
      std::runtime_error);
  Backend backend(TEST_PLUGIN);
  Random random(4);
  const ContinuousLayer layer(2, 1, 3, random);
  const Values src({1, 3, 8, 8});  // three channels for a theta of two
  EXPECT_THROW(
      {
        try {
          layer.forward(backend, src, {});
        } catch (const std::runtime_error& error) {
          EXPECT_THAT(error.what(), HasSubstr("src=1x3x8x8"));
          throw;
        }
      },
      std::runtime_error);
}

}  // namespace
}  // namespace concord::experiments
