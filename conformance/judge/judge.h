// SPDX-License-Identifier: Apache-2.0
// The judge: does the specification allow what a backend computed? Pure functions of numbers.
#ifndef CONCORD_CONFORMANCE_JUDGE_JUDGE_H_
#define CONCORD_CONFORMANCE_JUDGE_JUDGE_H_

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "conformance/judge/error_bound.h"
#include "conformance/judge/late_bias.h"
#include "plugin/concord_plugin.h"
#include "spec/dtype.h"
#include "spec/tensor.h"

namespace concord::conformance {

/// A wrong output element.
struct WrongElement {
  std::size_t index;  ///< in the order of the spans given to the judge
  double got;
  double want;     ///< the exact value, before any rounding to the dtype
  double allowed;  ///< the largest |got - want| that would have passed; 0 in the exact tier
  /// The ends of the interval of accepted values of the dtype; both are `want` where that is no
  /// finite number.
  double lowest, highest;
  bool is_exact = false;  ///< no error is allowed but the rounding to the dtype
  /// What is accepted outside of the interval: 0 of a class that flushes, an infinity where a
  /// partial sum may have overflowed.
  std::vector<double> besides{};
};

/// The finding of one tier about a tensor.
struct Finding {
  std::size_t elements = 0;
  std::size_t wrong = 0;
  std::vector<std::size_t> places{};    ///< of all wrong ones, in the order of the spans
  std::optional<WrongElement> worst{};  ///< of the wrong ones, the one furthest beyond its bound
  /// The largest |got - want| / allowed over all elements; 0 in an exact tier that passes, infinite
  /// where something is off and nothing is allowed.
  double margin = 0;
  /// The declared arithmetic is so coarse for so many products that no error bound exists: the
  /// tier has judged nothing but NaN. The case is VACUOUS unless another tier can judge it.
  bool vacuous = false;
  bool passed() const { return wrong == 0; }
  void add_wrong(std::size_t place) {
    ++wrong;
    places.push_back(place);
  }
};

/// got == R(want), where R rounds to the dtype as the class declares; 0 and -0 are the same, and
/// NaN is right only where NaN is expected.
/// Shapes  got and want have the same size; got holds values of the dtype. `bias` is used only
///         in a class that adds it after the store:
///         then R(R(want - bias) + bias) is right
/// Source  docs/numerics.md#exact-tier
Finding judge_exact(Dtype dtype, const concord_arithmetic& arithmetic, std::span<const double> got,
                    std::span<const double> want, const ChannelBias& bias = {});

/// The magnitudes that the bounds of a bilinear class are relative to: the tensor's largest for all
/// or, with a bias that is added after the store, the largest without it and the element's own.
std::vector<double> normwise(Dtype dtype, const concord_arithmetic& arithmetic,
                             std::span<const double> magnitude, const ChannelBias& bias);

/// Element by element within `bound`:
///   R(want - A) <= got <= R(want + A)
/// Shapes  all spans have the same size; got holds values of the dtype
/// Numeric a bilinear class is judged by the tensor's largest magnitude ("normwise"). The wanted
///         sums are want + low, which may be empty: Oracle::low
/// Source  docs/numerics.md#interval-tier
Finding judge_interval(Dtype dtype, const concord_arithmetic& arithmetic, const ErrorBound& bound,
                       std::span<const double> got, std::span<const double> want,
                       std::span<const double> magnitude, const ChannelBias& bias = {},
                       std::span<const double> low = {});
/// The same, by the bound of a sum of at most `products` products and a bias.
Finding judge_interval(Dtype dtype, const concord_arithmetic& arithmetic, Extent products,
                       std::span<const double> got, std::span<const double> want,
                       std::span<const double> magnitude, const ChannelBias& bias = {},
                       std::span<const double> low = {});

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_JUDGE_JUDGE_H_
