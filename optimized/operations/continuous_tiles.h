// SPDX-License-Identifier: Apache-2.0
// A continuous layer of any scale, in tiles.
#ifndef CONCORD_OPTIMIZED_OPERATIONS_CONTINUOUS_TILES_H_
#define CONCORD_OPTIMIZED_OPERATIONS_CONTINUOUS_TILES_H_

#include "optimized/operations/continuous.h"
#include "optimized/runtime/arena.h"

namespace concord::optimized {

/// Plans plan->tiles and what a thread needs.
/// Errors  kSyntax for an invalid option; kSize
std::optional<Refusal> plan_continuous_tiles(const ContinuousOptions& options,
                                             ContinuousPlan* plan);

/// What pack_continuous_tiles() leaves, laid out in memory, and what it needs only meanwhile.
struct PackedTiles {
  double* theta;
  float* product;
};
PackedTiles lay_out_packed_tiles(const ContinuousPlan& plan, Arena* arena);
std::size_t continuous_tiles_scratch_bytes(const ContinuousPlan& plan);
void pack_continuous_tiles(const ContinuousPlan& plan, const void* theta, const PackedTiles& packed,
                           void* scratch);

/// Computes dst. Each thread has plan.thread_bytes of the workspace.
void run_continuous_tiles(const ContinuousPlan& plan, const PackedTiles& packed, const void* src,
                          void* dst, std::byte* workspace);

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_OPERATIONS_CONTINUOUS_TILES_H_
