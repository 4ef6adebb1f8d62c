// SPDX-License-Identifier: Apache-2.0
// Packs for and runs a plan of Algorithm::kPointwiseNcx.
#ifndef CONCORD_OPTIMIZED_POINTWISE_RUN_H_
#define CONCORD_OPTIMIZED_POINTWISE_RUN_H_

#include "optimized/plan.h"

namespace concord::optimized {

/// Writes weights as [output channel][bias, if there is one, then input channels].
void pack_pointwise_ncx(const Plan& plan, const void* weights, const void* bias, float* to);

/// Computes dst from src and packed weights. `workspace` holds for each thread the panels of its
/// task: [panel][one, if there is a bias, then input channels][pixels].
void run_pointwise_ncx(const Plan& plan, const float* packed, const void* src, void* dst,
                       float* workspace);

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_POINTWISE_RUN_H_
