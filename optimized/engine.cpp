// SPDX-License-Identifier: Apache-2.0
#include "optimized/engine.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "optimized/any_plan.h"
#include "optimized/layout/stage.h"
#include "optimized/operations/atrous_chain.h"
#include "optimized/operations/continuous_chain.h"
#include "optimized/operations/space_to_batch.h"
#include "optimized/shape/verdict.h"
#include "spec/grid.h"
#include "spec/operations.h"

namespace concord::optimized {
namespace {

// A plan that packs, and one whose weights are read unpacked.
template <class P>
EnginePlan packing(P plan, const Extents& dst) {
  EnginePlan any{.dst_dims = dst};
  any.workspace_bytes = plan.workspace_bytes;
  any.one_shot_workspace_bytes = plan.one_shot_workspace_bytes;
  any.plan = std::make_shared<const AnyPlan>(AnyPlan{std::move(plan)});
  return any;
}

template <class P>
EnginePlan unpacked(P plan, const Extents& dst, std::size_t workspace_bytes) {
  return {.plan = std::make_shared<const AnyPlan>(AnyPlan{std::move(plan)}),
          .dst_dims = dst,
          .packs = false,
          .workspace_bytes = workspace_bytes,
          .one_shot_workspace_bytes = workspace_bytes};
}

// In a problem's tensor without strides the last axis is fastest, in one of CntkTensors the first.
Tensor with_strides(Tensor tensor) {
  if (tensor.strides.empty() && element_count(tensor.dims)) {
    tensor.strides = dense_strides(tensor.dims);
  }
  return tensor;
}

CntkTensors cntk_tensors(const Problem& problem) {
  CntkTensors tensors;
  tensors.dtype = problem.dtype;
  tensors.src = with_strides(problem.src);
  tensors.weights = problem.weights;
  if (problem.dst) tensors.dst = with_strides(*problem.dst);
  return tensors;
}

class Planner {
 public:
  Planner(const Problem& problem, const Options& options) : problem_(problem), options_(options) {}

  Result<EnginePlan> operator()(const SpaceToBatchAttributes& a) const {
    return moving(
        plan_space_to_batch(problem_.dtype, problem_.src, problem_.dst, a, options_.threads));
  }
  Result<EnginePlan> operator()(const BatchToSpaceAttributes& a) const {
    return moving(
        plan_batch_to_space(problem_.dtype, problem_.src, problem_.dst, a, options_.threads));
  }
  Result<EnginePlan> operator()(const AtrousChainAttributes& a) const {
    return chain(chain_stages(problem_, a), problem_.src.dims);
  }
  Result<EnginePlan> operator()(const ContinuousChainAttributes& a) const {
    const auto stages = continuous_chain_stages(problem_, a);
    if (!stages) return stages.why();
    return chain(stages, stages->stages.back().problem.dst->dims);
  }
  Result<EnginePlan> operator()(const CntkConvolutionAttributes& a) const {
    return cntk(infer_cntk(cntk_tensors(problem_), a, problem_.reading));
  }
  Result<EnginePlan> operator()(const CntkBackwardDataAttributes& a) const {
    return cntk_gradient(a, false);
  }
  Result<EnginePlan> operator()(const CntkBackwardWeightsAttributes& a) const {
    return cntk_gradient(a, true);
  }
  Result<EnginePlan> operator()(const CntkConvolution2dAttributes& a) const {
    return cntk(infer_cntk_2d(cntk_tensors(problem_), a, problem_.reading));
  }
  Result<EnginePlan> operator()(const ContinuousAttributes& a) const {
    const auto shape = layer(a, problem_.dst);
    if (!shape) return shape.why();
    auto plan = make_continuous_plan(*shape, ContinuousOptions{options_});
    if (!plan) return plan.why();
    return packing(*std::move(plan), shape->dst.dims);
  }
  Result<EnginePlan> operator()(const ContinuousBackwardDataAttributes& a) const {
    const auto shape = backward(a);
    if (!shape) return shape.why();
    auto plan = plan_input_gradient(
        *shape, problem_.dst ? *problem_.dst : without_strides(problem_.src), options_);
    if (!plan) return plan.why();
    const std::size_t bytes = plan->workspace_bytes;
    return unpacked(*std::move(plan), problem_.src.dims, bytes);
  }
  Result<EnginePlan> operator()(const ContinuousBackwardWeightsAttributes& a) const {
    const auto shape = backward(a);
    if (!shape) return shape.why();
    const Tensor dst = problem_.dst ? *problem_.dst : without_strides(problem_.weights);
    if (dst.dims != problem_.weights.dims) {
      return Refusal{Fault::kDst, "dst is given as " + to_string(dst) + " where weights are " +
                                      to_string(problem_.weights)};
    }
    auto plan = plan_theta_gradient(*shape, options_);
    if (!plan) return plan.why();
    const std::size_t bytes = plan->workspace_bytes;
    return unpacked(ThetaGradient{*std::move(plan), dst}, dst.dims, bytes);
  }
  Result<EnginePlan> operator()(const ContinuousBackwardGridAttributes& a) const {
    const auto shape = backward(a);
    if (!shape) return shape.why();
    const auto dst = result_of({2, shape->vertical.out, shape->horizontal.out});
    if (!dst) return dst.why();
    auto plan = plan_theta_gradient(*shape, options_, GradientWay::kFeatures);
    if (!plan) return plan.why();
    GridGradient gradient{*std::move(plan), {dst->dims, strides_of(*dst)}};
    const std::size_t bytes = gradient.grid_bytes() + gradient.plan.workspace_bytes;
    return unpacked(std::move(gradient), dst->dims, bytes);
  }
  Result<EnginePlan> operator()(const ContinuousBackwardKernelAttributes& a) const {
    const auto shape = backward(a);
    if (!shape) return shape.why();
    const auto dst = result_of(
        {1, shape->Cout, shape->Cin, shape->slots(), shape->vertical.out, shape->horizontal.out});
    if (!dst) return dst.why();
    auto plan = plan_kernel_gradient(*shape, *dst, options_);
    if (!plan) return plan.why();
    const std::size_t bytes = plan->workspace_bytes;
    return unpacked(*std::move(plan), dst->dims, bytes);
  }
  template <class A>
  requires(kRowOf<A>.facts.family == Family::kDiscrete) Result<EnginePlan>
  operator()(const A&) const { return discrete(); }
  // Every other operation has its own line, also if its attributes are derived from another's.
  template <class Other>
  Result<EnginePlan> operator()(const Other&) const = delete;

 private:
  Result<EnginePlan> chain(const Result<ChainStages>& stages, const Extents& dst) const {
    if (!stages) return stages.why();
    ChainPlan plan{.stages = {}, .buffer_bytes = stages->buffer_bytes};
    std::size_t workspace = 0;
    bool flushes = false;
    Options of_stages = direct(options_);
    if (of_stages.tuning) of_stages.tuning->packed = false;
    for (const auto& [stage, weights_at] : stages->stages) {
      auto planned = plan_problem(stage, of_stages);
      if (!planned) return planned.why();
      workspace = std::max(workspace, planned->one_shot_workspace_bytes);
      flushes = flushes || planned->flushes_subnormals;
      plan.stages.push_back({*std::move(planned), weights_at});
    }
    const std::size_t bytes = 2 * plan.buffer_bytes + workspace;
    EnginePlan any = unpacked(std::move(plan), dst, bytes);
    any.flushes_subnormals = flushes;
    return any;
  }

  // Where a result of these dims goes.
  Result<Tensor> result_of(const Extents& dims) const {
    Verdict verdict;
    check_tensor("dst", {dims, {}}, problem_.dtype, &verdict);
    if (problem_.dst && problem_.dst->dims != dims) {
      verdict.add(Fault::kDst, "dst is given as " + to_string(*problem_.dst) +
                                   " where the gradient is " + to_string(Tensor{dims, {}}));
    }
    if (verdict.first()) return *verdict.first();
    return problem_.dst.value_or(Tensor{dims, {}});
  }

  Result<EnginePlan> discrete() const {
    auto plan = make_plan(problem_, options_);
    if (!plan) return plan.why();
    const bool flushes = plan->flushes_subnormals;
    const bool is_bilinear = plan->as<Winograd>() != nullptr;
    const Extents dst = plan->dst_dims();
    EnginePlan any = packing(*std::move(plan), dst);
    any.flushes_subnormals = flushes;
    any.is_bilinear = is_bilinear;
    return any;
  }

  static Result<EnginePlan> moving(Result<PhasePlan> plan) {
    if (!plan) return plan.why();
    const Extents dst = plan->dst().dims;
    return unpacked(*std::move(plan), dst, 0);
  }

  Result<EnginePlan> cntk(const Result<CntkShape>& shape) const {
    if (!shape) return shape.why();
    auto plan = make_cntk_plan(*shape, direct(options_));
    if (!plan) return plan.why();
    const bool flushes = std::any_of(plan->parts.begin(), plan->parts.end(),
                                     [](const CntkPart& p) { return p.plan.flushes_subnormals; });
    EnginePlan any = packing(*std::move(plan), shape->dst.dims);
    any.flushes_subnormals = flushes;
    return any;
  }

  // The convolution is checked as its user states it, and then placed where the result is.
  Result<EnginePlan> cntk_gradient(const CntkConvolutionAttributes& a, bool by_weights) const {
    CntkTensors tensors = cntk_tensors(problem_);
    tensors.dst = with_strides(*problem_.diff_dst);
    auto shape = infer_cntk(tensors, a, problem_.reading);
    if (auto refused = of_gradient(shape)) return *refused;
    Tensor& result = by_weights ? tensors.weights : tensors.src;
    const Tensor dst = problem_.dst ? with_strides(*problem_.dst) : without_strides(result);
    if (dst.dims != result.dims) {
      return Refusal{Fault::kDst, "dst is given as " + to_string(dst) + " where the gradient is " +
                                      to_string(without_strides(result))};
    }
    result = dst;
    shape = infer_cntk(tensors, a, problem_.reading);
    if (!shape) return shape.why();
    auto plan = plan_cntk_gradient(*shape, by_weights, options_);
    if (!plan) return plan.why();
    const std::size_t bytes = plan->workspace_bytes;
    return unpacked(*std::move(plan), dst.dims, bytes);
  }

  Result<ContinuousShape> layer(const ContinuousAttributes& a,
                                const std::optional<Tensor>& dst) const {
    return infer_continuous(
        {.dtype = problem_.dtype, .src = problem_.src, .theta = problem_.weights, .dst = dst}, a);
  }

  // The layer whose dst is laid out as diff_dst.
  Result<ContinuousShape> backward(const ContinuousAttributes& a) const {
    auto shape = layer(a, problem_.diff_dst);
    if (auto refused = of_gradient(shape)) return *refused;
    return shape;
  }

  // The fault of a gradient whose forward operation, with diff_dst for its dst, has this shape.
  template <class Shape>
  std::optional<Refusal> of_gradient(const Result<Shape>& shape) const {
    std::optional<Refusal> refusal;
    if (!shape) refusal = shape.why();
    if (refusal && refusal->fault == Fault::kDst) {
      refusal = Refusal{Fault::kDiffDst, "diff_dst: " + refusal->detail};
    }
    const Tensor* const dst = problem_.dst ? &*problem_.dst : nullptr;
    return with_tensors(refusal, problem_.dtype, {{"dst", dst}});
  }

  const Problem& problem_;
  const Options& options_;
};

struct Packer {
  const void *weights, *bias;

  PackedWeights operator()(const Plan& plan) const { return share(pack(plan, weights, bias)); }
  template <class P>
  PackedWeights operator()(const P& plan) const {
    if constexpr (requires { pack(plan, weights); }) return share(pack(plan, weights));
    return nullptr;
  }

 private:
  template <class P>
  static PackedWeights share(P packed) {
    return std::make_shared<const AnyPacked>(AnyPacked{std::move(packed)});
  }
};

struct Executor {
  const AnyPacked* packed;
  const Operands& in;
  void* dst;
  void* workspace;

  void operator()(const Plan& plan) const {
    if (packed == nullptr) return execute(plan, in.src, in.weights, in.bias, dst, workspace);
    execute(plan, std::get<Packed>(packed->weights), in.src, dst, workspace);
  }
  void operator()(const PhasePlan& plan) const { execute(plan, in.src, dst); }
  void operator()(const ChainPlan& plan) const {
    auto* const buffers = static_cast<std::byte*>(workspace);
    const auto* const weights = static_cast<const std::byte*>(in.weights);
    Operands operands = in;
    for (std::size_t i = 0; i < plan.stages.size(); ++i) {
      const auto& [stage, weights_at] = plan.stages[i];
      void* const result = i + 1 == plan.stages.size() ? dst : buffers + i % 2 * plan.buffer_bytes;
      operands.weights = weights == nullptr ? nullptr : weights + weights_at;
      optimized::execute(stage, nullptr, operands, result, buffers + 2 * plan.buffer_bytes);
      operands.src = result;
    }
  }
  void operator()(const CntkPlan& plan) const { run<Packed>(plan); }
  void operator()(const ContinuousPlan& plan) const { run<ContinuousPacked>(plan); }
  void operator()(const ContinuousGradientPlan& plan) const {
    execute_input_gradient(plan, in.weights, in.diff_dst, dst, workspace);
  }
  void operator()(const ThetaGradient& gradient) const {
    execute_theta_gradient(gradient.plan, in.src, in.weights, in.diff_dst, gradient.dst, dst,
                           nullptr, workspace);
  }
  void operator()(const GridGradient& gradient) const {
    auto* const grid = static_cast<double*>(workspace);
    execute_theta_gradient(gradient.plan, in.src, in.weights, in.diff_dst, {}, nullptr, grid,
                           static_cast<std::byte*>(workspace) + gradient.grid_bytes());
    const ContinuousShape& s = gradient.plan.shape;
    const Extents& strides = gradient.dst.strides;
    const double* value = grid;
    for (const auto [axis, i, j] : Grid<3>{{2, s.vertical.out, s.horizontal.out}}) {
      store(s.dtype, *value++,
            element_at(dst, axis * strides[0] + i * strides[1] + j * strides[2], s.dtype));
    }
  }
  void operator()(const CntkGradientPlan& plan) const {
    if (plan.by_weights) {
      return execute_cntk_weights_gradient(plan, in.src, in.diff_dst, dst, workspace);
    }
    execute_cntk_input_gradient(plan, in.weights, in.diff_dst, dst, workspace);
  }
  void operator()(const KernelGradientPlan& plan) const {
    execute_kernel_gradient(plan, in.src, in.diff_dst, dst, workspace);
  }

 private:
  template <class Weights, class P>
  void run(const P& plan) const {
    if (packed == nullptr) return execute(plan, in.src, in.weights, dst, workspace);
    execute(plan, std::get<Weights>(packed->weights), in.src, dst, workspace);
  }
};

}  // namespace

Result<EnginePlan> plan_problem(const Problem& problem, const Options& options) {
  if (problem.dtype == Dtype::kF64 && is_continuous(problem.operation())) {
    return Refusal{Fault::kLimit, "the engine computes the continuous layer in f32"};
  }
  if (const auto refused = refuse_dtypes(problem)) return *refused;
  // A convolution's faults come before those of options.
  const auto refused = refuse_threads(options);
  if (refused && !is_discrete(problem.operation())) return *refused;
  return std::visit(Planner(problem, options), problem.attributes);
}

PackedWeights pack(const EnginePlan& plan, const void* weights, const void* bias) {
  return std::visit(Packer{weights, bias}, plan.plan->plan);
}

void execute(const EnginePlan& plan, const PackedWeights& packed, const Operands& in, void* dst,
             void* workspace) {
  std::visit(Executor{packed.get(), in, dst, workspace}, plan.plan->plan);
}

}  // namespace concord::optimized
