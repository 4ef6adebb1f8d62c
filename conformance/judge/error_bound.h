// SPDX-License-Identifier: Apache-2.0
// How large the rounding error of a result may be in a declared class of arithmetic.
// Derivations: docs/numerics.md#interval-tier
#ifndef CONCORD_CONFORMANCE_JUDGE_ERROR_BOUND_H_
#define CONCORD_CONFORMANCE_JUDGE_ERROR_BOUND_H_

#include "conformance/arithmetic/arithmetic.h"
#include "plugin/concord_plugin.h"
#include "spec/dtype.h"
#include "spec/tensor.h"

namespace concord::conformance {

/// n u / (1 - n u); infinity where n u >= 1. Source: Higham 2002, Lemma 3.1.
double gamma(double n, double u);

/// What happens to the inputs before they are multiplied.
struct Demotion {
  double error;     ///< D: |fl(x) fl(w) - x w| <= D |x w|
  double growth;    ///< M: the magnitudes of what is summed instead of x w add up to <= M |x w|
  double products;  ///< how many products stand for one
};
Demotion demotion_of(Dtype dtype, const concord_arithmetic& arithmetic);

/// What a bound depends on besides the number of products.
struct SumDetails {
  bool has_bias = true;  ///< one more term
  /// max|x| + max|w| over the tensors: what the demotion of a number near the least normal one
  /// loses is relative to the other factor.
  double largest_inputs = 0;
};

/// n': the largest number of roundings that one of `products` products goes through on its way
/// into the sum, in any order and association.
double count_roundings(Dtype dtype, const concord_arithmetic& arithmetic, Extent products,
                       bool has_bias = true);

/// A bound on |computed - exact| before the result is stored:
///   A = relative S + absolute, S = sum |x||w| + |bias|; A = 0 where S = 0.
struct ErrorBound {
  double relative = 0;
  double absolute = 0;
  double oracle = 0;  ///< of `relative`, the part that the oracle's own rounding makes

  double of(double magnitude) const { return magnitude == 0 ? 0 : relative * magnitude + absolute; }
  /// True where n' u >= 1: there is no bound, and any number at all would be accepted.
  bool is_vacuous() const;
};

/// The bound for sums of at most `products` products and a bias. It covers the rounding of the
/// oracle, too, which sums in f64, and what f64 loses itself with Oracle::low.
/// Numeric  for a bilinear algorithm S must be the tensor's largest ("normwise")
ErrorBound error_bound(Dtype dtype, const concord_arithmetic& arithmetic, Extent products,
                       const SumDetails& details = {});

/// The same where a term is stored in the dtype `stores` times on its way, each time with the
/// rounding of the class's results: docs/numerics.md#composed-operations.
ErrorBound with_stores(const ErrorBound& bound, Dtype dtype, const concord_arithmetic& arithmetic,
                       Extent stores);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_JUDGE_ERROR_BOUND_H_
