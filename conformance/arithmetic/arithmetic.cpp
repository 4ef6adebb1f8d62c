// SPDX-License-Identifier: Apache-2.0
#include "conformance/arithmetic/arithmetic.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include "spec/check.h"

namespace concord::conformance {

Accumulator accumulator_of(Dtype dtype, const concord_arithmetic& arithmetic) {
  CONCORD_CHECK(!find_unknown(arithmetic)) << *find_unknown(arithmetic);
  const bool toward_zero = arithmetic.accumulator_rounding == CONCORD_ROUND_ZERO;
  const bool faithful = arithmetic.accumulator_rounding == CONCORD_ROUND_FAITHFUL;
  const double directed = toward_zero || faithful ? 2.0 : 1.0;
  static constexpr std::array kDeclared = {Dtype::kF32, Dtype::kF64, Dtype::kF16, Dtype::kBF16};
  const Dtype kept_in =
      dtype == Dtype::kF64 ? dtype : kDeclared[static_cast<std::size_t>(arithmetic.accumulator)];
  const Format& format = format_of(kept_in);
  double u = directed * format.unit_roundoff();
  // Simulated in f32.
  if (format.bytes == 2) u += directed * format_of(Dtype::kF32).unit_roundoff() * (1 + u);
  return {format.significand_bits,
          format.smallest(),
          format.normal(),
          format.largest(),
          toward_zero,
          faithful,
          u};
}

int exact_input_bits(Dtype dtype, const concord_arithmetic& arithmetic) {
  CONCORD_CHECK(!find_unknown(arithmetic)) << *find_unknown(arithmetic);
  if (dtype == Dtype::kF64) return format_of(dtype).significand_bits;
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
