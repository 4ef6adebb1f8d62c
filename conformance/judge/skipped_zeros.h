// SPDX-License-Identifier: Apache-2.0
// The result of a library that skips products with zero weights, as sparse kernels do.
// Source: docs/numerics.md#special-values
#ifndef CONCORD_CONFORMANCE_JUDGE_SKIPPED_ZEROS_H_
#define CONCORD_CONFORMANCE_JUDGE_SKIPPED_ZEROS_H_

#include <span>
#include <vector>

#include "conformance/fill/fill.h"
#include "plugin/concord_plugin.h"
#include "reference/reference.h"

namespace concord::conformance {

/// True of a class that may skip them, where the operation is a sum of products.
bool may_skip_zero_weights(const reference::Resolution& resolution,
                           const concord_arithmetic& arithmetic);

/// The output without all products by a weight that is 0.
struct SkippedZeros {
  std::vector<bool> differs{};  ///< elements where such a product is NaN
  reference::Oracle oracle{};   ///< which need not be the right one where `differs` is false
};
SkippedZeros skip_zero_weights(const Problem& problem, const reference::Resolution& resolution,
                               const Inputs& inputs);

/// What is wanted of `got`: `plain`, but where elements differ and got is no NaN what is left if
/// all is skipped. If any of the products is not skipped, the element is NaN, as in `plain`.
reference::Oracle wanted_with(const SkippedZeros& skipped, const reference::Oracle& plain,
                              std::span<const double> got);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_JUDGE_SKIPPED_ZEROS_H_
