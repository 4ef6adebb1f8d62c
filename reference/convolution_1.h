// SPDX-License-Identifier: Apache-2.0
// Convolution-1 by its own document: docs/spec.md#convolution-1.
#ifndef CONCORD_REFERENCE_CONVOLUTION_1_H_
#define CONCORD_REFERENCE_CONVOLUTION_1_H_

#include "reference/discrete.h"

namespace concord::reference {

/// Checks a Convolution-1 and fixes its geometry.
///
///   X_O = floor((p_b + p_e + X_I - d(X_K - 1) - 1) / s) + 1
///
/// Errors  as resolve_discrete()
/// Source  docs/spec.md#convolution-1
Result<Geometry> resolve_convolution_1(const Problem& problem, const Convolution1Attributes& a);

/// Evaluates a Convolution-1; as evaluate_discrete().
Oracle evaluate_convolution_1(const Geometry& geometry, std::span<const double> input,
                              std::span<const double> filter, std::span<const double> bias);

}  // namespace concord::reference

#endif  // CONCORD_REFERENCE_CONVOLUTION_1_H_
