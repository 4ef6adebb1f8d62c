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
    Random one(1), same(1), other(2);
    const auto standard = standard_pass(shape, where, one);
    const auto layer = layer_pass(backend, shape, where, same);
    standard->forward();
    standard->backward();
    layer->forward();
    layer->backward();
    expect_near(standard->output(), layer->output(), kTolerance);
    expect_near(standard->input_gradient(), layer->input_gradient(), kTolerance);
    expect_near(standard->parameter_gradient(), layer->parameter_gradient(), kTolerance);
    EXPECT_NE(standard_pass(shape, where, other)->output().at, standard->output().at);
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
      const auto pass =
          convolution_pass(backend, {{2, 3, 8, 10}, 4, kernel}, {stride, pad}, random);
      pass->forward();
      pass->backward();
      ASSERT_EQ(pass->input_gradient().dims, pass->input().dims);
      ASSERT_EQ(pass->parameter_gradient().dims, pass->parameters().dims);
      const double expected = product(pass->output_gradient(), pass->output());
      const double size = std::sqrt(product(pass->output(), pass->output()) *
                                    product(pass->output_gradient(), pass->output_gradient()));
      EXPECT_NEAR(product(pass->input_gradient(), pass->input()), expected, size * kTolerance);
      EXPECT_NEAR(product(pass->parameter_gradient(), pass->parameters()), expected,
                  size * kTolerance);
    }
  }
}

TEST(Cost, CountsWhatTheStandardWayForms) {
  Backend backend(TEST_PLUGIN);
  const PassShape shape{{1, 8, 16, 16}, 8, 3};
  Random random(4);
  std::vector<std::unique_ptr<Pass>> standard, plain;
  standard.push_back(standard_pass(shape, {}, random));
  plain.push_back(convolution_pass(backend, shape, {}, random));
  const Cost formed = cost_of(standard, 1), without = cost_of(plain, 1);
  EXPECT_GT(formed.mebibytes, 3 * 8 * 8 * 9 * 256 * 4.0 / (1 << 20)) << "weights and product";
  EXPECT_DOUBLE_EQ(formed.mebibytes * (1 << 20), standard_bytes(shape, {}));
  const Sampling down{{2, 3}, {3, 4}, {}};
  EXPECT_DOUBLE_EQ(standard_pass({{3, 2, 7, 9}, 5, 4}, down, random)->peak_bytes(),
                   standard_bytes({{3, 2, 7, 9}, 5, 4}, down));
  EXPECT_LT(without.mebibytes, formed.mebibytes);
  EXPECT_GT(formed.forward, 0);
  EXPECT_GT(formed.backward, 0);
}

}  // namespace
}  // namespace concord::experiments
