// SPDX-License-Identifier: Apache-2.0
#include "spec/problem.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "spec/check.h"
#include "spec/walk_attributes.h"

namespace concord {
namespace {

std::vector<std::size_t> rising(std::size_t rank) {
  std::vector<std::size_t> axes(rank);
  std::iota(axes.begin(), axes.end(), std::size_t{0});
  return axes;
}

}  // namespace

Dtype dtype_of(const Problem& problem, Input input) {
  const std::optional<Dtype> others[] = {std::nullopt, problem.other_dtypes.weights,
                                         problem.other_dtypes.bias, problem.other_dtypes.diff_dst};
  return others[static_cast<std::size_t>(input)].value_or(problem.dtype);
}

Dtype dtype_of_dst(const Problem& problem) {
  return problem.other_dtypes.dst.value_or(problem.dtype);
}

const Tensor* input_of(const Problem& problem, Input input) {
  switch (input) {
    case Input::kSrc:
      return &problem.src;
    case Input::kWeights:
      return has_weights(problem.operation()) ? &problem.weights : nullptr;
    case Input::kBias:
      return problem.bias ? &*problem.bias : nullptr;
    case Input::kDiffDst:
      return problem.diff_dst ? &*problem.diff_dst : nullptr;
  }
  return nullptr;
}

Tensor& make_input(Problem& problem, Input input) {
  switch (input) {
    case Input::kSrc:
      return problem.src;
    case Input::kWeights:
      return problem.weights;
    case Input::kBias:
      return problem.bias.emplace();
    case Input::kDiffDst:
      break;
  }
  return problem.diff_dst.emplace();
}

DataFormat data_format_of(const Problem& problem) {
  const auto* format = find_attribute<DataFormat>(problem.attributes);
  return format == nullptr ? DataFormat::kNXC : *format;
}

WeightsFormat weights_format_of(const Problem& problem) {
  const auto* format = find_attribute<WeightsFormat>(problem.attributes);
  return format == nullptr ? WeightsFormat::kXIO : *format;
}

std::vector<std::size_t> dst_reading_axes(const Problem& problem, std::size_t rank) {
  if (is_discrete(problem.operation())) return channels_first_axes(data_format_of(problem), rank);
  auto axes = rising(rank);
  if (is_dst_column_major(problem.operation())) std::reverse(axes.begin(), axes.end());
  return axes;
}

Tensor dst_in_reading_order(const Problem& problem, const Tensor& dst) {
  return permute(dst, dst_reading_axes(problem, dst.rank()));
}

Tensor in_reading_order(const Problem& problem, Input input) {
  const Tensor& tensor = *input_of(problem, input);
  const Operation operation = problem.operation();
  if (is_column_major(operation, input)) {
    auto axes = rising(tensor.rank());
    std::reverse(axes.begin(), axes.end());
    return permute(tensor, axes);
  }
  if (input == Input::kSrc) return dst_in_reading_order(problem, tensor);
  if (input == Input::kWeights && is_discrete(operation)) {
    return permute(tensor, channels_first_axes(weights_format_of(problem), tensor.rank()));
  }
  return permute(tensor, rising(tensor.rank()));
}

Extents dense_strides_of(Operation operation, const Extents& dims) {
  return is_column_major(operation) ? column_major_strides(dims) : dense_strides(dims);
}

Extents dense_dst_strides_of(Operation operation, const Extents& dims) {
  return is_dst_column_major(operation) ? column_major_strides(dims) : dense_strides(dims);
}

}  // namespace concord
