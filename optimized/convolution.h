// SPDX-License-Identifier: Apache-2.0
// The discrete convolutions: a problem is planned once, its weights may be packed once, then it is
// executed any number of times.
//
//   const auto plan = make_plan(problem, {.threads = 2});
//   if (!plan) return plan.why();
//   const Packed packed = pack(*plan, weights, bias);
//   std::vector<std::byte> workspace(plan->workspace_bytes);
//   execute(*plan, packed, src, dst, workspace.data());
//
// Numeric  products of the inputs as they are, each output summed in one accumulator, f64 for f64
//          and else f32 (bias first, then channel blocks, taps and channels in a fixed order),
//          rounded once to the dtype; the same bits for any number of threads and any alignment
//          Kernels of bf16 pairs sum up to 32 products before they add to the accumulator, and
//          flush subnormal numbers: docs/numerics.md, "What our engine declares".
#ifndef CONCORD_OPTIMIZED_CONVOLUTION_H_
#define CONCORD_OPTIMIZED_CONVOLUTION_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "optimized/plan.h"

namespace concord::optimized {

/// Checks `problem` and decides how to compute it. Nothing is computed yet, unless options.tuning
/// asks for plans to be measured.
/// Errors  those of infer_shape(); kLimit for a tensor that no memory holds and a window
///         whose taps a plan could not list; kSyntax for an invalid option
Result<Plan> make_plan(const Problem& problem, const Options& options = {});
/// The same, never measured, for a shape that no problem need have: strides of src, weights and dst
/// may be those of parts of larger tensors.
/// Shapes  every extent that infer_shape() lets pass, of tensors that fit the memory; P >= 0;
///         O at most the positions where a window begins before the end of the padded input
/// Errors  kSyntax for an invalid option
Result<Plan> make_plan(const Shape& shape, const Options& options);

/// The plan as readable text: algorithm, kernel, tile, blocks, packing, memory; several lines.
std::string describe(const Plan& plan);

/// Weights and bias in the order that the plan's kernels read; valid for that plan only.
class Packed {
 public:
  /// Room for them at the beginning of a cache line: a vector is then never in two.
  explicit Packed(std::size_t bytes);
  void* data() { return memory_.get(); }
  const void* data() const { return memory_.get(); }

 private:
  struct Delete {
    void operator()(std::byte* memory) const;
  };
  std::unique_ptr<std::byte[], Delete> memory_;
};

/// Packs `weights` and `bias`, which lie as the problem says; bias is null where it has none.
Packed pack(const Plan& plan, const void* weights, const void* bias);

/// Computes dst, reading and writing no byte outside the tensors' elements; gaps between elements
/// of dst are not touched.
/// Shapes  pointers are to the element at index 0, aligned for the dtype, null only for a tensor
///         without elements; `workspace` has plan.workspace_bytes bytes of any content, aligned for
///         what is computed in, float or double
/// Errors  none: make_plan() has refused what cannot be computed
void execute(const Plan& plan, const Packed& packed, const void* src, void* dst, void* workspace);

/// The same, with on-the-fly packing; `workspace` has plan.one_shot_workspace_bytes bytes.
void execute(const Plan& plan, const void* src, const void* weights, const void* bias, void* dst,
             void* workspace);

/// The two halves of the above for callers that keep the packed weights of several plans:
/// plan.packed_bytes bytes at `to`, and from there dst.
void pack_into(const Plan& plan, const void* weights, const void* bias, void* to);
void run_packed(const Plan& plan, const void* packed, const void* src, void* dst, void* workspace);

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_CONVOLUTION_H_
