// SPDX-License-Identifier: Apache-2.0
#include "conformance/catalog/form_model.h"

#include <algorithm>
#include <set>
#include <utility>

#include "conformance/catalog/memory.h"
#include "reference/reference.h"
#include "spec/check.h"

namespace concord::conformance {
namespace form {
namespace {

Tensor turned_round(Tensor tensor) {
  std::reverse(tensor.dims.begin(), tensor.dims.end());
  std::reverse(tensor.strides.begin(), tensor.strides.end());
  return tensor;
}

// Gaps after each row, or after each element of a tensor that has but one axis.
Tensor with_gaps(const Extents& dims, bool column_major) {
  const auto gaps = dims.size() > 1 ? with_row_gaps : with_element_gaps;
  if (!column_major) return gaps(dims);
  return turned_round(gaps({dims.rbegin(), dims.rend()}));
}

}  // namespace

std::string_view factor_of_axis(std::string_view part, int axis) {
  static std::set<std::string> names;
  return *names.insert(std::string(part) + '_' + std::to_string(axis + 1)).first;
}

const std::vector<std::string_view> kMemoryLevels = {"dense",    "src_gaps", "weights_gaps",
                                                     "dst_gaps", "all_gaps", "other_order"};

std::vector<std::string_view> dtype_levels() {
  std::vector<std::string_view> levels;
  for (const Dtype dtype : kCommonDtypes) levels.push_back(to_string(dtype));
  return levels;
}

void set_memory(int level, Problem& problem) {
  const bool first_fastest = is_column_major(problem.operation());
  if (first_fastest) {
    problem.src.strides = column_major_strides(problem.src.dims);
    if (problem.diff_dst) problem.diff_dst->strides = column_major_strides(problem.diff_dst->dims);
  }
  if (level == kDense) return;
  const auto resolved = reference::resolve(problem);
  CONCORD_CHECK(resolved) << print(problem) << ": " << resolved.why().detail;
  const Extents& dst = resolved->dst.dims;
  const bool all = level == kAllGaps;
  if (all || level == kSrcGaps) problem.src = with_gaps(problem.src.dims, first_fastest);
  if (all || level == kWeightsGaps) {
    if (has_weights(problem.operation())) problem.weights = with_gaps(problem.weights.dims, false);
    if (problem.diff_dst) problem.diff_dst = with_gaps(problem.diff_dst->dims, first_fastest);
  }
  const bool dst_first_fastest = is_dst_column_major(problem.operation());
  if (all || level == kDstGaps) problem.dst = with_gaps(dst, dst_first_fastest && dst.size() > 1);
  if (level == kOtherOrder) {
    const auto other = [](const Extents& dims, bool column_major) {
      return column_major ? Tensor{dims, dense_strides(dims)} : reversed_order(dims);
    };
    problem.src = other(problem.src.dims, first_fastest);
    if (first_fastest && problem.diff_dst) problem.diff_dst = other(problem.diff_dst->dims, true);
    problem.dst = other(dst, dst_first_fastest);
  }
}

void set_tensors(const Shape& shape, bool has_bias, int memory, Problem& problem) {
  if (has_bias) problem.bias.emplace();
  set_shape(problem, shape);
  set_memory(memory, problem);
}

FormModel model(std::string_view name, std::vector<Factor> factors,
                Problem (*problem_of)(const Row&), std::function<bool(const Row&)> allowed) {
  FactorModel model;
  for (const Factor& factor : factors) {
    model.levels.push_back(static_cast<int>(factor.levels.size()));
  }
  model.allowed = std::move(allowed);
  return {name, std::move(factors), std::move(model), problem_of};
}

}  // namespace form

const std::vector<FormModel>& form_models() {
  static const std::vector<FormModel> kModels = {
      cntk_model(),       cntk_2d_model(),        atrous_model(),          blocks_model(),
      continuous_model(), cntk_gradients_model(), continuous_more_model(), many_axes_model(),
      sizes_model(),      kernels_model()};
  return kModels;
}

}  // namespace concord::conformance
