// SPDX-License-Identifier: Apache-2.0
#include "spec/rational.h"

#include <gtest/gtest.h>

namespace concord {
namespace {

TEST(Rational, IsAlwaysInLowestTermsWithAPositiveDenominator) {
  EXPECT_EQ(Rational(6, -4), Rational(-3, 2));
  EXPECT_EQ(Rational(6, -4).numerator(), -3);
  EXPECT_EQ(Rational(0, -7), Rational(0));
}

// All fractions with small parts, against cross-multiplied integers.
TEST(Rational, ArithmeticAndOrderAgreeWithIntegersOverACommonDenominator) {
  for (Extent a = -6; a <= 6; ++a) {
    for (Extent b = 1; b <= 6; ++b) {
      for (Extent c = -6; c <= 6; ++c) {
        for (Extent d = 1; d <= 6; ++d) {
          const Rational x(a, b), y(c, d);
          EXPECT_EQ(x + y, Rational(a * d + c * b, b * d));
          EXPECT_EQ(x - y, Rational(a * d - c * b, b * d));
          EXPECT_EQ(x * y, Rational(a * c, b * d));
          if (c != 0) {
            EXPECT_EQ(x / y, Rational(a * d, b * c));
          }
          EXPECT_EQ(x < y, a * d < c * b);
          EXPECT_EQ(x == y, a * d == c * b);
        }
      }
    }
  }
}

TEST(Rational, FloorAndCeilRoundTowardTheirInfinities) {
  EXPECT_EQ(Rational(7, 2).floor(), 3);
  EXPECT_EQ(Rational(7, 2).ceil(), 4);
  EXPECT_EQ(Rational(-7, 2).floor(), -4);
  EXPECT_EQ(Rational(-7, 2).ceil(), -3);
  EXPECT_EQ(Rational(-4).floor(), -4);
  EXPECT_EQ(Rational(-4).ceil(), -4);
}

TEST(Rational, TextComesBackAsItWas) {
  for (const char* text : {"2/3", "-2/3", "0", "7", "-12/5"}) {
    EXPECT_EQ(to_string(parse_rational(text).value()), text);
  }
  EXPECT_EQ(parse_rational("0.35"), Rational(7, 20));
  EXPECT_EQ(parse_rational("-1.50"), Rational(-3, 2));
  EXPECT_EQ(parse_rational("4/6"), Rational(2, 3));
}

TEST(Rational, RefusesTextThatIsNoNumberOrDoesNotFit) {
  for (const char* text :
       {"", "/", "1/", "/2", "1/0", "1/-2", "a", "1.", ".", "1.-5", "1.2.3", "0x1", "1/2/3",
        "9223372036854775808", "-9223372036854775808", "0.00000000000000000001"}) {
    EXPECT_FALSE(parse_rational(text)) << text;
  }
}

TEST(RationalDeathTest, OverflowAbortsInsteadOfWrapping) {
  EXPECT_DEATH(Rational(INT64_MAX) + Rational(1), "beyond 64 bits");
}

}  // namespace
}  // namespace concord
