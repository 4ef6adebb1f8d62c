// SPDX-License-Identifier: Apache-2.0
// Runs a plan of Algorithm::kGroups.
#ifndef CONCORD_OPTIMIZED_GROUPED_RUN_H_
#define CONCORD_OPTIMIZED_GROUPED_RUN_H_

#include "optimized/plan.h"

namespace concord::optimized {

/// Computes dst from src and packed weights. `workspace` holds the staged src, then for each thread
/// the rows of a call that are on their way to dst.
void run_groups(const Plan& plan, const float* packed, const void* src, void* dst,
                float* workspace);

/// The same with weights as they lie, of a plan that reads_raw(); `packed` is memory as large as
/// packed weights are.
void run_groups_raw(const Plan& plan, const void* weights, const void* bias, float* packed,
                    const void* src, void* dst, float* workspace);

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_GROUPED_RUN_H_
