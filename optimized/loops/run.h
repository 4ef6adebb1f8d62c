// SPDX-License-Identifier: Apache-2.0
// Convolutions of more than three spatial axes, by plain loops: Algorithm::kLoops.
#ifndef CONCORD_OPTIMIZED_LOOPS_RUN_H_
#define CONCORD_OPTIMIZED_LOOPS_RUN_H_

#include "optimized/plan.h"

namespace concord::optimized {

/// Elements of the packed weights and bias, and of the workspace that each thread needs.
Extent loops_packed(const Shape& shape);
Extent loops_room(const Shape& shape);

/// Writes [OC, IC/G, K] and the bias behind it, dense.
void pack_loops(const Plan& plan, const void* weights, const void* bias, float* to);

/// Computes dst, a task for each of its rows.
/// Numeric  one f32 accumulator an output: bias first, then products in the order ic, k, the last
///          axis fastest; taps that meet padding are left out
void run_loops(const Plan& plan, const float* packed, const void* src, void* dst, float* workspace);

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_LOOPS_RUN_H_
