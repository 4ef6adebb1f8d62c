// SPDX-License-Identifier: Apache-2.0
// Rounding by a stated rule, to an element type or to a number of significant bits.
#ifndef CONCORD_SPEC_ROUNDING_H_
#define CONCORD_SPEC_ROUNDING_H_

#include "spec/dtype.h"

namespace concord {

enum class Rounding {
  kNearest,      ///< to nearest, ties to even; beyond the largest number to infinity
  kZero,         ///< toward zero; beyond the largest number to the largest number
  kNearestAway,  ///< to nearest, ties away from zero; beyond the largest number to infinity
  kAway          ///< away from zero; beyond the largest number to infinity
};

/// The value of `dtype` that `rounding` leads to.
/// Numeric  one rounding, straight from double; NaN and infinities stay what they are
/// Source   IEEE 754-2019, 4.3: roundTiesToEven, roundTowardZero, roundTiesToAway; away
///          from zero is roundTowardPositive of positive numbers, roundTowardNegative of others
double round_to(Dtype dtype, double value, Rounding rounding);

/// `value` with at most `significand_bits` significant bits and any exponent that a double has.
/// Shapes   significand_bits in 1..53
double round_to_bits(int significand_bits, double value, Rounding rounding);

}  // namespace concord

#endif  // CONCORD_SPEC_ROUNDING_H_
