// SPDX-License-Identifier: Apache-2.0
// One floating-point operation at a time, as a processor does it: the exact result, rounded once.
#ifndef CONCORD_CONFORMANCE_POWER_ROUNDING_UNIT_H_
#define CONCORD_CONFORMANCE_POWER_ROUNDING_UNIT_H_

#include <span>

#include "conformance/fill/xoshiro.h"
#include "spec/dtype.h"
#include "spec/rounding.h"

namespace concord::conformance {

/// Which number next to the exact result an operation returns: the direction in which it rounds.
enum class Direction { kNearest, kZero, kAway, kOdd, kAny };

/// What a unit rounds to and how.
struct UnitFormat {
  Dtype kept = Dtype::kF32;  ///< of its results
  Direction direction = Direction::kNearest;
  bool through_f32 = false;    ///< results of 16 bits are rounded to f32 first
  bool flushes = false;        ///< a result below the least normal number of `kept` is zero
  bool flushes_early = false;  ///< and so is one that would only be rounded up to it
};

/// Numeric  f64 holds what the other formats' sums need: a sum that it has to round is rounded to
///          odd there, from which every shorter format is rounded as from the exact sum
/// Source   Boldo and Melquiond, "Emulation of FMA and correctly rounded sums", 2008
class RoundingUnit {
 public:
  /// `random` chooses the neighbour where any will do; it outlives the unit.
  RoundingUnit(const UnitFormat& format, Xoshiro& random) : format_(format), random_(random) {}

  double sum(double a, double b);
  double product(double a, double b);
  /// a b + c, rounded once. In f64 only to nearest.
  double fused(double a, double b, double c);
  bool has_fused() const;
  /// The sum of `sum` and `terms`, each cut off at the last bit of the largest, and then rounded.
  /// Shapes  not of f64; all values are finite
  double aligned(double sum, std::span<const double> terms);

 private:
  double round(double nearest, double lost);
  double round_f64(double nearest, double lost);
  double to(Dtype dtype, double value);
  Rounding direction();
  bool is_tiny(double value) const;

  UnitFormat format_;
  Xoshiro& random_;
};

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_POWER_ROUNDING_UNIT_H_
