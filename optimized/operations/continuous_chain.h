// SPDX-License-Identifier: Apache-2.0
// A chain of continuous layers as a sequence of layers, whose sizes are given by Eq. 4.
#ifndef CONCORD_OPTIMIZED_OPERATIONS_CONTINUOUS_CHAIN_H_
#define CONCORD_OPTIMIZED_OPERATIONS_CONTINUOUS_CHAIN_H_

#include "optimized/operations/chain_stages.h"
#include "spec/result.h"

namespace concord::optimized {

/// Shapes  problem is a ContinuousChain: src [N,C,H,W], weights [layers,parameters]
/// Errors  the first of kRank, kSize, kLayout, kScale, kKernel, kWidths, kTheta, kDst, as
///         docs/spec.md#chains lists them
Result<ChainStages> continuous_chain_stages(const Problem& problem,
                                            const ContinuousChainAttributes& a);

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_OPERATIONS_CONTINUOUS_CHAIN_H_
