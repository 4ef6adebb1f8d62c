// SPDX-License-Identifier: Apache-2.0
#include "conformance/arithmetic/arithmetic.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include "spec/check.h"

namespace concord::conformance {

Accumulator accumulator_of(const concord_arithmetic& arithmetic) {
  CONCORD_CHECK(!find_unknown(arithmetic)) << *find_unknown(arithmetic);
  const bool toward_zero = arithmetic.accumulator_rounding == CONCORD_ROUND_ZERO;
  const bool faithful = arithmetic.accumulator_rounding == CONCORD_ROUND_FAITHFUL;
  const double directed = toward_zero || faithful ? 2.0 : 1.0;
  if (arithmetic.accumulator == CONCORD_ACCUMULATE_F64) {
    using Double = std::numeric_limits<double>;
    return {53,       Double::denorm_min(),         Double::min(), Double::max(), toward_zero,
            faithful, directed * std::ldexp(1, -53)};
  }
  const Dtype dtype = arithmetic.accumulator == CONCORD_ACCUMULATE_F16    ? Dtype::kF16
                      : arithmetic.accumulator == CONCORD_ACCUMULATE_BF16 ? Dtype::kBF16
                                                                          : Dtype::kF32;
  const Format& format = format_of(dtype);
  double u = directed * format.unit_roundoff();
  if (dtype != Dtype::kF32) u += directed * format_of(Dtype::kF32).unit_roundoff() * (1 + u);
  return {format.significand_bits,
          format.smallest(),
          std::ldexp(1.0, format.min_exponent),
          format.largest(),
          toward_zero,
          faithful,
          u};
}

int exact_input_bits(Dtype dtype, const concord_arithmetic& arithmetic) {
  CONCORD_CHECK(!find_unknown(arithmetic)) << *find_unknown(arithmetic);
  static constexpr std::array kBits = {53, 11, 8, 8};
  return std::min(format_of(dtype).significand_bits,
                  kBits[static_cast<std::size_t>(arithmetic.input_precision)]);
}

Rounding output_rounding(const concord_arithmetic& arithmetic) {
  CONCORD_CHECK(!find_unknown(arithmetic)) << *find_unknown(arithmetic);
  static constexpr std::array kRoundings = {Rounding::kNearest, Rounding::kZero,
                                            Rounding::kNearestAway};
  return kRoundings[static_cast<std::size_t>(arithmetic.output_rounding)];
}

bool is_bilinear(const concord_arithmetic& arithmetic) {
  return arithmetic.algorithm == CONCORD_BILINEAR;
}

}  // namespace concord::conformance
