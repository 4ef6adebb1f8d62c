// SPDX-License-Identifier: Apache-2.0
// Legal adversaries of what a bound adds for underflow and for the demotion of small inputs, which
// the search of concord power does not draw. docs/numerics.md#search-for-legal-sums-beyond-a-bound
// has the shares.
#include "conformance/judge/error_bound.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "conformance/arithmetic/arithmetic.h"
#include "conformance/judge/judge.h"
#include "spec/rounding.h"

namespace concord::conformance {
namespace {

constexpr Extent kProducts = 9;

// Of the bound of `products` equal ones x w without a bias, what a library is off by that gives 0.
double share_of_zero(const char* declared, Extent products, double x, double w) {
  const auto n = static_cast<double>(products);
  const ErrorBound bound = error_bound(Dtype::kF32, *parse_arithmetic(declared), products,
                                       {false, std::fabs(x) + std::fabs(w)});
  return n * std::fabs(x * w) / bound.of(n * std::fabs(x * w));
}

// Each product is just below the least normal number, and is flushed.
TEST(ErrorBound, IsReachedWithinAFactorOfThreeByProductsThatAreFlushed) {
  const double least = format_of(Dtype::kF32).normal();
  const double share = share_of_zero("flush", kProducts, least * (1 - 0x1p-20), 1);
  EXPECT_LE(share, 1);
  EXPECT_GT(share, 0.49);
}

// Each is half of the smallest number, a tie that goes to 0.
TEST(ErrorBound, IsReachedWithinAFactorOfThreeByProductsThatUnderflow) {
  const double smallest = format_of(Dtype::kF32).smallest();
  const double share = share_of_zero("strict", kProducts, smallest, 0.5);
  EXPECT_LE(share, 1);
  EXPECT_GT(share, 0.49);
}

// The input is subnormal, and flushed before it is multiplied by a large one.
TEST(ErrorBound, IsReachedWithinAFactorOfThreeByInputsThatAreFlushed) {
  const double least = format_of(Dtype::kF32).normal();
  for (const char* declared : {"tf32,flush", "bf16,flush", "bf16x3,flush"}) {
    const double share = share_of_zero(declared, 1, least * (1 - 0x1p-20), 0x1p60);
    EXPECT_LE(share, 1) << declared;
    EXPECT_GT(share, 0.45) << declared;
  }
}

// A chain that begins with its largest term and cuts off all others.
TEST(ErrorBound, IsReachedByAChainOfAnyLength) {
  const concord_arithmetic zero = *parse_arithmetic("accumulator_rounding=zero");
  for (const Extent n : {2, 9, 100, 2304, 65536, 131072}) {
    const double each = 0x1p-23 * (1 - 0x1p-20);  // below the last bit of 1
    double sum = 1;
    for (Extent i = 1; i < n; ++i) sum = round_to(Dtype::kF32, sum + each, Rounding::kZero);
    const double lost = static_cast<double>(n - 1) * each, exact = 1 + lost;
    const double share = (exact - sum) / error_bound(Dtype::kF32, zero, n, {false, 2}).of(exact);
    EXPECT_LE(share, 1) << n;
    EXPECT_GT(share, 0.96 * static_cast<double>(n - 1) / static_cast<double>(n)) << n;
  }
}

// The same in f64, where the exact sum takes more bits than that.
TEST(ErrorBound, IsReachedByAChainInF64) {
  const concord_arithmetic zero = *parse_arithmetic("accumulator_rounding=zero");
  for (const Extent n : {2, 9, 2304}) {
    const double each = 0x1p-52 * (1 - 0x1p-20);
    double sum = 1;
    for (Extent i = 1; i < n; ++i) {
      const double next = sum + each;  // a tie is as far, and rounds to even
      sum = next - sum > each ? std::nextafter(next, 0.0) : next;
    }
    const double lost = static_cast<double>(n - 1) * each;
    const double share =
        (1 - sum + lost) / error_bound(Dtype::kF64, zero, n, {false, 2}).of(1 + lost);
    EXPECT_EQ(sum, 1) << n;
    EXPECT_LE(share, 1) << n;
    EXPECT_GT(share, 0.96 * static_cast<double>(n - 1) / static_cast<double>(n)) << n;
  }
}

// Two layers of such chains, and a store between them that cuts off almost a step.
TEST(ErrorBound, IsReachedByAChainOfLayers) {
  const concord_arithmetic zero =
      *parse_arithmetic("accumulator_rounding=zero,output_rounding=zero");
  constexpr Extent kOfLayer = 100;
  constexpr double kEach = 0x1p-23 * (1 - 0x1p-20);
  const auto layer = [](double largest) {
    double sum = largest;
    for (Extent i = 1; i < kOfLayer; ++i) {
      sum = round_to(Dtype::kF32, sum + kEach, Rounding::kZero);
    }
    return sum;
  };
  for (const Dtype dtype : {Dtype::kF32, Dtype::kBF16}) {
    const double step = std::ldexp(1.0, 1 - format_of(dtype).significand_bits);
    const double first = dtype == Dtype::kF32 ? 1 : 1 + step * (1 - 0x1p-10);
    const double got = layer(round_to(dtype, layer(first), Rounding::kZero));
    const double exact = first + 2 * static_cast<double>(kOfLayer - 1) * kEach;
    const ErrorBound bound =
        with_stores(error_bound(dtype, zero, 2 * kOfLayer, {false, 2}), dtype, zero, 1);
    const double share = (exact - got) / bound.of(exact);
    EXPECT_LE(share, 1) << to_string(dtype);
    EXPECT_GT(share, 0.94) << to_string(dtype);
  }
}

// A sum toward zero that stops at the largest number L, before N is subtracted.
TEST(ErrorBound, IsReachedByASumThatStopsAtTheLargestNumber) {
  const concord_arithmetic zero = *parse_arithmetic("accumulator_rounding=zero");
  const double L = format_of(Dtype::kF32).largest(), N = L / 2;
  const std::vector<double> want{2 * L - N}, magnitude{2 * L + N};
  const auto judged = [&](double got) {
    return judge_interval(Dtype::kF32, zero, 3, std::vector<double>{got}, want, magnitude);
  };
  const Finding finding = judged(round_to(Dtype::kF32, L - N, Rounding::kZero));
  EXPECT_TRUE(finding.passed());
  EXPECT_GT(finding.margin, 0.999);
  EXPECT_FALSE(judged(round_to(Dtype::kF32, (L - N) * 0.999, Rounding::kZero)).passed());
}

}  // namespace
}  // namespace concord::conformance
