// SPDX-License-Identifier: Apache-2.0
#include "conformance/power/rounding_unit.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "reference/sum.h"
#include "spec/check.h"

namespace concord::conformance {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool is_even(double value) { return (std::bit_cast<std::uint64_t>(value) & 1U) == 0; }

// The last bit of its significand is 0 in the format.
bool is_even(Dtype dtype, double value) {
  if (value == 0 || !std::isfinite(value)) return true;
  const Format& format = format_of(dtype);
  const int exponent = std::max(std::ilogb(value), format.min_exponent);
  const double scaled = std::ldexp(value, format.significand_bits - 1 - exponent);
  return std::fmod(scaled, 2) == 0;
}

}  // namespace

bool RoundingUnit::has_fused() const {
  return format_.kept != Dtype::kF64 || format_.direction == Direction::kNearest;
}

double RoundingUnit::sum(double a, double b) {
  const reference::TwoSum added(a, b);
  return round(added.sum, added.lost);
}

double RoundingUnit::product(double a, double b) {
  const double nearest = a * b;
  return round(nearest, std::fma(a, b, -nearest));
}

double RoundingUnit::fused(double a, double b, double c) {
  if (format_.kept != Dtype::kF64) return sum(a * b, c);  // f64 has the product of two f32 numbers
  CONCORD_CHECK(has_fused()) << static_cast<int>(format_.direction);
  return round_f64(std::fma(a, b, c), 0);
}

double RoundingUnit::aligned(double sum, std::span<const double> terms) {
  CONCORD_CHECK(format_.kept != Dtype::kF64) << "in f64";
  double largest = std::fabs(sum);
  for (const double term : terms) largest = std::max(largest, std::fabs(term));
  if (largest == 0) return 0;
  const int last = std::ilogb(largest) + 1 - format_of(format_.kept).significand_bits;
  const auto cut = [&](double value) { return std::trunc(std::ldexp(value, -last)); };
  double total = cut(sum);
  for (const double term : terms) total += cut(term);
  return round(std::ldexp(total, last), 0);
}

double RoundingUnit::round(double nearest, double lost) {
  if (format_.kept == Dtype::kF64) return round_f64(nearest, lost);
  if (lost != 0 && std::isfinite(nearest) && is_even(nearest)) {
    nearest = std::nextafter(nearest, std::copysign(kInfinity, lost));
  }
  if (format_.flushes_early && is_tiny(nearest)) return 0;
  if (format_.through_f32) nearest = to(Dtype::kF32, nearest);
  const double rounded = to(format_.kept, nearest);
  return format_.flushes && is_tiny(rounded) ? 0 : rounded;
}

double RoundingUnit::round_f64(double nearest, double lost) {
  const Rounding rounding = direction();
  const bool is_exact = lost == 0 || !std::isfinite(lost);
  if (!is_exact && rounding != Rounding::kNearest) {
    const bool is_short = std::signbit(lost) == std::signbit(nearest);
    const double zero = is_short ? nearest : std::nextafter(nearest, 0);
    const double away =
        is_short ? std::nextafter(nearest, std::copysign(kInfinity, nearest)) : nearest;
    const bool cuts =
        format_.direction == Direction::kOdd ? is_even(away) : rounding == Rounding::kZero;
    nearest = cuts ? zero : away;
  }
  return format_.flushes && is_tiny(nearest) ? 0 : nearest;
}

double RoundingUnit::to(Dtype dtype, double value) {
  if (format_.direction != Direction::kOdd) return round_to(dtype, value, direction());
  const double zero = round_to(dtype, value, Rounding::kZero);
  if (zero == value || !is_even(dtype, zero)) return zero;
  return round_to(dtype, value, Rounding::kAway);
}

Rounding RoundingUnit::direction() {
  switch (format_.direction) {
    case Direction::kNearest:
      return Rounding::kNearest;
    case Direction::kAway:
      return Rounding::kAway;
    case Direction::kAny:
      return random_.next() % 2 == 0 ? Rounding::kZero : Rounding::kAway;
    default:
      return Rounding::kZero;
  }
}

bool RoundingUnit::is_tiny(double value) const {
  return std::fabs(value) < format_of(format_.kept).normal();
}

}  // namespace concord::conformance
