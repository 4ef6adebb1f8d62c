// SPDX-License-Identifier: Apache-2.0
// Packs weights for register tiles, all of them or one block.
#ifndef CONCORD_OPTIMIZED_DIRECT_PACK_H_
#define CONCORD_OPTIMIZED_DIRECT_PACK_H_

#include "optimized/direct/plan.h"

namespace concord::optimized {

/// A channel block of a panel of a group.
struct WeightBlock {
  Extent g, panel, block;
  bool operator==(const WeightBlock&) const = default;
};

/// True if weights lie as they would be packed, so that kernels can read them where they are.
bool lie_as_packed(const Context& context, const Tiling& t);
/// True if the kernels can pack blocks of panel `p` as they go.
bool can_pack_on_the_fly(const Context& context, const Tiling& t, Extent p);
/// What they are to pack.
PackJob pack_job_of(const Context& context, const Tiling& t, const void* weights,
                    const WeightBlock& at, void* to);
/// Where such a block begins, as weights lie.
const char* first_row(const Context& context, const Tiling& t, const void* weights,
                      const WeightBlock& at);
/// Writes such a block at once, in the order of packed weights.
void pack_block(const Context& context, const Tiling& t, const void* weights, const WeightBlock& at,
                void* to);
/// Writes the bias as it stands behind packed weights; `packed` is where those begin.
void pack_bias(const Context& context, const Tiling& t, const void* bias, void* packed);

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_DIRECT_PACK_H_
