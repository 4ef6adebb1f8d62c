// SPDX-License-Identifier: Apache-2.0
#include "spec/rounding.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "spec/check.h"

namespace concord {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double to_whole(double value, Rounding rounding) {
  if (rounding == Rounding::kZero) return std::trunc(value);
  if (rounding == Rounding::kAway) return std::copysign(std::ceil(std::fabs(value)), value);
  // nearbyint rounds ties to even in the default mode, which nothing of ours leaves; round rounds
  // them away from zero in every mode.
  return rounding == Rounding::kNearest ? std::nearbyint(value) : std::round(value);
}

// Rounds to a multiple of 2^exponent. Scaling by a power of two is exact, and so is the rounding of
// the scaled number: it has at most 53 bits before the point, for the callers below.
double round_to_multiple(int exponent, double value, Rounding rounding) {
  const double scaled = std::ldexp(value, -exponent);
  return std::ldexp(to_whole(scaled, rounding), exponent);
}

}  // namespace

double round_to_bits(int significand_bits, double value, Rounding rounding) {
  CONCORD_CHECK(significand_bits >= 1 && significand_bits <= 53) << significand_bits;
  if (value == 0 || !std::isfinite(value)) return value;
  return round_to_multiple(std::ilogb(value) - significand_bits + 1, value, rounding);
}

double round_to(Dtype dtype, double value, Rounding rounding) {
  if (rounding == Rounding::kNearest) return round_to(dtype, value);
  if (value == 0 || !std::isfinite(value)) return value;
  const Format& format = format_of(dtype);
  const int exponent = std::max(std::ilogb(value), format.min_exponent);
  const double rounded = round_to_multiple(exponent - format.significand_bits + 1, value, rounding);
  if (std::fabs(rounded) <= format.largest()) return rounded;
  return std::copysign(rounding == Rounding::kZero ? format.largest() : kInfinity, value);
}

}  // namespace concord
