// SPDX-License-Identifier: Apache-2.0
#include "fuzz/operations.h"

#include <algorithm>
#include <utility>

#include "fuzz/picks.h"
#include "fuzz/spoiler.h"
#include "reference/reference.h"

namespace concord::fuzz {
namespace {

// Dense as the operation has it, or in any order with gaps.
Tensor with_strides(Operation operation, const Extents& dims) {
  return {dims, one_in(4) ? pick_strides(dims) : dense_strides_of(operation, dims)};
}

Extents pick_list(std::size_t size, Extent least, Extent most) {
  Extents list(one_in(4) ? 1 : size);
  for (Extent& value : list) value = pick(least, most);
  return list;
}

void pick_blocks(Problem& problem, bool to_batch) {
  const Extent block = pick(1, 3);
  Extents src{pick(0, 2), pick(0, 5), pick(0, 5), pick(1, 3)};
  Extents edges(4);
  for (Extent& edge : edges) edge = pick(0, 3);
  if (to_batch) {
    for (const std::size_t axis : {std::size_t{1}, std::size_t{2}}) {
      const Extent padded = src[axis] + edges[2 * axis - 2] + edges[2 * axis - 1];
      edges[2 * axis - 1] += (block - padded % block) % block;
    }
    problem.attributes = SpaceToBatchAttributes{block, edges};
  } else {
    src[0] *= block * block;
    problem.attributes = BatchToSpaceAttributes{block, edges};
  }
  problem.src = with_strides(problem.operation(), src);
}

void pick_chain(Problem& problem) {
  const Extents src{pick(0, 2), pick(0, 6), pick(0, 6), pick(1, 3)};
  problem.attributes = AtrousChainAttributes{pick(1, 4)};
  problem.src = with_strides(problem.operation(), src);
  problem.weights = {{pick(1, 3), 2 * pick(0, 2) + 1, 2 * pick(0, 1) + 1, src[3], src[3]}, {}};
  if (one_in(4)) problem.weights.strides = pick_strides(problem.weights.dims);
}

// Weights with as many rows as the attributes ask for, where they ask for what can be.
void fit_cntk_weights(Problem& problem, Extent cells) {
  constexpr Extent kMost = 400;
  for (Extent rows = 1; rows <= kMost; ++rows) {
    problem.weights = {{rows, cells}, {}};
    if (reference::resolve(problem)) break;
  }
  if (problem.weights.dims[0] == kMost) problem.weights.dims[0] = pick(1, 4);
  if (one_in(4)) problem.weights.strides = pick_strides(problem.weights.dims);
}

void pick_cntk(Problem& problem) {
  const auto axes = static_cast<std::size_t>(pick(1, Extent{reference::kCntkRank}));
  const bool has_channels = axes > 1 && one_in(2);
  CntkConvolutionAttributes a;
  a.stride = a.auto_padding = a.lower_pad = a.upper_pad = {};
  Extents src;
  Extent cells = 1;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    src.push_back(pick(1, axes > 4 ? 3 : axes == 4 ? 4 : 6));
    const bool whole = has_channels && axis + 1 == axes;
    a.kernel.push_back(whole ? src.back() : pick(1, std::min<Extent>(src.back(), 3)));
    a.stride.push_back(whole ? src.back() : pick(1, 3));
    a.auto_padding.push_back(whole ? 0 : pick(0, 1));
    a.lower_pad.push_back(whole || !one_in(4) ? 0 : pick(1, 2));
    a.upper_pad.push_back(whole || !one_in(4) ? 0 : pick(1, 2));
    cells *= a.kernel.back();
  }
  if (one_in(3)) a.sharing = pick_list(axes, 0, 1);
  a.map_count = one_in(2) ? Extents{pick(1, 4)} : pick_list(axes, 1, 2);
  a.max_temp_mem_size_in_samples = pick(0, 3);
  src.push_back(pick(0, 3));
  problem.attributes = a;
  problem.src = with_strides(problem.operation(), src);
  fit_cntk_weights(problem, cells);
}

// A gradient of such a convolution.
void pick_cntk_gradient(Problem& problem) {
  pick_cntk(problem);
  const auto convolution = reference::resolve(problem);
  if (!convolution) return;
  problem.diff_dst = with_strides(problem.operation(), convolution->dst.dims);
  const auto a = std::get<CntkConvolutionAttributes>(problem.attributes);
  if (one_in(2)) {
    problem.attributes = CntkBackwardDataAttributes{a};
  } else {
    problem.attributes = CntkBackwardWeightsAttributes{a};
  }
}

void pick_cntk_2d(Problem& problem) {
  CntkConvolution2dAttributes a;
  const Extent width = pick(1, 6), height = pick(1, 6), channels = pick(0, 3), samples = pick(0, 3);
  a.kernel_width = pick(1, std::min<Extent>(width, 4));
  a.kernel_height = pick(1, std::min<Extent>(height, 4));
  a.horizontal_stride = pick(1, 3);
  a.vertical_stride = pick(1, 3);
  a.zero_padding = pick(0, 1);
  a.image_layout = pick_of({CntkLayout::kCudnn, CntkLayout::kHwc});
  a.max_temp_mem_size_in_samples = pick(0, 3);
  const Extent maps = pick(1, 4);
  a.map_count = one_in(2) ? 0 : maps;
  problem.attributes = a;
  const bool hwc = a.image_layout == CntkLayout::kHwc;
  problem.src = with_strides(problem.operation(), hwc ? Extents{channels, width, height, samples}
                                                      : Extents{width, height, channels, samples});
  problem.weights = {{maps, a.kernel_width * a.kernel_height * std::max<Extent>(channels, 1)}, {}};
  if (one_in(4)) problem.weights.strides = pick_strides(problem.weights.dims);
}

ContinuousAttributes pick_layer() {
  ContinuousAttributes a;
  a.scale_h = Rational(pick(1, 4), pick(1, 4));
  a.scale_w = Rational(pick(1, 4), pick(1, 4));
  if (one_in(3)) a.size = {pick(0, 6), pick(0, 6)};
  a.kernel = {pick(1, 4), pick(1, 4)};
  a.channels = pick(0, 2);
  a.function = pick_of({KernelFunction::kNet, KernelFunction::kNetK, KernelFunction::kKeys,
                        KernelFunction::kNetKNearest, KernelFunction::kNetKGrid});
  a.widths = {pick(1, 3), pick(1, 3)};
  a.slope = Rational(pick(-2, 2), pick(1, 3));
  a.ties = pick_of({Ties::kHalfOpen, Ties::kOpen, Ties::kClosed});
  a.boundary =
      pick_of({Boundary::kZero, Boundary::kReplicate, Boundary::kReflect, Boundary::kSymmetric});
  return a;
}

Extent parameters_of(const ContinuousAttributes& a, Extent channels) {
  if (a.function == KernelFunction::kKeys) return 0;
  const Extent more = a.ties == Ties::kClosed ? 1 : 0;
  const Extent slots = (a.kernel[0] + more) * (a.kernel[1] + more);
  const Extent outputs = a.channels * channels * (predicts_all(a.function) ? slots : 1);
  return 3 * a.widths[0] + (a.widths[0] + 1) * a.widths[1] + (a.widths[1] + 1) * outputs;
}

// The layer, or one of its gradients.
void pick_continuous(Problem& problem) {
  const ContinuousAttributes a = pick_layer();
  const Extents src{pick(0, 2), pick(0, 2), pick(0, 5), pick(0, 5)};
  problem.attributes = a;
  problem.src = with_strides(problem.operation(), src);
  problem.weights = {{parameters_of(a, src[1])}, {}};
  if (one_in(3)) return;
  const auto layer = reference::resolve(problem);
  if (!layer) return;
  problem.diff_dst = with_strides(problem.operation(), layer->dst.dims);
  switch (pick(0, 3)) {
    case 0:
      problem.attributes = ContinuousBackwardDataAttributes{a};
      break;
    case 1:
      problem.attributes = ContinuousBackwardWeightsAttributes{a};
      break;
    case 2:
      problem.attributes = ContinuousBackwardGridAttributes{a};
      break;
    default:
      problem.attributes = ContinuousBackwardKernelAttributes{a};
  }
}

// Up to three layers; an extent of src is what the product of the scales makes whole, or any.
void pick_continuous_chain(Problem& problem) {
  const ContinuousAttributes layer = pick_layer();
  ContinuousChainAttributes a{.kernel = layer.kernel,
                              .function = layer.function,
                              .widths = layer.widths,
                              .slope = layer.slope,
                              .ties = layer.ties,
                              .boundary = layer.boundary};
  Extents src{pick(0, 2), pick(0, 2), 1, 1};
  const Extent layers = pick(1, 3);
  for (const std::size_t axis : {std::size_t{0}, std::size_t{1}}) {
    Rationals& scales = axis == 0 ? a.scales_h : a.scales_w;
    Rational all(1);
    for (Extent i = 0; i < layers; ++i) {
      scales.emplace_back(pick(1, 4), pick(1, 4));
      all = all * scales.back();
    }
    const Extent whole = all.denominator();
    src[2 + axis] = one_in(6) || whole > 12 ? pick(0, 6) : whole * pick(0, 12 / whole);
  }
  problem.attributes = a;
  problem.src = with_strides(problem.operation(), src);
  problem.weights = {{layers, parameters_of(a.layer(src[1]), src[1])}, {}};
}

void pick_dst(Problem& problem) {
  if (!one_in(3)) return;
  if (const auto resolution = reference::resolve(problem)) {
    const Extents& dims = resolution->dst.dims;
    problem.dst = Tensor{dims, one_in(2) ? pick_strides(dims) : resolution->dst.strides};
  }
}

Problem begun() {
  Problem problem;
  problem.dtype = pick_of(kCommonDtypes);
  problem.reading = pick_of({Reading::kImplemented, Reading::kDocumented});
  return problem;
}

Problem pick_cntk_problem() {
  Problem problem = begun();
  if (one_in(2)) {
    pick_cntk(problem);
  } else {
    pick_cntk_2d(problem);
    if (one_in(4)) problem.reading = Reading::kFirstVersion;
  }
  pick_dst(problem);
  return problem;
}

Problem pick_cntk_gradient_problem() {
  Problem problem = begun();
  pick_cntk_gradient(problem);
  pick_dst(problem);
  return problem;
}

Problem pick_operation_problem() {
  switch (pick(0, 3)) {
    case 0:
      return one_in(6) ? *documented_valid_problem() : *small_problem();
    case 1:
      return one_in(3) ? pick_cntk_gradient_problem() : pick_cntk_problem();
    case 2: {
      Problem problem = begun();
      if (one_in(3)) {
        pick_chain(problem);
      } else {
        pick_blocks(problem, one_in(2));
      }
      pick_dst(problem);
      return problem;
    }
    default: {
      Problem problem = begun();
      if (one_in(4)) {
        pick_continuous_chain(problem);
      } else {
        pick_continuous(problem);
      }
      pick_dst(problem);
      return problem;
    }
  }
}

// Small, or around the limits: nothing between, of which a valid problem could be made that takes
// all memory there is.
Extent pick_number() {
  constexpr Extent k31 = Extent{1} << 31;
  if (!one_in(4)) return pick(-2, 5);
  return pick_of({INT64_MAX, INT64_MIN, INT64_MAX - 1, INT64_MAX / 2, k31, 2 * k31});
}

void spoil(Problem& problem) {
  switch (pick(0, 7)) {
    case 0:
      return spoil_tensor(problem.src, pick_number);
    case 1:
      return spoil_tensor(problem.weights, pick_number);
    case 2:
      if (problem.diff_dst) spoil_tensor(*problem.diff_dst, pick_number);
      return;
    case 3:
      if (!problem.dst) problem.dst = Tensor{problem.src.dims, {}};
      return spoil_tensor(*problem.dst, pick_number);
    case 4:
      if (has_weights(problem.operation())) problem.other_dtypes.weights = Dtype::kF64;
      return;
    default:
      return spoil_attribute(problem, pick_number);
  }
}

}  // namespace

rc::Gen<Problem> cntk_problem() { return rc::gen::exec(pick_cntk_problem); }

rc::Gen<Problem> cntk_gradient_problem() { return rc::gen::exec(pick_cntk_gradient_problem); }

rc::Gen<Problem> operation_problem() { return rc::gen::exec(pick_operation_problem); }

rc::Gen<Problem> spoiled_operation_problem() {
  return rc::gen::exec([] {
    Problem problem = pick_operation_problem();
    const Extent faults = pick(1, 2);
    for (Extent i = 0; i < faults; ++i) spoil(problem);
    return problem;
  });
}

}  // namespace concord::fuzz
