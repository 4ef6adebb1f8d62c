// SPDX-License-Identifier: Apache-2.0
#include "experiments/layer.h"

#include <gmock/gmock.h>

#include <cmath>
#include <stdexcept>

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

TEST(Layer, StartsWithTheVarianceOfAConvolution) {
  Random random(3);
  ContinuousLayer layer(32, 32, 3, random);
  const auto& theta = layer.theta().at;
  ASSERT_EQ(theta.size(), 320U + 17U * 1024U);
  double square = 0;
  for (std::size_t i = theta.size() - 1024; i < theta.size(); ++i) {
    square += static_cast<double>(theta[i]) * static_cast<double>(theta[i]);
  }
  // The variance of 1024 normal numbers deviates by sqrt(2/1024): 4.4 %, of which five are allowed.
  EXPECT_NEAR(square / 1024 * 3 * 32 * 9, 1, 0.22);
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
