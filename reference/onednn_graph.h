// SPDX-License-Identifier: Apache-2.0
// The Convolution of the oneDNN Graph by its own document: docs/spec.md#onednn-graph-convolution.
#ifndef CONCORD_REFERENCE_ONEDNN_GRAPH_H_
#define CONCORD_REFERENCE_ONEDNN_GRAPH_H_

#include "reference/discrete.h"

namespace concord::reference {

/// Checks a Convolution and fixes its geometry.
///
///   OH = floor((IH - DKH + PH_L + PH_R) / SH) + 1,   DKH = 1 + (KH - 1) * DH
///
/// Errors  as resolve_discrete()
/// Source  docs/spec.md#onednn-graph-convolution
Result<Geometry> resolve_onednn_graph(const Problem& problem, const ConvolutionAttributes& a);

/// Evaluates a Convolution; as evaluate_discrete().
Oracle evaluate_onednn_graph(const Geometry& geometry, std::span<const double> src,
                             std::span<const double> weights, std::span<const double> bias);

}  // namespace concord::reference

#endif  // CONCORD_REFERENCE_ONEDNN_GRAPH_H_
