// SPDX-License-Identifier: Apache-2.0
// CNTK's Convolution with weights that are not shared along some axes.
#ifndef CONCORD_OPTIMIZED_OPERATIONS_CNTK_LOCAL_H_
#define CONCORD_OPTIMIZED_OPERATIONS_CNTK_LOCAL_H_

#include "optimized/operations/cntk.h"

namespace concord::optimized {

/// Plans plan->local and its thread pool.
void make_cntk_local(const Options& options, CntkPlan* plan);

/// Writes all runs, dense, as f32.
/// Shapes  `weights` lies as the steps of plan.shape say
void pack_cntk_local(const CntkPlan& plan, const void* weights, void* to);

/// Computes dst of all samples. `runs` are dense f32.
void run_cntk_local(const CntkPlan& plan, const void* runs, const void* src, void* dst,
                    void* workspace);

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_OPERATIONS_CNTK_LOCAL_H_
