// SPDX-License-Identifier: Apache-2.0
// Random reals.
#ifndef CONCORD_CONFORMANCE_FILL_REAL_DRAW_H_
#define CONCORD_CONFORMANCE_FILL_REAL_DRAW_H_

#include <cstdint>
#include <optional>

#include "conformance/case/case.h"
#include "conformance/fill/xoshiro.h"
#include "plugin/concord_plugin.h"
#include "spec/dtype.h"

namespace concord::conformance {

/// Rounds to the dtype; what would be subnormal becomes 0.
double narrow(Dtype dtype, double value);

/// Draws the reals of kUniform or kWide, rounded to the dtype, so small that sums of `terms`
/// products stay in f16 where that is the dtype or the accumulator.
class RealDraw {
 public:
  RealDraw(Fill fill, Dtype dtype, const concord_arithmetic& arithmetic, double terms);

  /// `random` is a Xoshiro, or what has its draws.
  template <class Random>
  double operator()(Random& random) const {
    if (!wide_) return uniform(random.unit());
    const Extent exponent = exponent_(random);
    const bool positive = sign_(random) < 1;
    return wide(positive, exponent, random.unit());
  }
  /// What [-1, 1) is multiplied by, if these are uniform numbers of f32.
  std::optional<double> scale_of_f32() const;

 private:
  double uniform(double unit) const { return narrowed((2 * unit - 1) * scale_); }
  double wide(bool positive, Extent exponent, double unit) const;
  double narrowed(double value) const;

  Dtype dtype_;
  bool wide_, half_;
  int shift_ = 0;
  double scale_;  ///< 2^-shift_
  Below exponent_, sign_{2};
};

/// An exponent s: of kWide, the first factor of every product is multiplied by 2^s and the second
/// by 2^-s, which changes no product. A library that compares its inputs with limits, or narrows
/// their exponents on the way, then meets inputs that are large or small as a whole. 0 for other
/// fills, where f16 has no room, and for classes that are bilinear or demote their inputs.
int exponent_between_factors(Fill fill, std::uint64_t seed, Dtype dtype,
                             const concord_arithmetic& arithmetic);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_FILL_REAL_DRAW_H_
