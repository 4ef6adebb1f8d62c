// SPDX-License-Identifier: Apache-2.0
// Legal adversaries of what a bound adds for underflow and for the demotion of small inputs, which
// the search of concord power does not draw. docs/numerics.md#search-for-legal-sums-beyond-a-bound
// has the shares.
#include "conformance/judge/error_bound.h"

#include <gtest/gtest.h>

#include <cmath>

#include "conformance/arithmetic/arithmetic.h"
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

}  // namespace
}  // namespace concord::conformance
