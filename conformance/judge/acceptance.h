// SPDX-License-Identifier: Apache-2.0
// The rule for one element that the exact and the interval tier share.
#ifndef CONCORD_CONFORMANCE_JUDGE_ACCEPTANCE_H_
#define CONCORD_CONFORMANCE_JUDGE_ACCEPTANCE_H_

#include <cstddef>
#include <span>

#include "conformance/judge/error_bound.h"
#include "conformance/judge/judge.h"
#include "conformance/judge/late_bias.h"

namespace concord::conformance {

/// The wanted value: that of the oracle and its low part, whose sum it is; it is known up to
/// `radius`, which is added to A.
struct Wanted {
  // A number stands for itself. NOLINTNEXTLINE(google-explicit-constructor)
  Wanted(double nearest, double rest = 0, double unknown = 0)
      : value(nearest), low(rest), radius(unknown) {}
  double value, low, radius;
};

/// Accepts got iff R(want - A) <= got <= R(want + A), where R rounds to the dtype as the class
/// declares. A = 0 means got == R(want). NaN is accepted only where NaN is expected. In a class
/// that adds the bias after the store, the interval is that of R(R(want - bias +- A) + bias).
/// Source  docs/numerics.md#interval-tier
class Acceptance {
 public:
  Acceptance(Dtype dtype, const concord_arithmetic& arithmetic, ErrorBound bound);

  /// `bias` is the element's own; only a class that adds it after the store reads it.
  bool accepts(double got, Wanted want, double magnitude, double bias = 0) const;

  /// The end of the accepted interval on the side of `got`.
  double limit(double got, Wanted want, double magnitude, double bias = 0) const;

  /// Judges a whole tensor. `magnitude` may be empty if the bound is zero, `low` and `radius` if
  /// all of them are.
  Finding judge(std::span<const double> got, std::span<const double> want,
                std::span<const double> magnitude, const ChannelBias& bias = {},
                std::span<const double> low = {}, std::span<const double> radius = {}) const;
  /// The same, with limit() asked for every element.
  Finding judge_each(std::span<const double> got, std::span<const double> want,
                     std::span<const double> magnitude, const ChannelBias& bias = {},
                     std::span<const double> low = {}, std::span<const double> radius = {}) const;

 private:
  struct Worst;
  WrongElement describe(std::size_t i, double got, Wanted want, double magnitude,
                        double allowed) const;
  double allowance(Wanted want, double magnitude) const;
  double edge_of(Wanted want, double allowed, bool above) const;
  double saturated(double edge, Wanted want, double magnitude, bool above) const;
  bool is_within(double got, Wanted want, double magnitude, double end) const;
  Ends late_ends(Wanted want, double magnitude, double bias) const;
  bool accepts_late(double got, Wanted want, double magnitude, double bias, Ends ends) const;
  void judge_late(std::size_t i, double got, Wanted want, double magnitude, double bias,
                  Finding& finding, Worst& worst) const;
  bool changes_nothing(const Finding& finding, std::span<const double> got,
                       std::span<const double> want, std::span<const double> magnitude) const;
  void judge_element(std::size_t i, double got, Wanted want, double magnitude, bool graded,
                     Finding& finding, Worst& worst) const;

  Dtype dtype_;
  concord_arithmetic arithmetic_;
  Rounding rounding_;
  bool late_;  ///< the bias is added to a sum that is rounded already
  ErrorBound bound_;
  double overflow_;    ///< a sum whose magnitudes reach this may have become infinite on the way
  double saturation_;  ///< a sum may stop at this; infinite for an accumulator to nearest
  double kept_ = 0;    ///< what a sum that has stopped may lose though no term has the other sign
  double split_;       ///< the share of S that low parts of split inputs add, of either sign
  double flushed_;     ///< results below this may be stored as 0
};

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_JUDGE_ACCEPTANCE_H_
