// SPDX-License-Identifier: Apache-2.0
// A chain of continuous layers, of the sizes that Eq. 4 gives: not those of one layer after
// another, each of which would round its own.
#ifndef CONCORD_REFERENCE_CONTINUOUS_CHAIN_H_
#define CONCORD_REFERENCE_CONTINUOUS_CHAIN_H_

#include <span>
#include <vector>

#include "reference/continuous.h"

namespace concord::reference {

/// The layers of a chain, each of which has the output of the one before it for its input.
struct ContinuousChainGeometry {
  std::vector<ContinuousGeometry> layers{};

  Extents dst() const { return layers.back().dst(); }
};

/// Shapes  src [N,C,H,W], theta [layers,parameters]
/// Errors  kRank; kSize: an extent is negative, not as many scales of either axis; kScale: one is not
///         positive; if all are, kSize as chain_sizes(), whose target is their product, what
///         resolve_continuous() has, and kTheta: theta does not have a row for each layer
/// Source  docs/spec.md#chains
Result<ContinuousChainGeometry> resolve_continuous_chain(const Extents& src, const Extents& theta,
                                                         const ContinuousChainAttributes& a);

/// Shapes   src and theta as above, dense; the result [N,C,H',W']
/// Numeric  f64; a layer's magnitudes are those of its input through those of its weights
Oracle evaluate_continuous_chain(const ContinuousChainGeometry& chain, std::span<const double> src,
                                 std::span<const double> theta);

/// How many roundings lie between an input and an output: those of all layers.
Extent chain_roundings(const ContinuousChainGeometry& chain);

}  // namespace concord::reference

#endif  // CONCORD_REFERENCE_CONTINUOUS_CHAIN_H_
