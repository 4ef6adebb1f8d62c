// SPDX-License-Identifier: Apache-2.0
// atrous_conv2d by its own document: docs/spec.md#atrous_conv2d.
#ifndef CONCORD_REFERENCE_TF_ATROUS_H_
#define CONCORD_REFERENCE_TF_ATROUS_H_

#include "reference/discrete.h"

namespace concord::reference {

/// Checks an atrous_conv2d and fixes its geometry.
///
///   SAME   out_height = in_height, with (filter_height - 1) * rate rows of padding
///   VALID  out_height = in_height - (filter_height - 1) * rate
///          as documented in_height - 2 * (filter_width - 1), and out_width with filter_height
///
/// Errors  as resolve_discrete()
/// Source  docs/spec.md#atrous_conv2d
Result<Geometry> resolve_tf_atrous(const Problem& problem, const AtrousConv2dAttributes& a);

/// Evaluates an atrous_conv2d; as evaluate_discrete(), hence channels first here, too.
Oracle evaluate_tf_atrous(const Geometry& geometry, std::span<const double> value,
                          std::span<const double> filters);

}  // namespace concord::reference

#endif  // CONCORD_REFERENCE_TF_ATROUS_H_
