// SPDX-License-Identifier: Apache-2.0
// The judge of Fill::kSparse: each output is one product among products that are zero, or that
// and two which cancel each other.
// Source: docs/numerics.md#one-product-among-zeros
#ifndef CONCORD_CONFORMANCE_JUDGE_JUDGE_LONE_H_
#define CONCORD_CONFORMANCE_JUDGE_JUDGE_LONE_H_

#include <array>
#include <cstddef>
#include <optional>
#include <span>

#include "conformance/judge/acceptance.h"
#include "conformance/judge/judge.h"
#include "plugin/concord_plugin.h"
#include "spec/dtype.h"

namespace concord::conformance {

/// How large a bilinear algorithm's error may be in the one product that it does not multiply by
/// zero, relative to that product. `axes` counts the axes that are transformed.
double lone_product_error(Dtype dtype, const concord_arithmetic& arithmetic, std::size_t axes);

/// What is accepted where the wanted value y is one product of two inputs that survive the class's
/// demotion. The magnitude |y| + 2 |a| tells whether two others cancel.
///   conventional  R(y), or R of y rounded to the accumulator, for 16 bits also by way of f32; and
///                 where a and -a are among the terms, R((y + a) - a) with the same roundings of
///                 the first sum; faithful: whatever lies between these with either neighbour for
///                 a rounding, or y cut off at the last bit of a. In f64 y itself is rounded:
///                 to nearest; also toward zero where the class does; faithful: either neighbour
///   bilinear      an interval about y where y is not 0; elsewhere the interval of bilinear
///                 algorithms at the largest product of the tensor, if there is one
class LoneProducts {
 public:
  /// `largest` is the largest magnitude of a wanted value.
  LoneProducts(Dtype dtype, const concord_arithmetic& arithmetic, std::size_t axes, double largest);

  bool accepts(double got, Wanted want, double magnitude) const;
  /// How far from `want` the furthest accepted value is; infinite for any.
  double allowed(Wanted want, double magnitude) const;
  /// The message about a wrong element.
  WrongElement describe(std::size_t index, double got, Wanted want, double magnitude) const;

 private:
  std::array<double, 9> candidates(Wanted want, double magnitude) const;
  std::array<double, 9> f64_candidates(Wanted want) const;
  std::array<double, 9> faithful_candidates(double want, double a) const;

  Dtype dtype_;
  Rounding rounding_;
  Rounding accumulator_rounding_ = Rounding::kNearest;
  bool faithful_ = false;
  std::optional<Dtype> accumulator_{};  ///< nothing for f64, in which others' products are exact
  double largest_;
  ErrorBound seen_{}, rest_{};  ///< of a bilinear class: where y is not 0, and where it is
  std::optional<Acceptance> judge_seen_{}, judge_rest_{};
};

/// Judges a whole tensor.
/// Shapes  all spans have the same size, but `low` may be empty; got holds values of the dtype
Finding judge_lone(const LoneProducts& accepted, std::span<const double> got,
                   std::span<const double> want, std::span<const double> magnitude,
                   std::span<const double> low = {});

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_JUDGE_JUDGE_LONE_H_
