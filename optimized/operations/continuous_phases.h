// SPDX-License-Identifier: Apache-2.0
// A continuous layer of rational scale as discrete convolutions, interleaved.
#ifndef CONCORD_OPTIMIZED_OPERATIONS_CONTINUOUS_PHASES_H_
#define CONCORD_OPTIMIZED_OPERATIONS_CONTINUOUS_PHASES_H_

#include "optimized/operations/continuous.h"
#include "optimized/operations/continuous_net.h"
#include "optimized/runtime/arena.h"

namespace concord::optimized {

/// True if outputs a multiple of k apart have the same weights, and strides in bounds.
bool has_phases(const ContinuousShape& shape);

/// True if it has, and phases have so many outputs each that their weights are worth keeping.
bool phases_pay(const ContinuousShape& shape);

/// Plans plan->phases and what a thread needs.
/// Errors  kSyntax for an invalid option; kSize if a band or the weights do not fit memory
std::optional<Refusal> plan_continuous_phases(const ContinuousOptions& options,
                                              ContinuousPlan* plan);

/// Evaluates the kernel at each phase's distances and packs the weights.
/// Shapes  `packed` has plan.packed_bytes bytes, `scratch` those of the function below
void pack_continuous_phases(const ContinuousPlan& plan, const void* theta, float* packed,
                            void* scratch);
std::size_t continuous_phases_scratch_bytes(const ContinuousPlan& plan);

/// Writes what the net is asked at for an output of these supports, a column a distance; zeros
/// behind the last one.
/// Shapes  to [2, shape.inputs()]
void write_phase_distances(const ContinuousShape& shape, const Support& vertical,
                           const Support& horizontal, MatrixMap* to);

/// Computes dst. Each thread has plan.thread_bytes of the workspace.
void run_continuous_phases(const ContinuousPlan& plan, const float* packed, const void* src,
                           void* dst, std::byte* workspace);

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_OPERATIONS_CONTINUOUS_PHASES_H_
