// SPDX-License-Identifier: Apache-2.0
// Which inputs the products of an operation are of.
#ifndef CONCORD_CONFORMANCE_JUDGE_FACTORS_H_
#define CONCORD_CONFORMANCE_JUDGE_FACTORS_H_

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "conformance/fill/fill.h"
#include "reference/reference.h"

namespace concord::conformance {

/// The factors of each product: an element of src and a weight but in CNTK's gradients, where
/// diff_dst takes the place of src, and by the weights src that of weights.
struct Factors {
  const std::vector<double>&src, &weights;
};

inline Factors factors_of(const reference::Resolution& geometry, const Inputs& inputs) {
  const auto* gradient = std::get_if<reference::CntkGradient>(&geometry.form);
  if (gradient == nullptr) return {inputs.src, inputs.weights};
  return {inputs.diff_dst, gradient->by_weights ? inputs.src : inputs.weights};
}

/// The largest magnitude of those that are finite, 0 where none is.
inline double largest_magnitude(std::span<const double> values) {
  double most = 0;
  for (const double value : values) {
    if (std::isfinite(value)) most = std::max(most, std::fabs(value));
  }
  return most;
}

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_JUDGE_FACTORS_H_
