// SPDX-License-Identifier: Apache-2.0
#include "optimized/engine.h"

#include <cstdint>
#include <new>

#include "optimized/amx/run.h"
#include "optimized/direct/on_the_fly.h"
#include "optimized/direct/pack.h"
#include "optimized/direct/plan.h"
#include "optimized/direct/run.h"
#include "optimized/grouped/pack.h"
#include "optimized/grouped/run.h"
#include "optimized/loops/run.h"
#include "optimized/pointwise/run.h"
#include "optimized/runtime/kernel_table.h"

namespace concord::optimized {
namespace {

constexpr std::align_val_t kLine{64};
// More than any memory holds, and little enough that sizes of workspaces do not overflow.
constexpr Extent kMostElements = Extent{1} << 52;

// Taps along an axis, which a plan lists one by one.
constexpr Extent kMostTaps = Extent{1} << 22;

std::size_t bytes_of(Extent floats) { return static_cast<std::size_t>(floats) * sizeof(float); }

bool is_too_large(const Tensor& tensor) {
  return element_count(tensor.dims).value_or(kMostElements) >= kMostElements;
}

// Without input channels nothing is read, so that one tap that never meets padding says as much as
// the kernel does, whose taps may be more than can be counted: its tensor has no elements.
Shape without_window(Shape shape) {
  shape.I = shape.O;
  shape.K = shape.S = shape.D = {1, 1, 1};
  shape.P = {};
  shape.src = shape.weights = {};
  for (OuterAxis& x : shape.outer) {
    x.I = x.O;
    x.K = x.S = x.D = 1;
    x.P = x.src_step = x.weights_step = 0;
  }
  return shape;
}

std::optional<std::string> too_many_taps(const Shape& shape) {
  if (shape.is_empty() || shape.IC == 0) return std::nullopt;
  std::vector<Extent> kernel(shape.K.begin(), shape.K.end());
  for (const OuterAxis& x : shape.outer) kernel.push_back(x.K);
  for (const Extent taps : kernel) {
    if (taps <= kMostTaps) continue;
    return "a window of " + std::to_string(taps) + " taps along an axis, more than " +
           std::to_string(kMostTaps);
  }
  return std::nullopt;
}

template <class Part>
void set_memory(const Part& part, int threads, Plan* plan) {
  plan->packed_bytes = bytes_of(part.packed_elements());
  plan->workspace_bytes = bytes_of(part.staged_src() + threads * part.staged_dst());
  plan->one_shot_workspace_bytes = plan->packed_bytes + plan->workspace_bytes;
}

// Decides how to compute a shape that is not empty.
void choose_algorithm(const Options& options, Plan* plan) {
  const Shape& shape = plan->shape;
  if (!shape.outer.empty()) {
    plan->algorithm = Algorithm::kLoops;
    plan->packed_bytes = bytes_of(loops_packed(shape));
    plan->workspace_bytes = bytes_of(options.threads * loops_room(shape));
    plan->one_shot_workspace_bytes = plan->packed_bytes + plan->workspace_bytes;
    return;
  }
  if (options.winograd != 0) {
    if (auto winograd = make_winograd(shape, plan->isa, options.winograd, options.threads)) {
      plan->algorithm = Algorithm::kWinograd;
      plan->winograd = *std::move(winograd);
      return set_memory(plan->winograd, options.threads, plan);
    }
  }
  const bool channels_last = shape.src.channel == 1 && shape.dst.channel == 1;
  const Dtype read = channels_last ? shape.dtype : Dtype::kF32;
  for (const GroupedFamily* groups :
       {paired_groups_for(plan->isa, read), &groups_for(plan->isa, read)}) {
    if (groups == nullptr) continue;
    auto grouping = make_grouping(shape, *groups, options.threads);
    if (!grouping) continue;
    plan->algorithm = Algorithm::kGroups;
    plan->grouping = *grouping;
    plan->flushes_subnormals = grouping->reads_pairs();
    return set_memory(plan->grouping, options.threads, plan);
  }
  if (const AmxFamily* blocks = amx_for(plan->isa, shape.dtype)) {
    if (auto amx = make_amx_plan(shape, *blocks, options.threads)) {
      plan->algorithm = Algorithm::kAmx;
      plan->amx = *std::move(amx);
      plan->flushes_subnormals = true;
      return set_memory(plan->amx, options.threads, plan);
    }
  }
  const TileFamily& tiles = tiles_for(plan->isa, shape.dtype);
  if (auto pointwise = make_pointwise_ncx(shape, tiles, options.threads)) {
    plan->algorithm = Algorithm::kPointwiseNcx;
    plan->pointwise_ncx = *pointwise;
    return set_memory(plan->pointwise_ncx, options.threads, plan);
  }
  plan->algorithm = Algorithm::kTiles;
  plan->tiling = make_tiling(shape, tiles, options.threads);
  plan->flushes_subnormals = plan->tiling.reads_pairs();
  set_memory(plan->tiling, options.threads, plan);
}

}  // namespace

std::optional<std::string> why_not(const Problem& problem) {
  const auto shape = infer_shape(problem);
  return shape ? too_many_taps(*shape) : std::nullopt;
}

Result<Plan> make_plan(const Problem& problem, const Options& options) {
  auto shape = infer_shape(problem);
  if (!shape) return shape.why();
  for (const Tensor& tensor : {problem.src, problem.weights, shape->dst_tensor}) {
    if (shape->is_empty() || !is_too_large(tensor)) continue;
    return Refusal{Fault::kSize,
                   "a tensor of " + to_string(tensor) + " elements is more than memory can hold"};
  }
  if (auto why = too_many_taps(*shape)) return Refusal{Fault::kSize, *std::move(why)};
  return make_plan(*shape, options);
}

Result<Plan> make_plan(const Shape& shape, const Options& options) {
  const auto isa = choose_isa(options.isa);
  if (!isa) return isa.why();
  if (options.threads < 1) {
    return Refusal{Fault::kSyntax,
                   "the option threads is " + std::to_string(options.threads) + ", less than 1"};
  }
  if (options.winograd != 0 && options.winograd != 2 && options.winograd != 4) {
    return Refusal{Fault::kSyntax, "the option winograd is " + std::to_string(options.winograd) +
                                       ", which is none of 0, 2, 4"};
  }
  Plan plan;
  plan.shape = shape.IC == 0 ? without_window(shape) : shape;
  plan.isa = *isa;
  plan.reorders = &reorders_for(*isa);
  plan.thread_pool = std::make_shared<const ThreadPool>(options.threads);
  if (plan.shape.is_empty()) return plan;
  choose_algorithm(options, &plan);
  return plan;
}

void pack_into(const Plan& plan, const void* weights, const void* bias, float* to) {
  if (plan.algorithm == Algorithm::kTiles) pack_tiles(plan, weights, bias, to);
  if (plan.algorithm == Algorithm::kGroups) pack_groups(plan, weights, bias, to);
  if (plan.algorithm == Algorithm::kWinograd) pack_winograd(plan, weights, bias, to);
  if (plan.algorithm == Algorithm::kAmx) pack_amx(plan, weights, bias, to);
  if (plan.algorithm == Algorithm::kPointwiseNcx) pack_pointwise_ncx(plan, weights, bias, to);
  if (plan.algorithm == Algorithm::kLoops) pack_loops(plan, weights, bias, to);
}

void run_packed(const Plan& plan, const float* packed, const void* src, void* dst,
                float* workspace) {
  if (plan.algorithm == Algorithm::kTiles) run_tiles(plan, packed, src, dst, workspace);
  if (plan.algorithm == Algorithm::kGroups) run_groups(plan, packed, src, dst, workspace);
  if (plan.algorithm == Algorithm::kWinograd) run_winograd(plan, packed, src, dst, workspace);
  if (plan.algorithm == Algorithm::kAmx) run_amx(plan, packed, src, dst, workspace);
  if (plan.algorithm == Algorithm::kPointwiseNcx) {
    run_pointwise_ncx(plan, packed, src, dst, workspace);
  }
  if (plan.algorithm == Algorithm::kLoops) run_loops(plan, packed, src, dst, workspace);
}

Packed::Packed(std::size_t count) : elements_(new (kLine) float[count]) {}

void Packed::Delete::operator()(float* elements) const { ::operator delete[](elements, kLine); }

Packed pack(const Plan& plan, const void* weights, const void* bias) {
  Packed packed(plan.packed_bytes / sizeof(float));
  pack_into(plan, weights, bias, packed.data());
  return packed;
}

void execute(const Plan& plan, const Packed& packed, const void* src, void* dst, void* workspace) {
  run_packed(plan, packed.data(), src, dst, static_cast<float*>(workspace));
}

void execute(const Plan& plan, const void* src, const void* weights, const void* bias, void* dst,
             void* workspace) {
  auto* packed = static_cast<float*>(workspace);
  float* rest = packed + plan.packed_bytes / sizeof(float);
  if (plan.algorithm == Algorithm::kTiles && packs_by_task(plan)) {
    return run_tiles_packing(plan, weights, bias, packed, src, dst, rest);
  }
  if (plan.algorithm == Algorithm::kGroups && plan.grouping.reads_raw()) {
    return run_groups_raw(plan, weights, bias, packed, src, dst, rest);
  }
  pack_into(plan, weights, bias, packed);
  run_packed(plan, packed, src, dst, rest);
}

}  // namespace concord::optimized
