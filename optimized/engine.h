// SPDX-License-Identifier: Apache-2.0
// The engine, all that others need of it: a problem of any operation is planned once, its weights
// may be packed once, then it is executed any number of times.
//
//   const auto plan = plan_problem(problem, {.threads = 2});
//   if (!plan) return plan.why();
//   const PackedWeights packed = pack(*plan, weights, bias);
//   std::vector<std::byte> workspace(plan->workspace_bytes);
//   execute(*plan, packed, {.src = src}, dst, workspace.data());
#ifndef CONCORD_OPTIMIZED_ENGINE_H_
#define CONCORD_OPTIMIZED_ENGINE_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "optimized/options.h"
#include "spec/problem.h"

namespace concord::optimized {

/// What a problem's operation is planned as.
struct AnyPlan;

struct EnginePlan {
  std::shared_ptr<const AnyPlan> plan{};
  Extents dst_dims{};               ///< in the axis order of the problem
  bool packs = true;                ///< pack() makes execute() faster
  bool flushes_subnormals = false;  ///< subnormal inputs and sums may count as zero
  bool is_bilinear = false;         ///< by Winograd's algorithm
  std::size_t workspace_bytes = 0;  ///< with packed weights
  std::size_t one_shot_workspace_bytes = 0;
};

/// Checks `problem` and decides how to compute it. Nothing is computed yet.
/// Errors  the first fault in the order of the Fault enumeration; kSyntax for an invalid
///         option; kLimit for a valid problem that the engine does not serve
Result<EnginePlan> plan_problem(const Problem& problem, const Options& options = {});

/// The plan as readable text: algorithm, kernel, tile, blocks, packing, memory; several lines.
std::string describe(const EnginePlan& plan);
/// The same after the name of the kernels that run, where one name says it.
std::string implementation(const EnginePlan& plan);

/// Packed weights and bias, for the plan that packed them; null: nothing is packed.
struct AnyPacked;
using PackedWeights = std::shared_ptr<const AnyPacked>;
/// Null for a plan that does not pack.
PackedWeights pack(const EnginePlan& plan, const void* weights, const void* bias);

/// The tensors of one call; null where the operation has none.
struct Operands {
  const void *src = nullptr, *weights = nullptr, *bias = nullptr, *diff_dst = nullptr;
};
/// Computes dst, reading and writing no byte outside the tensors' elements; gaps between elements
/// of dst are not touched. With `packed`, workspace has workspace_bytes, and weights and bias are
/// not read; else it has one_shot_workspace_bytes.
/// Shapes  pointers are to the element at index 0, aligned for the dtype; `workspace` has any
///         content and is aligned for double
/// Errors  none: plan_problem() has refused what cannot be computed
void execute(const EnginePlan& plan, const PackedWeights& packed, const Operands& in, void* dst,
             void* workspace);

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_ENGINE_H_
