// SPDX-License-Identifier: Apache-2.0
// Packs weights for Algorithm::kTiles.
#ifndef CONCORD_OPTIMIZED_PACK_TILES_H_
#define CONCORD_OPTIMIZED_PACK_TILES_H_

#include "optimized/plan.h"

namespace concord::optimized {

/// Writes weights, one group after the other, each panel as
/// [channel block][kd][kh][kw][channel][output channel padded to vectors], then the bias. Kernels
/// of bf16 get pairs of channels for channels, each two elements in the place of one f32.
void pack_tiles(const Plan& plan, const void* weights, const void* bias, float* to);

/// True where weights are better packed by the tasks, each channel block of a panel just before it
/// is used: one task alone uses it, and its rows of output channels lie together.
bool packs_by_task(const Plan& plan);
/// Elements of the largest such block.
Extent largest_block(const Tiling& tiling);
/// Writes channel block `block` of panel `p` of group `g`, as it stands in packed weights.
void pack_block(const Plan& plan, const void* weights, Extent g, Extent p, Extent block, float* to);
/// Writes the bias as it stands behind packed weights.
void pack_bias(const Plan& plan, const void* bias, float* to);

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_PACK_TILES_H_
