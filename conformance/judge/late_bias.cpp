// SPDX-License-Identifier: Apache-2.0
#include "conformance/judge/late_bias.h"

#include <algorithm>
#include <cmath>

#include "conformance/arithmetic/arithmetic.h"
#include "spec/rounding.h"

namespace concord::conformance {
namespace {

bool holds_accumulator(Dtype dtype, const concord_arithmetic& arithmetic) {
  if (dtype == Dtype::kF64) return true;
  switch (arithmetic.accumulator) {
    case CONCORD_ACCUMULATE_F16:
      return dtype != Dtype::kBF16;
    case CONCORD_ACCUMULATE_BF16:
      return dtype != Dtype::kF16;
    case CONCORD_ACCUMULATE_F32:
      return dtype == Dtype::kF32;
    default:
      return false;
  }
}

// True if f64 has a + b. Source: Knuth's TwoSum.
bool is_exact_sum(double a, double b) {
  const double sum = a + b, of_b = sum - a;
  return !std::isfinite(sum) || (a - (sum - of_b)) + (b - of_b) == 0;
}

Ends with_zero(Ends ends, double flushed) {
  if (ends.low >= flushed || ends.high <= -flushed) return ends;
  return {std::min(ends.low, 0.0), std::max(ends.high, 0.0)};
}

}  // namespace

bool rounds_before_bias(Dtype dtype, const concord_arithmetic& arithmetic) {
  if (arithmetic.bias != CONCORD_BIAS_AFTER_STORE) return false;
  const bool to_nearest = arithmetic.accumulator_rounding == CONCORD_ROUND_NEAREST &&
                          arithmetic.output_rounding != CONCORD_ROUND_ZERO;
  return !to_nearest || !holds_accumulator(dtype, arithmetic);
}

Ends add_late(Dtype dtype, const concord_arithmetic& arithmetic, Ends sum, double bias,
              double flushed) {
  const Rounding store = output_rounding(arithmetic);
  sum = with_zero(sum, flushed);
  const Ends addend =
      std::fabs(bias) < flushed ? Ends{std::min(bias, 0.0), std::max(bias, 0.0)} : Ends{bias, bias};
  const auto stored = [&](double a, double b, double outward) {
    const double v = is_exact_sum(a, b) ? a + b : std::nextafter(a + b, outward);
    const double at_once = round_to(dtype, v, store);
    if (dtype == Dtype::kF64) return Ends{at_once, at_once};  // f32 holds no sum of it
    const double by_f32 = round_to(dtype, round_to(Dtype::kF32, v), store);
    const auto by_f32_rounded = [&](Rounding rounding) {
      return round_to(dtype, round_to(Dtype::kF32, v, rounding), store);
    };
    const bool cuts = arithmetic.accumulator_rounding != CONCORD_ROUND_NEAREST;
    const bool raises = arithmetic.accumulator_rounding == CONCORD_ROUND_FAITHFUL;
    const double cut = cuts ? by_f32_rounded(Rounding::kZero) : at_once;
    const double away = raises ? by_f32_rounded(Rounding::kAway) : at_once;
    return Ends{std::min({at_once, by_f32, cut, away}), std::max({at_once, by_f32, cut, away})};
  };
  return with_zero(
      {stored(sum.low, addend.low, -HUGE_VAL).low, stored(sum.high, addend.high, HUGE_VAL).high},
      flushed);
}

}  // namespace concord::conformance
