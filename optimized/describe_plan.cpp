// SPDX-License-Identifier: Apache-2.0
// Plans of the engine's interface as readable text.
#include "optimized/any_plan.h"

namespace concord::optimized {
namespace {

std::string by_phases(const ContinuousGradientPlan& plan) {
  if (plan.way == GradientWay::kFeatures) return "";
  return std::to_string(plan.products.plans.size()) + " phases, " +
         std::to_string(plan.phases.block) + " outputs a product, ";
}

struct Describer {
  template <class P>
  std::string operator()(const P& plan) const {
    return describe(plan);
  }
  std::string operator()(const PhasePlan& plan) const {
    return "strided copies of " + std::to_string(plan.block * plan.block) + " phases an image";
  }
  std::string operator()(const ChainPlan& plan) const {
    std::string text = std::to_string(plan.stages.size()) + " stages";
    for (const auto& stage : plan.stages) text += "\n" + describe(stage.plan);
    return text;
  }
  std::string operator()(const ContinuousGradientPlan& plan) const {
    return "in f64, " + by_phases(plan) + std::to_string(plan.rows_at_once) +
           " rows of the input at once, " + std::to_string(plan.thread_bytes) +
           " bytes of workspace a thread";
  }
  std::string operator()(const ThetaGradient& gradient) const {
    return "in f64, " + by_phases(gradient.plan) + std::to_string(gradient.plan.chains) +
           " partial sums, " + std::to_string(gradient.plan.thread_bytes) +
           " bytes of workspace a thread";
  }
  std::string operator()(const GridGradient& gradient) const {
    return "in f64, with theta's; " + std::to_string(gradient.plan.thread_bytes) +
           " bytes of workspace a thread";
  }
  std::string operator()(const CntkGradientPlan& plan) const {
    return "in f64, " + std::to_string(plan.tasks) + " rows of the result, " +
           std::to_string(plan.thread_bytes) + " bytes of workspace a thread";
  }
  std::string operator()(const KernelGradientPlan& plan) const {
    return "in f64, a row of outputs at once, " + std::to_string(plan.thread_bytes) +
           " bytes of workspace a thread";
  }
};

}  // namespace

std::string describe(const EnginePlan& plan) { return std::visit(Describer{}, plan.plan->plan); }

std::string implementation(const EnginePlan& plan) {
  const Plan* const convolution = std::get_if<Plan>(&plan.plan->plan);
  return (convolution == nullptr ? "" : convolution->kernel() + ": ") + describe(plan);
}

}  // namespace concord::optimized
