// SPDX-License-Identifier: Apache-2.0
// What the plan of the engine's interface holds: a plan of one of the operations.
#ifndef CONCORD_OPTIMIZED_ANY_PLAN_H_
#define CONCORD_OPTIMIZED_ANY_PLAN_H_

#include <variant>
#include <vector>

#include "optimized/convolution.h"
#include "optimized/engine.h"
#include "optimized/operations/chain_stages.h"
#include "optimized/operations/cntk.h"
#include "optimized/operations/cntk_gradient.h"
#include "optimized/operations/continuous.h"
#include "optimized/operations/continuous_gradient.h"
#include "optimized/operations/space_to_batch.h"

namespace concord::optimized {

/// The stages of a chain. Between them results lie in one of two buffers, by turns.
struct ChainPlan {
  struct Stage {
    EnginePlan plan{};
    std::size_t weights_at = 0;
  };
  std::vector<Stage> stages{};
  std::size_t buffer_bytes = 0;
};

/// theta's gradient and where it goes.
struct ThetaGradient {
  ContinuousGradientPlan plan{};
  Tensor dst{};
};

/// The grid's gradient, in f64 before it is rounded to where it goes.
struct GridGradient {
  ContinuousGradientPlan plan{};
  Tensor dst{};

  std::size_t grid_bytes() const {
    return in_whole_lines(static_cast<std::size_t>(2 * plan.shape.outputs()) * sizeof(double));
  }
};

struct AnyPlan {
  std::variant<Plan, PhasePlan, CntkPlan, ContinuousPlan, ContinuousGradientPlan, ThetaGradient,
               GridGradient, KernelGradientPlan, CntkGradientPlan, ChainPlan>
      plan;
};
struct AnyPacked {
  std::variant<Packed, ContinuousPacked> weights;
};

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_ANY_PLAN_H_
