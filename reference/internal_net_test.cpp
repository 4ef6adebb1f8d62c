// SPDX-License-Identifier: Apache-2.0
#include "reference/internal_net.h"

#include <gtest/gtest.h>

#include <vector>

#include "spec/rational.h"

namespace concord::reference {
namespace {

using Values = std::vector<double>;

// Table 2 of the paper at 32 x 32 channels: 16(2+1) + 16(16+1) + 1024(16+1).
TEST(InternalNet, OfTableTwoHas17728ParametersAt32By32Channels) {
  EXPECT_EQ(parameter_count({.C_final = 1024}), 17728);
  EXPECT_EQ(parameter_count({.C_final = 1}), 337);
  EXPECT_EQ(parameter_count({.C_final = Extent{1} << 60}), std::nullopt);
  EXPECT_EQ(parameter_count({.w1 = -1}), std::nullopt);
}

// Worked by hand: z1 = (1*3 + 2*-1 + 1, -3 + 1 - 1) = (2, -3), a1 = (2, -3/2);
// z2 = 2*2 - 4*1.5 - 1 = -3, a2 = -3/2; out = (-1.5*2 + 5, -1.5*4 - 1).
const InternalNet kNet{.w1 = 2, .w2 = 1, .C_final = 2, .slope = 0.5};
const Values kTheta{1, 2, -1, -1, 1, -1, 2, 4, -1, 2, 4, 5, -1};
const Distance kD{3, -1};

TEST(InternalNet, ReadsThetaAsA1B1A2B2A3B3RowByRow) {
  EXPECT_EQ(parameter_count(kNet), static_cast<Extent>(kTheta.size()));
  EXPECT_EQ(evaluate_net(kNet, kTheta, kD).value, (Values{2, -7}));
}

// By hand: m1 = (6, 5), m2 = 12 + 20 + 1 = 33, magnitudes 66 + 5 and 132 + 1.
TEST(InternalNet, MagnitudesAreThoseOfAllThreeLayers) {
  EXPECT_EQ(evaluate_net(kNet, kTheta, kD).magnitude, (Values{71, 133}));
}

// By hand: m1 = 2 (6, 5), m2 = 2 (2*12 + 4*10 + 1) = 130.
TEST(InternalNet, ASlopeAboveOneStretchesTheMagnitudes) {
  InternalNet net = kNet;
  net.slope = -2;
  EXPECT_EQ(evaluate_net(net, kTheta, kD).magnitude, (Values{265, 521}));
}

// By hand for G = (1, 1): A3 a2 = -3/2 each, b3 1; A3^T G = 6, g2 = 3; A2 g2 a1 = (6, -9/2), b2 3;
// A2^T g2 = (6, 12), g1 = (6, 6); A1 rows (18, -6), b1 6; d = (6 - 6, 12 - 6).
TEST(InternalNet, BackpropagatesAsWorkedByHand) {
  Values gradient(kTheta.size(), 0.0);
  const Distance d = backpropagate_net(kNet, kTheta, kD, Values{1, 1}, gradient);
  EXPECT_EQ(gradient, (Values{18, -6, 18, -6, 6, 6, 6, -4.5, 3, -1.5, -1.5, 1, 1}));
  EXPECT_EQ(d, (Distance{0, 6}));
}

TEST(InternalNet, AtItsKinkTheDerivativeIsTheSlope) {
  const InternalNet net{.w1 = 1, .w2 = 1, .C_final = 1, .slope = 0.25};
  const Values theta{1, 1, 0, 1, 0, 1, 0};
  Values gradient(theta.size(), 0.0);
  EXPECT_EQ(backpropagate_net(net, theta, {0, 0}, Values{1}, gradient),
            (Distance{1. / 16, 1. / 16}));
}

TEST(KeysCubic, InterpolatesAndHasTheValuesOfItsTwoPieces) {
  EXPECT_EQ(keys_cubic(0.0), 1);
  for (const double d : {-3.0, -2.0, -1.0, 1.0, 2.0, 2.5}) EXPECT_EQ(keys_cubic(d), 0) << d;
  EXPECT_EQ(keys_cubic(Rational(1, 2)), Rational(9, 16));
  EXPECT_EQ(keys_cubic(Rational(-3, 2)), Rational(-1, 16));
  EXPECT_EQ(keys_cubic(-1.5), -1. / 16);
}

TEST(KeysCubic, ItsSlopeIsTheQuotientOfItsDifferences) {
  for (double d = -2.4375; d < 2.5; d += 0.125) {
    const double h = 1. / 1024;
    EXPECT_NEAR((keys_cubic(d + h) - keys_cubic(d - h)) / (2 * h), keys_slope(d), 2 * h * h) << d;
  }
}

TEST(KeysCubic, ItsMagnitudeIsTheSumOfItsTermsMagnitudes) {
  EXPECT_EQ(keys_magnitude(-1), 5);
  EXPECT_EQ(keys_magnitude(1.5), 0.5 * 3.375 + 2.5 * 2.25 + 4 * 1.5 + 2);
  EXPECT_EQ(keys_magnitude(2), 0);
}

}  // namespace
}  // namespace concord::reference
