// SPDX-License-Identifier: Apache-2.0
#include "optimized/operations/cntk.h"

#include <algorithm>

#include "optimized/layout/stage.h"
#include "optimized/operations/cntk_local.h"
#include "optimized/operations/cntk_parts.h"
#include "spec/copy.h"

namespace concord::optimized {
namespace {

// Larger than any memory, but small enough that workspace sizes do not overflow.
constexpr Extent kMostElements = Extent{1} << 48;

// Beyond this many convolutions a sample the loop for unshared weights, of which shared ones are a
// special case, needs less memory for plans. It serves more axes, too.
constexpr Extent kMostParts = 256;

bool is_shared(const CntkShape& shape) {
  return std::all_of(shape.axes.begin(), shape.axes.end(),
                     [](const CntkAxis& x) { return x.shared; });
}

std::size_t whole_floats(std::size_t bytes) {
  return (bytes + sizeof(float) - 1) / sizeof(float) * sizeof(float);
}

std::size_t bytes_of(const Extents& dims, Dtype dtype) {
  return static_cast<std::size_t>(element_count(dims).value_or(0)) * size_of(dtype);
}

// One sample of src or dst as a tensor of its own.
Tensor sample_of(const Tensor& images) {
  const Extents steps = images.strides.empty() ? column_major_strides(images.dims) : images.strides;
  return {{images.dims.begin(), images.dims.end() - 1}, {steps.begin(), steps.end() - 1}};
}

Tensor dense_copy_of(const Tensor& sample) {
  return {sample.dims, column_major_strides(sample.dims)};
}

Extent sample_step(const Tensor& images) {
  return images.strides.empty() ? column_major_strides(images.dims).back() : images.strides.back();
}

// Dense weights in the workspace where the steps are those of a copy.
std::size_t weights_copy_bytes(const CntkShape& shape) {
  return shape.copies_weights ? whole_floats(bytes_of(shape.weights.dims, shape.dtype)) : 0;
}

void pack_to(const CntkPlan& plan, const void* weights, void* to, void* copy) {
  if (plan.shape.copies_weights) {
    const Tensor dense{plan.shape.weights.dims, {}};
    copy_elements(size_of(plan.shape.dtype), plan.shape.weights, weights, dense, copy);
    weights = copy;
  }
  if (!plan.by_parts) return pack_cntk_local(plan, weights, to);
  for (const CntkPart& part : plan.parts) {
    pack_into(part.plan, element_at(weights, part.weights, plan.shape.dtype), nullptr,
              static_cast<std::byte*>(to) + part.packed);
  }
}

// One sample whose steps are those of dense copies, which stand at the workspace's end.
void run_copied(const CntkPlan& plan, const void* packed, const void* src, void* dst,
                std::byte* workspace) {
  const CntkShape& shape = plan.shape;
  const std::size_t size = size_of(shape.dtype);
  const Tensor src_sample = sample_of(shape.src);
  const Tensor dst_sample = sample_of(shape.dst);
  auto* src_copy = workspace + plan.sample_bytes -
                   whole_floats(bytes_of(src_sample.dims, shape.dtype)) -
                   whole_floats(bytes_of(dst_sample.dims, shape.dtype));
  std::byte* dst_copy = src_copy + whole_floats(bytes_of(src_sample.dims, shape.dtype));
  copy_elements(size, src_sample, src, dense_copy_of(src_sample), src_copy);
  run_cntk_parts(plan, packed, src_copy, dst_copy, workspace);
  copy_elements(size, dense_copy_of(dst_sample), dst_copy, dst_sample, dst);
}

void run_shared(const CntkPlan& plan, const void* packed, const void* src, void* dst,
                std::byte* workspace) {
  const CntkShape& shape = plan.shape;
  const auto size = static_cast<Extent>(size_of(shape.dtype));
  const auto run_sample = [&](Extent sample, int slot) {
    const std::byte* from =
        static_cast<const std::byte*>(src) + sample * sample_step(shape.src) * size;
    std::byte* to = static_cast<std::byte*>(dst) + sample * sample_step(shape.dst) * size;
    std::byte* space = workspace + static_cast<std::size_t>(slot) * plan.sample_bytes;
    if (shape.copies_images) return run_copied(plan, packed, from, to, space);
    run_cntk_parts(plan, packed, from, to, space);
  };
  plan.thread_pool->run(shape.samples, run_sample);
}

void run(const CntkPlan& plan, const void* packed, const void* src, void* dst, void* workspace) {
  if (plan.shape.is_empty()) return;
  if (plan.by_parts) return run_shared(plan, packed, src, dst, static_cast<std::byte*>(workspace));
  run_cntk_local(plan, packed, src, dst, workspace);
}

std::optional<Refusal> plan_shared(const Options& options, CntkPlan* plan) {
  const CntkShape& shape = plan->shape;
  // Samples side by side where there are as many as threads, else threads within a sample.
  const bool side_by_side = shape.sub_batch >= options.threads;
  plan->in_flight = side_by_side ? options.threads : 1;
  plan->thread_pool = std::make_shared<const ThreadPool>(static_cast<int>(plan->in_flight));
  Options of_sample = options;
  if (side_by_side) of_sample.threads = 1;
  if (auto refused = make_cntk_parts(of_sample, plan)) return refused;
  if (shape.copies_images) {
    plan->sample_bytes += whole_floats(bytes_of(sample_of(shape.src).dims, shape.dtype)) +
                          whole_floats(bytes_of(sample_of(shape.dst).dims, shape.dtype));
  }
  return std::nullopt;
}

}  // namespace

Result<CntkPlan> make_cntk_plan(const CntkShape& shape, const Options& options) {
  if (auto refused = refuse_threads(options)) return *refused;
  CntkPlan plan;
  plan.shape = shape;
  plan.thread_pool = std::make_shared<const ThreadPool>(1);
  if (shape.is_empty()) return plan;
  for (const Tensor* tensor : {&shape.src, &shape.weights, &shape.dst}) {
    if (element_count(tensor->dims).value_or(kMostElements) < kMostElements) continue;
    return Refusal{Fault::kLimit,
                   "a tensor of " + to_string(*tensor) + " elements is more than memory can hold"};
  }
  plan.by_parts = is_shared(shape) && cntk_parts_of(shape).value_or(kMostParts + 1) <= kMostParts;
  if (plan.by_parts) {
    if (auto refused = plan_shared(options, &plan)) return *refused;
  } else {
    make_cntk_local(options, &plan);
  }
  plan.workspace_bytes = static_cast<std::size_t>(plan.in_flight) * plan.sample_bytes;
  const bool packs = plan.by_parts || !plan.local.reads_in_place;
  plan.one_shot_workspace_bytes =
      (packs ? plan.packed_bytes : 0) + std::max(plan.workspace_bytes, weights_copy_bytes(shape));
  return plan;
}

std::string describe(const CntkPlan& plan) {
  if (plan.shape.is_empty()) return "nothing to compute";
  const std::string memory = std::to_string(plan.in_flight) + " at once, " +
                             std::to_string(plan.sample_bytes) + " bytes of workspace each";
  if (!plan.by_parts) {
    return std::string(is_shared(plan.shape) ? "shared weights, as if unshared: "
                                             : "unshared weights: ") +
           std::to_string(plan.local.groups) + " places, blocks of " +
           std::to_string(plan.local.block) + " windows, " + memory;
  }
  std::string text = "samples one by one, " + memory;
  text += ", " + std::to_string(plan.parts.size()) + " convolution(s) each";
  return text + "\n" + describe(plan.parts[0].plan);
}

Packed pack(const CntkPlan& plan, const void* weights) {
  Packed packed(plan.packed_bytes);
  std::vector<std::byte> copy(weights_copy_bytes(plan.shape));
  if (!plan.shape.is_empty()) pack_to(plan, weights, packed.data(), copy.data());
  return packed;
}

void execute(const CntkPlan& plan, const Packed& packed, const void* src, void* dst,
             void* workspace) {
  run(plan, packed.data(), src, dst, workspace);
}

void execute(const CntkPlan& plan, const void* src, const void* weights, void* dst,
             void* workspace) {
  if (plan.shape.is_empty()) return;
  if (!plan.by_parts && plan.local.reads_in_place) {
    return run(plan, weights, src, dst, workspace);
  }
  std::byte* const rest = static_cast<std::byte*>(workspace) + plan.packed_bytes;
  pack_to(plan, weights, workspace, rest);
  run(plan, workspace, src, dst, rest);
}

}  // namespace concord::optimized
