// SPDX-License-Identifier: Apache-2.0
// The gradients of the continuous layer against differences of its value. In any one input or
// parameter the loss is piecewise linear, so that a difference is exact up to rounding unless a
// kink of the LeakyReLU is within it, which the two one-sided differences would show.
#include <gtest/gtest.h>

#include <functional>

#include "reference/continuous_example.h"
#include "spec/grid.h"

namespace concord::reference {
namespace {

using Values = std::vector<double>;
using Loss = std::function<double()>;

constexpr double kStep = 1e-5;
// Losses are below 100 here: their roundings, some 1e-14, over the step.
constexpr double kRounding = 1e-8;

double dot(const Values& a, const Values& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// The derivative of `loss` in `variable`; fails the test at a kink.
double difference(double& variable, const Loss& loss, double curvature = 0) {
  const double here = variable;
  const double middle = loss();
  variable = here + kStep;
  const double right = (loss() - middle) / kStep;
  variable = here - kStep;
  const double left = (middle - loss()) / kStep;
  variable = here;
  EXPECT_NEAR(left, right, kRounding + curvature * kStep) << "a kink";
  return (left + right) / 2;
}

// Every function, ties policy and boundary; no axis like another.
std::vector<ContinuousAttributes> layers() {
  std::vector<ContinuousAttributes> all;
  for (const KernelFunction function :
       {KernelFunction::kNet, KernelFunction::kNetK, KernelFunction::kKeys,
        KernelFunction::kNetKNearest, KernelFunction::kNetKGrid}) {
    for (const Ties ties : {Ties::kHalfOpen, Ties::kOpen, Ties::kClosed}) {
      for (const Boundary boundary :
           {Boundary::kZero, Boundary::kReplicate, Boundary::kReflect, Boundary::kSymmetric}) {
        all.push_back({.scale_h = {3, 5},
                       .scale_w = {1, 2},
                       .kernel = {3, 2},
                       .channels = 2,
                       .function = function,
                       .widths = {3, 4},
                       .ties = ties,
                       .boundary = boundary});
      }
    }
  }
  return all;
}
const Extents kDims{2, 3, 4, 5};

Values delta_for(const ContinuousGeometry& g) {
  return random_values(g.N * g.Cout * g.vertical.out * g.horizontal.out, 3);
}

TEST(Gradient, OfTheInputIsTheDifferenceOfTheLoss) {
  for (const ContinuousAttributes& a : layers()) {
    ContinuousExample example(kDims, a);
    const Values delta = delta_for(example.geometry);
    const Loss loss = [&] { return dot(example.output(), delta); };
    const auto gradients =
        continuous_gradients(example.geometry, example.src, example.theta, delta);
    for (std::size_t i = 0; i < example.src.size(); i += 7) {
      EXPECT_NEAR(gradients.src.value[i], difference(example.src[i], loss), kRounding) << i;
    }
  }
}

TEST(Gradient, OfThetaIsTheDifferenceOfTheLossAwayFromKinks) {
  for (const ContinuousAttributes& a : layers()) {
    ContinuousExample example(kDims, a);
    const Values delta = delta_for(example.geometry);
    const Loss loss = [&] { return dot(example.output(), delta); };
    const auto gradients =
        continuous_gradients(example.geometry, example.src, example.theta, delta);
    ASSERT_EQ(gradients.theta.value.size(), example.theta.size());
    for (std::size_t i = 0; i < example.theta.size(); i += i < 25 ? 1 : 5) {
      EXPECT_NEAR(gradients.theta.value[i], difference(example.theta[i], loss), kRounding) << i;
    }
  }
}

// All distances of an output move with its grid point, the neighbours stay.
TEST(Gradient, OfTheGridIsTheDifferenceOfTheLossWithNeighboursHeldFixed) {
  for (const ContinuousAttributes& a : layers()) {
    const ContinuousExample example(kDims, a);
    const ContinuousGeometry& g = example.geometry;
    const Values delta = delta_for(g);
    const Values d = distances(g);
    const Grid<4> d_grid{{g.inputs(), 2, g.vertical.out, g.horizontal.out}};
    const auto gradients = continuous_gradients(g, example.src, example.theta, delta);
    for (const auto [axis, i, j] : Grid<3>{{2, g.vertical.out, g.horizontal.out}}) {
      double shift = 0;
      const Loss loss = [&, axis = axis, i = i, j = j] {
        Values moved = d;
        for (Extent k = 0; k < g.inputs(); ++k) moved[d_grid.offset({k, axis, i, j})] += shift;
        const Oracle weights = continuous_weights(g, example.theta, moved);
        return dot(apply_weights(g, example.src, weights).value, delta);
      };
      // The second derivative of a cubic of Keys is at most 5; some 100 products share a point.
      const double curvature = g.function == KernelFunction::kKeys ? 500 : 0;
      const Grid<3> grid{{2, g.vertical.out, g.horizontal.out}};
      EXPECT_NEAR(gradients.grid.value[grid.offset({axis, i, j})],
                  difference(shift, loss, curvature), kRounding + curvature * kStep);
    }
  }
}

TEST(Gradient, OfTheWeightsIsTheDifferenceOfTheLoss) {
  for (const ContinuousAttributes& a : layers()) {
    const ContinuousExample example(kDims, a);
    const ContinuousGeometry& g = example.geometry;
    const Values delta = delta_for(g);
    Oracle weights = continuous_weights(g, example.theta, distances(g));
    const Loss loss = [&] { return dot(apply_weights(g, example.src, weights).value, delta); };
    const auto gradients = continuous_gradients(g, example.src, example.theta, delta);
    for (std::size_t i = 0; i < weights.value.size(); i += 11) {
      EXPECT_NEAR(gradients.weights.value[i], difference(weights.value[i], loss), kRounding) << i;
    }
  }
}

// Section 5.7 by hand: one row 1 2 of a box kernel of 2 at scale 1, half-open, replicated. Output 0
// reads pixels -1 -> 0 and 0, output 1 pixels 0 and 1; delta is 10, 100.
TEST(Gradient, AtARepeatingBoundaryGoesToThePixelThatStandsThere) {
  ContinuousExample example({1, 1, 1, 2}, {.kernel = {1, 2}, .boundary = Boundary::kReplicate});
  example.theta.assign(example.theta.size(), 0.0);
  example.theta.back() = 1;
  const Values delta{10, 100};
  const auto replicated =
      continuous_gradients(example.geometry, Values{1, 2}, example.theta, delta);
  EXPECT_EQ(replicated.src.value, (Values{120, 100}));
  EXPECT_EQ(replicated.weights.value, (Values{10, 100, 10, 200}));
  EXPECT_EQ(replicated.theta.value.back(), 320);

  example.geometry.horizontal.boundary = Boundary::kZero;
  const auto dropped = continuous_gradients(example.geometry, Values{1, 2}, example.theta, delta);
  EXPECT_EQ(dropped.src.value, (Values{110, 100}));
  EXPECT_EQ(dropped.weights.value, (Values{0, 100, 10, 200}));
}

}  // namespace
}  // namespace concord::reference
