// SPDX-License-Identifier: Apache-2.0
// The same values, computed without sharing anything with the formulas: each input element is added
// to the outputs that need it.
#ifndef CONCORD_REFERENCE_SCATTER_H_
#define CONCORD_REFERENCE_SCATTER_H_

#include "reference/discrete.h"

namespace concord::reference {

/// Computes what evaluate_discrete() does, from the input's side: element i meets filter entry k in
/// output o where o * S + k * D = i + P, if there is such an output.
/// Shapes   as evaluate_discrete()
/// Numeric  in f64, in the order of the input's elements: equal to evaluate_discrete() where sums
///          are exact
Oracle scatter(const Geometry& geometry, std::span<const double> src,
               std::span<const double> weights, std::span<const double> bias);

}  // namespace concord::reference

#endif  // CONCORD_REFERENCE_SCATTER_H_
