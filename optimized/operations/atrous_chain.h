// SPDX-License-Identifier: Apache-2.0
// A chain of atrous_conv2d as a sequence of problems of other operations: one atrous_conv2d a
// layer, or as documented space_to_batch, one dense convolution a layer, batch_to_space.
#ifndef CONCORD_OPTIMIZED_OPERATIONS_ATROUS_CHAIN_H_
#define CONCORD_OPTIMIZED_OPERATIONS_ATROUS_CHAIN_H_

#include "optimized/operations/chain_stages.h"
#include "spec/result.h"

namespace concord::optimized {

/// Shapes  problem is an AtrousChain: src [B,H,W,C], weights [layers,kh,kw,C,C], dst as src
/// Errors  the first of kRank, kSize, kLayout, kDilations, kChannels, kKernel, kDst, as
///         docs/spec.md#the-other-two-ways-and-the-chain lists them
Result<ChainStages> chain_stages(const Problem& problem, const AtrousChainAttributes& a);

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_OPERATIONS_ATROUS_CHAIN_H_
