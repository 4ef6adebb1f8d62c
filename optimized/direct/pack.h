// SPDX-License-Identifier: Apache-2.0
// Packs weights for Algorithm::kTiles.
#ifndef CONCORD_OPTIMIZED_DIRECT_PACK_H_
#define CONCORD_OPTIMIZED_DIRECT_PACK_H_

#include "optimized/plan.h"

namespace concord::optimized {

/// Writes weights, one group after the other, each panel as
/// [channel block][kd][kh][kw][channel][output channel padded to vectors], then the bias. Kernels
/// of bf16 get pairs of channels for channels, each two elements in the place of one f32.
void pack_tiles(const Plan& plan, const void* weights, const void* bias, float* to);

/// True if the kernels can pack blocks of panel `p` as they go.
bool can_pack_on_the_fly(const Plan& plan, Extent p);
/// What they are to pack: block `block` of that panel in group `g`.
PackJob pack_job_of(const Plan& plan, const void* weights, Extent g, Extent p, Extent block,
                    float* to);
/// Where such a block begins, as weights lie.
const char* first_row(const Plan& plan, const void* weights, Extent g, Extent p, Extent block);
/// Writes such a block at once, in the order of packed weights.
void pack_block(const Plan& plan, const void* weights, Extent g, Extent p, Extent block, float* to);
/// Writes the bias as it stands behind packed weights.
void pack_bias(const Plan& plan, const void* bias, float* to);

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_DIRECT_PACK_H_
