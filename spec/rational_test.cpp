// SPDX-License-Identifier: Apache-2.0
#include "spec/rational.h"

#include <gtest/gtest.h>

#include <cmath>

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
  for (const char* text : {"",
                           "/",
                           "1/",
                           "/2",
                           "1/0",
                           "1/-2",
                           "a",
                           "1.",
                           ".",
                           "1.-5",
                           "1.2.3",
                           "x1",
                           "0x",
                           "0x-1",
                           "0x1p-80",
                           "0x1p63",
                           "0xinf",
                           "0x1.8p",
                           "1/2/3",
                           "9223372036854775808",
                           "-9223372036854775808",
                           "0.00000000000000000001"}) {
    EXPECT_FALSE(parse_rational(text)) << text;
  }
}

TEST(Rational, IsADoubleExactlyOrNothing) {
  EXPECT_EQ(parse_rational("0x1.8p-1"), Rational(3, 4));
  EXPECT_EQ(parse_rational("-0x1.4p+3"), Rational(-10));
  EXPECT_EQ(parse_rational("0x0p+0"), Rational(0));
  EXPECT_EQ(rational_of(0.1), Rational(3602879701896397, Extent{1} << 55));
  EXPECT_EQ(rational_of(std::sqrt(0.5)), parse_rational("0x1.6a09e667f3bcdp-1"));
  for (const double value : {1.0 / 3, 0x1.fffffffffffffp-10, 0x1.fffffffffffffp62, -2.5}) {
    EXPECT_EQ(rational_of(value).value().to_double(), value);
  }
  for (const double value : {0x1p63, 0x1.fffffffffffffp-11, 1e-300, HUGE_VAL, std::nan("")}) {
    EXPECT_FALSE(rational_of(value)) << value;
  }
}

// What grid points of such scales come to.
TEST(Rational, HasResultsOf128Bits) {
  const Rational s(Extent{6369051672525773}, Extent{1} << 53);
  const Rational g = Rational(Extent{1} << 40) / s;
  EXPECT_EQ(g * s, Rational(Extent{1} << 40));
  EXPECT_LT(g - Rational(1), g);
  EXPECT_GT(g, Rational(Extent{1} << 40));
  EXPECT_EQ(to_string(Rational(INT64_MAX) + Rational(1)), "9223372036854775808");
  EXPECT_EQ(to_string(Rational(-INT64_MAX, 3) - Rational(Extent{1} << 62)),
            "-23058430092136939519/3");
}

TEST(RationalDeathTest, OverflowAbortsInsteadOfWrapping) {
  EXPECT_DEATH((void)(Rational(INT64_MAX) + Rational(1)).numerator(), "beyond 64 bits");
  Rational large(INT64_MAX);
  large = large * large;
  EXPECT_DEATH((void)(large * large), "beyond 128 bits");
}

}  // namespace
}  // namespace concord
