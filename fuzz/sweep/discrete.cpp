// SPDX-License-Identifier: Apache-2.0
#include "fuzz/sweep/discrete.h"

#include <vector>

#include "fuzz/tensor_bytes.h"
#include "optimized/convolution.h"
#include "reference/discrete.h"
#include "spec/tensor_values.h"

namespace concord::fuzz {
namespace {

using Values = std::vector<double>;

// Integers from -9 to 9, always the same.
Values values_for(const Tensor& tensor, std::uint32_t state) {
  Values values(static_cast<std::size_t>(*element_count(tensor.dims)));
  for (double& value : values) {
    state = state * 1664525U + 1013904223U;
    value = static_cast<double>((state >> 16) % 19) - 9;
  }
  return values;
}

// Tensors with their axes in the order [N,C,..], [OC,IC/G,..].
struct ChannelsFirst {
  Tensor src, weights;
};
ChannelsFirst channels_first(const Problem& problem) {
  const std::size_t rank = problem.src.rank();
  return {permute(problem.src, channels_first_axes(data_format_of(problem), rank)),
          permute(problem.weights, channels_first_axes(weights_format_of(problem), rank))};
}

Values by_engine(const Problem& problem, const optimized::Plan& plan, const Values& src,
                 const Values& weights) {
  const ChannelsFirst tensors = channels_first(problem);
  const auto src_bytes = bytes_of(Dtype::kF32, tensors.src, src);
  const auto weights_bytes = bytes_of(Dtype::kF32, tensors.weights, weights);
  const Tensor dst = permute({plan.dst_dims(), {}},
                             channels_first_axes(data_format_of(problem), problem.src.rank()));
  std::vector<std::byte> to(static_cast<std::size_t>(*element_count(dst.dims)) * sizeof(float));
  std::vector<std::byte> workspace(plan.one_shot_workspace_bytes);
  execute(plan, src_bytes.data(), weights_bytes.data(), nullptr, to.data(), workspace.data());
  return read_tensor(Dtype::kF32, dst, to.data());
}

SpatialAttributes* spatial_of(Problem& problem) {
  if (auto* a = std::get_if<ConvolutionAttributes>(&problem.attributes)) return a;
  return std::get_if<Convolution1Attributes>(&problem.attributes);
}
WeightsFormat* weights_format_in(Problem& problem) {
  if (auto* a = std::get_if<ConvolutionAttributes>(&problem.attributes)) return &a->weights_format;
  auto* a = std::get_if<Convolution1Attributes>(&problem.attributes);
  return a == nullptr ? nullptr : &a->filter_format;
}

// The problem in other formats; dense.
Problem reformatted(const Problem& problem, DataFormat data, WeightsFormat weights) {
  Problem other = problem;
  const std::size_t rank = problem.src.rank();
  const ChannelsFirst tensors = channels_first(problem);
  spatial_of(other)->data_format = data;
  *weights_format_in(other) = weights;
  other.src = {unpermute(tensors.src, channels_first_axes(data, rank)).dims, {}};
  other.weights = {unpermute(tensors.weights, channels_first_axes(weights, rank)).dims, {}};
  return other;
}

std::vector<Problem> in_all_formats(const Problem& problem) {
  Problem copy = problem;
  if (spatial_of(copy) == nullptr) return {problem};
  std::vector<Problem> all;
  for (const DataFormat data : {DataFormat::kNXC, DataFormat::kNCX}) {
    for (const WeightsFormat weights : {WeightsFormat::kXIO, WeightsFormat::kOIX}) {
      all.push_back(reformatted(problem, data, weights));
    }
  }
  return all;
}

}  // namespace

void compare_discrete(const Problem& problem, Tally* tally) {
  const auto geometry = reference::resolve_discrete(problem);
  Values src, weights, want;
  if (geometry) {
    const ChannelsFirst tensors = channels_first(problem);
    src = values_for(tensors.src, 1);
    weights = values_for(tensors.weights, 2);
    want = evaluate_discrete(problem, *geometry, src, weights, {}).value;
  }
  for (const Problem& each : in_all_formats(problem)) {
    const auto plan = optimized::make_plan(each);
    const bool same = plan && geometry
                          ? by_engine(each, *plan, src, weights) == want
                          : !plan && !geometry && plan.why().fault == geometry.why().fault;
    if (same) {
      tally->agree(!geometry);
    } else {
      tally->differ(print(each));
    }
  }
}

}  // namespace concord::fuzz
