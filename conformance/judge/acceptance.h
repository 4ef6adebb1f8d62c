// SPDX-License-Identifier: Apache-2.0
// The rule for one element that the exact and the interval tier share.
#ifndef CONCORD_CONFORMANCE_JUDGE_ACCEPTANCE_H_
#define CONCORD_CONFORMANCE_JUDGE_ACCEPTANCE_H_

#include <cstddef>
#include <span>

#include "conformance/judge.h"
#include "conformance/judge/error_bound.h"

namespace concord::conformance {

/// Accepts got iff R(want - A) <= got <= R(want + A), where R rounds to the dtype as the class
/// declares. A = 0 means got == R(want). NaN is accepted only where NaN is wanted.
/// Source  docs/numerics.md#interval-tier
class Acceptance {
 public:
  Acceptance(Dtype dtype, const concord_arithmetic& arithmetic, ErrorBound bound);

  bool accepts(double got, double want, double magnitude) const;

  /// The end of the accepted interval on the side of `got`.
  double limit(double got, double want, double magnitude) const;

  /// Judges a whole tensor. `magnitude` may be empty if the bound is zero.
  Finding judge(std::span<const double> got, std::span<const double> want,
                std::span<const double> magnitude) const;
  /// The same, with limit() asked for every element.
  Finding judge_each(std::span<const double> got, std::span<const double> want,
                     std::span<const double> magnitude) const;

 private:
  struct Worst;
  double allowance(double magnitude) const;
  bool accepts(double got, double want, double magnitude, double end) const;
  bool changes_nothing(const Finding& finding, std::span<const double> got,
                       std::span<const double> want, std::span<const double> magnitude) const;
  void judge_element(std::size_t i, double got, double want, double magnitude, bool graded,
                     Finding& finding, Worst& worst) const;

  Dtype dtype_;
  Rounding rounding_;
  ErrorBound bound_;
  double overflow_;    ///< a sum whose magnitudes reach this may have become infinite on the way
  double saturation_;  ///< no sum goes beyond this; infinite for an accumulator to nearest
  double flushed_;     ///< results below this may be stored as 0
};

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_JUDGE_ACCEPTANCE_H_
