// SPDX-License-Identifier: Apache-2.0
// Packs for and runs a plan of Algorithm::kAmx.
#ifndef CONCORD_OPTIMIZED_AMX_RUN_H_
#define CONCORD_OPTIMIZED_AMX_RUN_H_

#include "optimized/plan.h"

namespace concord::optimized {

/// Writes weights, one group after the other, each panel as
/// [kd][kh][step][tile of 16 channels][chunk / 2][output channel][2], then the bias in f32, then
/// for each panel 1 if one of its weights is not finite, else 0.
void pack_amx(const Plan& plan, const void* weights, const void* bias, float* to);

/// Computes dst from src and packed weights. `workspace` holds for each thread the rows of src that
/// its task needs and the sums of two tiles.
/// Numeric  padding is either left out or, where it is not the same, multiplied as zeros: if a
///          weight is not finite, all of it that meets copied rows is multiplied
void run_amx(const Plan& plan, const float* packed, const void* src, void* dst, float* workspace);

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_AMX_RUN_H_
