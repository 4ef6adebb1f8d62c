// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "conformance/arithmetic/arithmetic.h"
#include "conformance/fill/draws.h"
#include "conformance/fill/fill_kinds.h"

namespace concord::conformance {
namespace {

// Sums stay below this where f16 is the accumulator or the dtype (its largest number is 65504):
// that a sum overflows on its way is then never an excuse.
constexpr double kHalfRoom = 32768;

// From 2^-kWideExponent to 2^(kWideExponent + 1), or 2^-kWideExponentOfHalves to 2.
constexpr int kWideExponent = 20, kWideExponentOfHalves = 6;

bool is_half(Dtype dtype, const concord_arithmetic& arithmetic) {
  return dtype == Dtype::kF16 || accumulator_of(dtype, arithmetic).largest < kHalfRoom * 2;
}

Inputs fill_reals(Fill fill, const FillOrder& order) {
  const double terms = static_cast<double>(order.geometry.products()) + 1;
  const RealDraw draw(fill, order.dtype, order.arithmetic, terms);
  const int s = exponent_between_factors(fill, order.seed, order.dtype, order.arithmetic);
  const reference::Geometry& g = order.geometry;
  Inputs inputs;
  const auto fill_one = [&](Input input, Extent elements) {
    const auto count = static_cast<std::size_t>(elements);
    Draws draws(order.seed, static_cast<std::uint64_t>(stream_of(input)), count);
    append(count, inputs.of(input), [&](std::span<double> values) { draws.reals(draw, values); });
  };
  fill_one(Input::kSrc, g.N * g.IC * reference::volume(g.I));
  fill_one(Input::kWeights, g.OC * g.products());
  if (order.has_bias) fill_one(Input::kBias, g.OC);
  if (s != 0) {
    const double up = std::ldexp(1.0, s), down = std::ldexp(1.0, -s);
    for (double& x : inputs.src) x *= up;
    for (double& w : inputs.weights) w *= down;
  }
  return inputs;
}

}  // namespace

// Subnormal inputs become zero: what a class that flushes them may do with them is not bounded by
// the result.
double narrow(Dtype dtype, double value) {
  const double rounded = round_to(dtype, value);
  return std::fabs(rounded) < std::ldexp(1.0, format_of(dtype).min_exponent) ? 0 : rounded;
}

RealDraw::RealDraw(Fill fill, Dtype dtype, const concord_arithmetic& arithmetic, double terms)
    : dtype_(dtype),
      wide_(fill == Fill::kWide),
      half_(is_half(dtype, arithmetic)),
      exponent_(half_ ? kWideExponentOfHalves + 1 : 2 * kWideExponent + 1) {
  const double largest = wide_ ? 2 : 1;
  while (half_ && terms * largest * largest * std::ldexp(1.0, -2 * shift_) > kHalfRoom) ++shift_;
  scale_ = std::ldexp(1.0, -shift_);
}

double RealDraw::narrowed(double value) const {
  if (dtype_ != Dtype::kF32) return narrow(dtype_, value);
  const float rounded = static_cast<float>(value);  // as narrow(), without its calls
  return std::fabs(rounded) < std::numeric_limits<float>::min() ? 0 : static_cast<double>(rounded);
}

std::optional<double> RealDraw::scale_of_f32() const {
  if (wide_ || dtype_ != Dtype::kF32) return std::nullopt;
  return scale_;
}

// kUniform: [-1, 1). kWide: magnitudes 2^e m with m uniform in [1, 2) and e in -20..20, or where
// f16 is about in -6..0, less the shift.
double RealDraw::wide(bool positive, Extent exponent, double unit) const {
  const int power =
      static_cast<int>(exponent) - (half_ ? kWideExponentOfHalves : kWideExponent) - shift_;
  return narrowed((positive ? 1.0 : -1.0) * std::ldexp(1 + unit, power));
}

// No number becomes subnormal, nor does a 2^-24 of it, which an algorithm may split off. What the
// demotion of an input or the transforms of a bilinear algorithm may lose near the least normal
// number is bounded by the largest input (error_bound.cpp), by which large ones would be judged
// loosely.
int exponent_between_factors(Fill fill, std::uint64_t seed, Dtype dtype,
                             const concord_arithmetic& arithmetic) {
  const bool loses_by_largest =
      is_bilinear(arithmetic) || arithmetic.input_precision != CONCORD_INPUT_EXACT;
  if (fill != Fill::kWide || is_half(dtype, arithmetic) || loses_by_largest) return 0;
  constexpr int kSplitOff = 24, kSplitOffOfF64 = 53;
  const int room =
      -(dtype == Dtype::kF64 ? std::numeric_limits<double>::min_exponent + kSplitOffOfF64
                             : std::numeric_limits<float>::min_exponent + kSplitOff);
  const Extent most = room - kWideExponent - 1;
  Xoshiro random(seed, static_cast<std::uint64_t>(Stream::kFactors));
  return static_cast<int>(random.between(-most, most));
}

Inputs fill_uniform(const FillOrder& order) { return fill_reals(Fill::kUniform, order); }

Inputs fill_wide(const FillOrder& order) { return fill_reals(Fill::kWide, order); }

}  // namespace concord::conformance
