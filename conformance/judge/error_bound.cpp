// SPDX-License-Identifier: Apache-2.0
#include "conformance/judge/error_bound.h"

#include <cmath>
#include <limits>

namespace concord::conformance {
namespace {

constexpr double kDoubleRoundoff = 0x1p-53;

// By how much the transforms of Winograd's F(4x4, 3x3) magnify, against S of data whose magnitudes
// are spread evenly: 48^2 / (9/4). Source: docs/numerics.md#bilinear.
constexpr double kBilinearGrowth = 1024;
// Roundings beside those of a sum, such that larger tiles that are computed as they are written
// are covered, too. Source: the same.
constexpr double kBilinearRoundings = 64;

// The oracle's error, relative to S: of a plain sum in f64 or, for f64, of that and its low part.
// Source: docs/numerics.md#f64
double oracle_error(Dtype dtype, double products) {
  if (dtype != Dtype::kF64) return gamma(products + 8, kDoubleRoundoff);
  const double twice = gamma(2 * (products + 2), kDoubleRoundoff);
  return twice * twice;
}

// The most that the demotion of an input can lose where that is not a share of it: the step of the
// format's subnormal numbers or, flushed, its least normal number. Inputs have f32's exponents.
double least_step(Dtype dtype, const concord_arithmetic& arithmetic) {
  const int normal = format_of(Dtype::kF32).min_exponent;
  if (arithmetic.flushes_subnormals != 0) return std::ldexp(1.0, normal);
  return std::ldexp(1.0, normal + 1 - exact_input_bits(dtype, arithmetic));
}

}  // namespace

double gamma(double n, double u) {
  return n * u < 1 ? n * u / (1 - n * u) : std::numeric_limits<double>::infinity();
}

Demotion demotion_of(Dtype dtype, const concord_arithmetic& arithmetic) {
  // One step of the narrower format, not half: hardware rounds to nearest or cuts off.
  const double step = std::ldexp(1.0, 1 - exact_input_bits(dtype, arithmetic));
  if (arithmetic.input_precision == CONCORD_INPUT_EXACT ||
      exact_input_bits(dtype, arithmetic) == format_of(dtype).significand_bits) {
    return {0, 1, 1};
  }
  if (arithmetic.input_precision == CONCORD_INPUT_BF16X3) {
    return {3 * step * step + std::pow(step, 4), (1 + step) * (1 + 3 * step), 3};
  }
  return {2 * step + step * step, (1 + step) * (1 + step), 1};
}

double count_roundings(Dtype dtype, const concord_arithmetic& arithmetic, Extent products,
                       bool has_bias) {
  const double terms = demotion_of(dtype, arithmetic).products * static_cast<double>(products);
  return terms + (has_bias ? 1 : 0) + (is_bilinear(arithmetic) ? kBilinearRoundings : 0);
}

bool ErrorBound::is_vacuous() const { return !std::isfinite(relative); }

ErrorBound with_stores(const ErrorBound& bound, Dtype dtype, const concord_arithmetic& arithmetic,
                       Extent stores) {
  const bool nearest = output_rounding(arithmetic) != Rounding::kZero;
  const double u = std::ldexp(1.0, (nearest ? 0 : 1) - format_of(dtype).significand_bits);
  const double stored = gamma(static_cast<double>(stores), u);
  ErrorBound wider = bound;
  wider.relative = bound.relative + stored + bound.relative * stored;
  wider.absolute = bound.absolute * (1 + stored);
  return wider;
}

ErrorBound error_bound(Dtype dtype, const concord_arithmetic& arithmetic, Extent products,
                       const SumDetails& details) {
  const Accumulator accumulator = accumulator_of(dtype, arithmetic);
  const Demotion demotion = demotion_of(dtype, arithmetic);
  const double n = count_roundings(dtype, arithmetic, products, details.has_bias);
  double relative = demotion.error + demotion.growth * gamma(n, accumulator.unit_roundoff);
  if (is_bilinear(arithmetic)) relative *= kBilinearGrowth;
  // The oracle's own error; and that of its S and of evaluating this bound.
  const double oracle = oracle_error(dtype, static_cast<double>(products));
  const double evaluation = gamma(static_cast<double>(products) + 8, kDoubleRoundoff);
  relative = (relative + oracle) * (1 + 2 * evaluation);

  // Each product that underflows is off by a subnormal step or, flushed, by the smallest normal
  // number; so is each sum when sums are flushed.
  double lost = arithmetic.flushes_subnormals != 0 ? 2 * accumulator.normal : accumulator.smallest;
  // The sums that follow can enlarge what is lost, where they have a bound.
  const double enlarged = gamma(n, accumulator.unit_roundoff);
  lost *= n * (std::isfinite(enlarged) ? 1 + enlarged : 1);
  // What a demoted input loses near the least normal number, times the other factor.
  if (demotion.error > 0) {
    lost += 2 * static_cast<double>(products) * demotion.growth * least_step(dtype, arithmetic) *
            details.largest_inputs;
  }
  if (is_bilinear(arithmetic)) lost *= kBilinearGrowth;
  // The oracle's low parts of products underflow, too.
  if (dtype == Dtype::kF64) lost += static_cast<double>(products) * format_of(dtype).smallest();
  return {relative, lost * (1 + 2 * evaluation), oracle};
}

}  // namespace concord::conformance
