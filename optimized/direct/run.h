// SPDX-License-Identifier: Apache-2.0
// Runs a plan of Algorithm::kTiles.
#ifndef CONCORD_OPTIMIZED_DIRECT_RUN_H_
#define CONCORD_OPTIMIZED_DIRECT_RUN_H_

#include "optimized/plan.h"

namespace concord::optimized {

/// Computes dst from src and packed weights. `workspace` holds the staged src, then for each thread
/// the tiles of a task that are on their way to dst.
void run_tiles(const Plan& plan, const float* packed, const void* src, void* dst, float* workspace);

/// The same with weights as they lie, of a plan that packs_by_task(); `packed` is memory as large
/// as packed weights are.
void run_tiles_packing(const Plan& plan, const void* weights, const void* bias, float* packed,
                       const void* src, void* dst, float* workspace);

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_DIRECT_RUN_H_
