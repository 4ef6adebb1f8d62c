// SPDX-License-Identifier: Apache-2.0
#include "optimized/operations/operation.h"

#include <algorithm>

#include "optimized/shape/verdict.h"
#include "spec/check.h"

namespace concord::optimized {
namespace {

// Winograd's algorithm is for those who ask for it by the operations that it is declared for.
Options direct(Options options) {
  options.winograd = 0;
  return options;
}

template <class Plan>
OperationPlan packing(Plan plan, const Extents& dst) {
  OperationPlan operation{.plan = {}, .dst = dst, .packs = true};
  operation.workspace_bytes = plan.workspace_bytes;
  operation.one_shot_workspace_bytes = plan.one_shot_workspace_bytes;
  operation.plan = std::move(plan);
  return operation;
}

template <class Plan>
OperationPlan unpacked(Plan plan, const Extents& dst, std::size_t workspace_bytes) {
  OperationPlan operation{.plan = std::move(plan), .dst = dst};
  operation.workspace_bytes = operation.one_shot_workspace_bytes = workspace_bytes;
  return operation;
}

// A problem's tensor without strides has its last axis fastest, one of CntkTensors its first.
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

  Result<OperationPlan> operator()(const SpaceToBatchAttributes& a) const {
    return moving(
        plan_space_to_batch(problem_.dtype, problem_.src, problem_.dst, a, options_.threads));
  }
  Result<OperationPlan> operator()(const BatchToSpaceAttributes& a) const {
    return moving(
        plan_batch_to_space(problem_.dtype, problem_.src, problem_.dst, a, options_.threads));
  }
  Result<OperationPlan> operator()(const CntkConvolutionAttributes& a) const {
    return cntk(infer_cntk(cntk_tensors(problem_), a, problem_.reading));
  }
  Result<OperationPlan> operator()(const CntkConvolution2dAttributes& a) const {
    return cntk(infer_cntk_2d(cntk_tensors(problem_), a, problem_.reading));
  }
  Result<OperationPlan> operator()(const ContinuousAttributes& a) const {
    const auto shape = layer(a, problem_.dst);
    if (!shape) return shape.why();
    ContinuousOptions options;
    options.threads = options_.threads;
    options.isa = options_.isa;
    auto plan = make_continuous_plan(*shape, options);
    if (!plan) return plan.why();
    return packing(*std::move(plan), shape->dst.dims);
  }
  Result<OperationPlan> operator()(const ContinuousBackwardDataAttributes& a) const {
    const auto shape = backward(a);
    if (!shape) return shape.why();
    auto plan = plan_input_gradient(
        *shape, problem_.dst ? *problem_.dst : without_strides(problem_.src), options_);
    if (!plan) return plan.why();
    const std::size_t bytes = plan->workspace_bytes;
    return unpacked(*std::move(plan), problem_.src.dims, bytes);
  }
  Result<OperationPlan> operator()(const ContinuousBackwardWeightsAttributes& a) const {
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
  template <class Discrete>
  Result<OperationPlan> operator()(const Discrete&) const {
    CONCORD_CHECK(false) << "make_plan() is for " << to_string(problem_.operation());
    return Refusal{Fault::kSyntax, ""};
  }

 private:
  static Result<OperationPlan> moving(Result<PhasePlan> plan) {
    if (!plan) return plan.why();
    const Extents dst = plan->dst().dims;
    return unpacked(*std::move(plan), dst, 0);
  }

  Result<OperationPlan> cntk(const Result<CntkShape>& shape) const {
    if (!shape) return shape.why();
    auto plan = make_cntk_plan(*shape, direct(options_));
    if (!plan) return plan.why();
    const bool flushes = std::any_of(plan->parts.begin(), plan->parts.end(),
                                     [](const CntkPart& p) { return p.plan.flushes_subnormals; });
    OperationPlan operation = packing(*std::move(plan), shape->dst.dims);
    operation.flushes_subnormals = flushes;
    return operation;
  }

  Result<ContinuousShape> layer(const ContinuousAttributes& a,
                                const std::optional<Tensor>& dst) const {
    return infer_continuous(
        {.dtype = problem_.dtype, .src = problem_.src, .theta = problem_.weights, .dst = dst}, a);
  }

  // The layer whose dst is laid out as diff_dst.
  Result<ContinuousShape> backward(const ContinuousAttributes& a) const {
    auto shape = layer(a, problem_.diff_dst);
    std::optional<Refusal> refusal;
    if (!shape) refusal = shape.why();
    if (refusal && refusal->fault == Fault::kDst) {
      refusal = Refusal{Fault::kDiffDst, "diff_dst: " + refusal->detail};
    }
    const Tensor* const dst = problem_.dst ? &*problem_.dst : nullptr;
    if (auto refused = with_tensors(refusal, problem_.dtype, {{"dst", dst}})) return *refused;
    return shape;
  }

  const Problem& problem_;
  const Options& options_;
};

struct Describer {
  std::string operator()(const PhasePlan& plan) const {
    return "strided copies of " + std::to_string(plan.block * plan.block) + " phases an image";
  }
  std::string operator()(const CntkPlan& plan) const { return describe(plan); }
  std::string operator()(const ContinuousPlan& plan) const { return describe(plan); }
  std::string operator()(const ContinuousGradientPlan& plan) const {
    return "in f64, " + std::to_string(plan.rows_at_once) + " rows of the input at once, " +
           std::to_string(plan.thread_bytes) + " bytes of workspace a thread";
  }
  std::string operator()(const ThetaGradient& gradient) const {
    return "in f64, " + std::to_string(gradient.plan.chains) + " partial sums, " +
           std::to_string(gradient.plan.thread_bytes) + " bytes of workspace a thread";
  }
};

struct Executor {
  const PackedOperation& packed;
  const OperationInputs& in;
  void* dst;
  void* workspace;

  void operator()(const PhasePlan& plan) const { execute(plan, in.src, dst); }
  void operator()(const CntkPlan& plan) const {
    if (const auto* weights = std::get_if<Packed>(&packed)) {
      execute(plan, *weights, in.src, dst, workspace);
    } else {
      execute(plan, in.src, in.weights, dst, workspace);
    }
  }
  void operator()(const ContinuousPlan& plan) const {
    if (const auto* theta = std::get_if<ContinuousPacked>(&packed)) {
      execute(plan, *theta, in.src, dst, workspace);
    } else {
      execute(plan, in.src, in.weights, dst, workspace);
    }
  }
  void operator()(const ContinuousGradientPlan& plan) const {
    execute_input_gradient(plan, in.weights, in.diff_dst, dst, workspace);
  }
  void operator()(const ThetaGradient& gradient) const {
    execute_theta_gradient(gradient.plan, in.src, in.weights, in.diff_dst, gradient.dst, dst,
                           nullptr, workspace);
  }
};

}  // namespace

Result<OperationPlan> plan_operation(const Problem& problem, const Options& options) {
  if (options.threads < 1) {
    return Refusal{Fault::kSyntax,
                   "the option threads is " + std::to_string(options.threads) + ", less than 1"};
  }
  return std::visit(Planner(problem, options), problem.attributes);
}

std::string describe(const OperationPlan& plan) { return std::visit(Describer{}, plan.plan); }

PackedOperation pack(const OperationPlan& plan, const void* weights) {
  if (const auto* cntk = std::get_if<CntkPlan>(&plan.plan)) return pack(*cntk, weights);
  if (const auto* layer = std::get_if<ContinuousPlan>(&plan.plan)) return pack(*layer, weights);
  return std::monostate{};
}

void execute(const OperationPlan& plan, const PackedOperation& packed, const OperationInputs& in,
             void* dst, void* workspace) {
  std::visit(Executor{packed, in, dst, workspace}, plan.plan);
}

}  // namespace concord::optimized
