// SPDX-License-Identifier: Apache-2.0
#include "experiments/passes.h"

#include <gtest/gtest.h>

#include <cmath>

namespace concord::experiments {
namespace {

void expect_near(const Values& a, const Values& b, double tolerance) {
  ASSERT_EQ(a.dims, b.dims);
  double square = 0, difference = 0;
  for (std::size_t i = 0; i < a.at.size(); ++i) {
    const double x = static_cast<double>(a.at[i]), y = static_cast<double>(b.at[i]);
    square += x * x;
    difference += (x - y) * (x - y);
  }
  EXPECT_GT(square, 0);
  EXPECT_LT(std::sqrt(difference / square), tolerance);
}

// f32 sums of some hundred terms in another order.
constexpr double kTolerance = 1e-4;

TEST(StandardPass, ComputesTheLayerAndItsGradients) {
  Backend backend(TEST_PLUGIN);
  for (const Rational& scale : {Rational(2, 3), Rational(1), Rational(7, 5)}) {
    const PassShape shape{{2, 3, 7, 9}, 4, 3};
    const Sampling where{scale, scale, {}};
    Random one(1), same(1), other(2), any(3);
    const Values src = random_values(shape.src, any);
    const auto standard = standard_pass(shape, where, one);
    const auto layer = layer_pass(backend, shape, where, same);
    standard->forward(src);
    layer->forward(src);
    expect_near(standard->output(), layer->output(), kTolerance);
    const Values delta = random_values(layer->output().dims, any);
    expect_near(standard->backward(src, delta), layer->backward(src, delta), kTolerance);
    expect_near(standard->parameter_gradient(), layer->parameter_gradient(), kTolerance);
    const auto different = standard_pass(shape, where, other);
    different->forward(src);
    EXPECT_NE(different->output().at, standard->output().at);
  }
}

double product(const Values& a, const Values& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.at.size(); ++i) {
    sum += static_cast<double>(a.at[i]) * static_cast<double>(b.at[i]);
  }
  return sum;
}

// <delta, y> is linear in src and in the weights, so that it equals each one's product with its
// gradient.
TEST(ConvolutionPass, GradientsAreThoseOfItsOutput) {
  Backend backend(TEST_PLUGIN);
  for (const Extent stride : {1, 2}) {
    for (const auto& [kernel, pad] : {std::pair<Extent, Extent>{3, 1}, {4, 1}, {1, 0}}) {
      if (stride == 2 && kernel == 1) continue;  // the last row and column would have no part
      Random random(3);
      const PassShape shape{{2, 3, 8, 10}, 4, kernel};
      const Values src = random_values(shape.src, random);
      const auto pass = convolution_pass(backend, shape, {stride, pad}, random);
      pass->forward(src);
      const Values delta = random_values(pass->output().dims, random);
      const Values src_gradient = pass->backward(src, delta);
      ASSERT_EQ(src_gradient.dims, src.dims);
      ASSERT_EQ(pass->parameter_gradient().dims, pass->parameters().dims);
      const double expected = product(delta, pass->output());
      const double size =
          std::sqrt(product(pass->output(), pass->output()) * product(delta, delta));
      EXPECT_NEAR(product(src_gradient, src), expected, size * kTolerance);
      EXPECT_NEAR(product(pass->parameter_gradient(), pass->parameters()), expected,
                  size * kTolerance);
    }
  }
}

// <delta, y> is linear in the input of the first layer and in the parameters of each convolution.
TEST(Chain, LayersReadTheOneBeforeAndDeltaRunsBack) {
  Backend backend(TEST_PLUGIN);
  Random random(5);
  Chain chain(random_values({2, 3, 8, 10}, random));
  chain.append(convolution_pass(backend, {chain.output().dims, 4, 3}, {}, random));
  chain.append(layer_pass(backend, {chain.output().dims, 5, 3}, {{2, 3}, {3, 4}, {}}, random));
  chain.append(convolution_pass(backend, {chain.output().dims, 2, 4}, {2, 1}, random));
  EXPECT_EQ(chain.output().dims, (Extents{2, 2, 3, 4}));
  const Values delta = random_values(chain.output().dims, random);
  const Values src_gradient = chain.backward(delta);
  const double expected = product(delta, chain.output());
  const double size = std::sqrt(product(chain.output(), chain.output()) * product(delta, delta));
  EXPECT_NEAR(product(src_gradient, chain.input()), expected, size * kTolerance);
  for (const std::size_t i : {0U, 2U}) {
    const Pass& layer = *chain.layers()[i];
    EXPECT_NEAR(product(layer.parameter_gradient(), layer.parameters()), expected,
                size * kTolerance)
        << i;
  }
  const Values before = chain.output();
  chain.forward();
  EXPECT_EQ(chain.output().at, before.at);
}

TEST(Chain, KeepsEveryActivationAndTheLargestWorkspace) {
  Backend backend(TEST_PLUGIN);
  Random random(6);
  const PassShape wide{{1, 2, 16, 16}, 8, 3}, narrow{{1, 8, 16, 16}, 4, 3};
  Chain one(random_values(wide.src, random)), two(one.input());
  one.append(standard_pass(wide, {}, random));
  two.append(standard_pass(wide, {}, random));
  two.append(standard_pass(narrow, {}, random));
  const Cost cost_of_one = cost_of(one, 1), cost_of_two = cost_of(two, 1);
  constexpr double kMebi = 1 << 20;
  EXPECT_DOUBLE_EQ(cost_of_one.activation_mebibytes, (2 + 8) * 256 * 4 / kMebi);
  EXPECT_DOUBLE_EQ(cost_of_two.activation_mebibytes, (2 + 8 + 4) * 256 * 4 / kMebi);
  // Of the narrow layer's pairs and neighbours; it has the larger workspace.
  const double workspace = (32 + 8) * 9 * 256 * 4;
  EXPECT_DOUBLE_EQ(cost_of_two.mebibytes * kMebi,
                   standard_bytes(wide, {}) - (16 + 2) * 9 * 256 * 4 + standard_bytes(narrow, {}));
  EXPECT_EQ(two.layers()[1]->workspace_bytes(), workspace);
}

TEST(Cost, CountsWhatTheStandardWayForms) {
  Backend backend(TEST_PLUGIN);
  const PassShape shape{{1, 8, 16, 16}, 8, 3};
  Random random(4);
  Chain standard(random_values(shape.src, random)), plain(standard.input());
  standard.append(standard_pass(shape, {}, random));
  plain.append(convolution_pass(backend, shape, {}, random));
  const Cost formed = cost_of(standard, 1), without = cost_of(plain, 1);
  EXPECT_GT(formed.mebibytes, 3 * 8 * 8 * 9 * 256 * 4.0 / (1 << 20)) << "weights and product";
  EXPECT_DOUBLE_EQ(formed.mebibytes * (1 << 20), standard_bytes(shape, {}));
  const Sampling down{{2, 3}, {3, 4}, {}};
  const auto other = standard_pass({{3, 2, 7, 9}, 5, 4}, down, random);
  other->forward(random_values({3, 2, 7, 9}, random));
  EXPECT_DOUBLE_EQ(other->kept_bytes() + other->workspace_bytes(),
                   standard_bytes({{3, 2, 7, 9}, 5, 4}, down));
  EXPECT_LT(without.mebibytes, formed.mebibytes);
  EXPECT_GT(formed.forward, 0);
  EXPECT_GT(formed.backward, 0);
}

}  // namespace
}  // namespace concord::experiments
