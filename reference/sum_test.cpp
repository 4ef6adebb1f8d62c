// SPDX-License-Identifier: Apache-2.0
// Sums of f64 against integers of 128 bits, which have every product and sum.
#include "reference/sum.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace concord::reference {
namespace {

__extension__ typedef __int128 Wide;

constexpr int kPoint = 104;  // bits behind the point of a product

Wide fixed(double value) {
  int exponent = 0;
  const double significand = std::frexp(value, &exponent);
  const auto bits = static_cast<Wide>(std::ldexp(significand, 53));
  const int shift = exponent - 53 + kPoint;
  EXPECT_TRUE(shift >= 0 || bits % (Wide{1} << -shift) == 0) << value;
  return shift >= 0 ? bits * (Wide{1} << shift) : bits / (Wide{1} << -shift);
}

double real(Wide fixed_point) { return std::ldexp(static_cast<double>(fixed_point), -kPoint); }

// In [-1, 1), of all 53 bits.
double draw(std::mt19937_64& random) {
  return static_cast<double>(static_cast<std::int64_t>(random()) >> 11) * 0x1p-52;
}

struct Checked {
  double error, plain_error;  ///< of the oracle and of a plain sum, relative to the magnitude
  double low, value;
};

Checked check(int products, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Sum sum;
  Wide exact = 0;
  for (int i = 0; i < products; ++i) {
    const double x = draw(random), w = draw(random);
    sum.add_product(x, w);
    exact += (fixed(x) >> 52) * (fixed(w) >> 52);
  }
  const double plain = sum.value;
  Oracle oracle;
  sum.append_to(oracle);
  oracle = oracle_of(Dtype::kF64, oracle);
  const double value = oracle.value[0], low = oracle.low[0];
  return {std::fabs(real(exact - fixed(value) - fixed(low))) / sum.magnitude,
          std::fabs(real(exact - fixed(plain))) / sum.magnitude, low, value};
}

// docs/numerics.md#f64
TEST(Sum, OfF64IsWithinItsBoundOfTheExactSum) {
  double most_plain = 0;
  for (const int products : {1, 2, 3, 9, 100, 2304}) {
    const double twice = 2 * (products + 2) * 0x1p-53;
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
      const Checked sum = check(products, seed);
      EXPECT_LE(sum.error, twice * twice * 1.001) << products << " products, seed " << seed;
      EXPECT_LE(std::fabs(sum.low), std::fabs(sum.value) * 0x1p-53);
      most_plain = std::max(most_plain, sum.plain_error);
    }
  }
  // Without the low part the bound would not hold.
  EXPECT_GT(most_plain, 0x1p-56);
}

TEST(Sum, OfOtherDtypesIsThePlainOne) {
  Sum sum;
  sum.add_product(1 + 0x1p-52, 1 + 0x1p-52);
  Oracle oracle;
  sum.append_to(oracle);
  EXPECT_EQ(oracle_of(Dtype::kF32, oracle).value[0], 1 + 0x1p-51);
  EXPECT_TRUE(oracle_of(Dtype::kF32, oracle).low.empty());
  EXPECT_EQ(oracle_of(Dtype::kF64, oracle).low[0], 0x1p-104);
}

TEST(Sum, ThatCancelsKeepsWhatIsLeft) {
  Sum sum;
  for (const double term : {0x1p60, 1.0, -0x1p60}) sum.add(term);
  EXPECT_EQ(sum.value, 0);
  Oracle oracle;
  sum.append_to(oracle);
  EXPECT_EQ(oracle_of(Dtype::kF64, oracle).value[0], 1);
}

TEST(Sum, OfNanAndInfinityHasNoLowPart) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const double special : {kInfinity, -kInfinity, std::nan(""), 0x1p1023}) {
    Sum sum;
    sum.add_product(0.1, 0.1);
    sum.add_product(special, 4);
    Oracle oracle;
    sum.append_to(oracle);
    oracle = oracle_of(Dtype::kF64, oracle);
    const double want = special * 4;
    EXPECT_TRUE(oracle.value[0] == want || std::isnan(want)) << special;
    EXPECT_EQ(std::isnan(oracle.value[0]), std::isnan(want));
    EXPECT_EQ(oracle.low[0], 0);
  }
}

TEST(Sum, OfProductsThatVanishHasAScale) {
  Sum sum;
  sum.add_product(0x1p-600, 0x1p-600);
  EXPECT_EQ(sum.value, 0);
  EXPECT_GT(sum.magnitude, 0);
  Sum of_zeros;
  of_zeros.add_product(0, 0x1p-600);
  EXPECT_EQ(of_zeros.magnitude, 0);
}

}  // namespace
}  // namespace concord::reference
