// SPDX-License-Identifier: Apache-2.0
// The gradients of CNTK's N-dimensional Convolution. A task computes the elements of the result
// that differ along the first axis alone, from rows of the other tensors along that axis.
#ifndef CONCORD_OPTIMIZED_OPERATIONS_CNTK_GRADIENT_H_
#define CONCORD_OPTIMIZED_OPERATIONS_CNTK_GRADIENT_H_

#include "optimized/convolution.h"
#include "optimized/operations/cntk_shape.h"

namespace concord::optimized {

/// Numeric  sums in f64 in an order that does not depend on threads, rounded once
struct CntkGradientPlan {
  CntkShape shape{};        ///< the convolution; src, or weights, lie as the result does
  bool by_weights = false;  ///< else by the input
  Extent tasks = 0;
  std::shared_ptr<const ThreadPool> thread_pool{};
  std::size_t copy_bytes = 0;  ///< dense weights, where shape.copies_weights
  std::size_t thread_bytes = 0, workspace_bytes = 0;
};

/// Errors  kSyntax for an invalid option; kLimit for what fits no memory
Result<CntkGradientPlan> plan_cntk_gradient(const CntkShape& shape, bool by_weights,
                                            const Options& options);

/// Writes the gradient by the input.
/// Shapes  diff_dst as shape.dst, `result` as shape.src
void execute_cntk_input_gradient(const CntkGradientPlan& plan, const void* weights,
                                 const void* diff_dst, void* result, void* workspace);
/// Writes the gradient by the weights.
/// Shapes  src as shape.src, diff_dst as shape.dst, `result` as shape.weights
void execute_cntk_weights_gradient(const CntkGradientPlan& plan, const void* src,
                                   const void* diff_dst, void* result, void* workspace);

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_OPERATIONS_CNTK_GRADIENT_H_
