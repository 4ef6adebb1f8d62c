// SPDX-License-Identifier: Apache-2.0
// The bound of a chain whose layers are stored in the dtype: docs/numerics.md#composed-operations.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "conformance/arithmetic/arithmetic.h"
#include "conformance/judge/error_bound.h"
#include "spec/rounding.h"

namespace concord::conformance {
namespace {

constexpr int kLayers = 4;

// The largest error, relative to the exact result, of chains of one product a layer, each of which
// but the last is stored in `dtype`.
double largest_error(Dtype dtype, Rounding rounding) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> magnitude(0.5, 1);
  double largest = 0;
  for (int chain = 0; chain < 100000; ++chain) {
    double exact = round_to(dtype, magnitude(random));
    double stored = exact;
    for (int layer = 0; layer < kLayers; ++layer) {
      const double weight = round_to(dtype, magnitude(random));
      exact *= weight;
      stored *= weight;
      if (layer + 1 < kLayers) stored = round_to(dtype, stored, rounding);
    }
    largest = std::max(largest, std::fabs(stored - exact) / exact);
  }
  return largest;
}

TEST(StoredLayers, AreWithinABoundThatIsNoLargerThanTheyNeed) {
  for (const Dtype dtype : {Dtype::kF16, Dtype::kBF16}) {
    for (const char* words : {"strict", "output_rounding=zero"}) {
      const concord_arithmetic arithmetic = *parse_arithmetic(words);
      const double error = largest_error(dtype, output_rounding(arithmetic));
      const ErrorBound unstored = error_bound(dtype, arithmetic, kLayers, {.has_bias = false});
      const ErrorBound bound = with_stores(unstored, dtype, arithmetic, kLayers - 1);
      EXPECT_LE(error, bound.relative) << to_string(dtype) << ' ' << words;
      EXPECT_GT(error, 0.8 * bound.relative) << to_string(dtype) << ' ' << words;
      // One store less would fail a library that is right.
      EXPECT_GT(error, with_stores(unstored, dtype, arithmetic, kLayers - 2).relative);
    }
  }
}

TEST(StoredLayers, WidenNothingThatIsNotStored) {
  const concord_arithmetic arithmetic = *parse_arithmetic("strict");
  const ErrorBound bound = error_bound(Dtype::kBF16, arithmetic, 9);
  EXPECT_EQ(with_stores(bound, Dtype::kBF16, arithmetic, 0).relative, bound.relative);
}

}  // namespace
}  // namespace concord::conformance
