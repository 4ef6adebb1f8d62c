// SPDX-License-Identifier: Apache-2.0
// Every operation but the discrete convolutions behind one interface: which function of this folder
// plans and computes it.
#ifndef CONCORD_OPTIMIZED_OPERATIONS_OPERATION_H_
#define CONCORD_OPTIMIZED_OPERATIONS_OPERATION_H_

#include <string>
#include <variant>

#include "optimized/operations/cntk.h"
#include "optimized/operations/continuous.h"
#include "optimized/operations/continuous_gradient.h"
#include "optimized/operations/space_to_batch.h"

namespace concord::optimized {

/// theta's gradient and where it goes.
struct ThetaGradient {
  ContinuousGradientPlan plan{};
  Tensor dst{};
};

/// What a problem's operation is planned as.
struct OperationPlan {
  std::variant<PhasePlan, CntkPlan, ContinuousPlan, ContinuousGradientPlan, ThetaGradient> plan;
  Extents dst{};                    ///< its dims
  bool packs = false;               ///< pack() makes execute() faster
  bool flushes_subnormals = false;  ///< as Plan's
  std::size_t workspace_bytes = 0;  ///< with packed weights
  std::size_t one_shot_workspace_bytes = 0;
};

/// Plans a problem of any operation that is not is_discrete().
/// Errors  the first fault in the order of the Fault enumeration; kSyntax for an option that cannot
///         be; kSize for what no memory holds
Result<OperationPlan> plan_operation(const Problem& problem, const Options& options = {});
/// The plan for people.
std::string describe(const OperationPlan& plan);

/// What follows from weights alone, of a plan that packs.
using PackedOperation = std::variant<std::monostate, Packed, ContinuousPacked>;
PackedOperation pack(const OperationPlan& plan, const void* weights);

/// The tensors of one call; null where the operation has none.
struct OperationInputs {
  const void *src = nullptr, *weights = nullptr, *diff_dst = nullptr;
};
/// Computes dst. With `packed`, workspace has workspace_bytes, and weights are not read; else it
/// has one_shot_workspace_bytes.
/// Errors  none
void execute(const OperationPlan& plan, const PackedOperation& packed, const OperationInputs& in,
             void* dst, void* workspace);

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_OPERATIONS_OPERATION_H_
