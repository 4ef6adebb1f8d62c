// SPDX-License-Identifier: Apache-2.0
#include "conformance/shrink/roles.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "spec/walk_attributes.h"

namespace concord::conformance {
namespace {

// The lists that have one element for each spatial axis.
std::vector<Extents*> lists_by_axis(Attributes& attributes) {
  std::vector<Extents*> lists;
  std::visit(
      [&]<class A>(A& a) {
        for_each_attribute<A>([&](const auto& attribute) {
          if constexpr (requires { attribute.member; }) {
            if constexpr (std::is_same_v<decltype(a.*attribute.member), Extents&>) {
              if (attribute.facts.each_axis) lists.push_back(&(a.*attribute.member));
            }
          }
        });
      },
      attributes);
  return lists;
}

Tensor with_small_gaps(const Tensor& tensor, Extent gap) {
  std::vector<std::size_t> axes(tensor.rank());
  std::iota(axes.begin(), axes.end(), std::size_t{0});
  std::stable_sort(axes.begin(), axes.end(), [&](std::size_t a, std::size_t b) {
    return tensor.strides[a] < tensor.strides[b];
  });
  Tensor small = tensor;
  Extent step = 1;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    small.strides[axes[i]] = step;
    step *= std::max<Extent>(tensor.dims[axes[i]], 1);
    if (i == 0) step += gap;
  }
  return small;
}

}  // namespace

std::optional<Shape> fitting_shape(const Problem& problem) {
  const std::size_t rank = problem.src.rank();
  if (!is_discrete(problem.operation()) || rank < 3 || rank > kMaxRank ||
      problem.weights.rank() != rank) {
    return std::nullopt;
  }
  const SpatialAttributes* const a = spatial_attributes(problem);
  if (a != nullptr && a->groups < 1) return std::nullopt;
  const Shape shape = shape_of(problem);
  Problem copy = problem;
  set_shape(copy, shape);
  const bool fits = copy.src.dims == problem.src.dims && copy.weights.dims == problem.weights.dims;
  return fits ? std::optional(shape) : std::nullopt;
}

Problem reshaped(const Problem& problem, const Shape& shape) {
  Problem changed = problem;
  set_shape(changed, shape);
  changed.src.strides = problem.src.strides;
  changed.weights.strides = problem.weights.strides;
  if (changed.bias && problem.bias->rank() == 1) changed.bias->strides = problem.bias->strides;
  changed.dst = problem.dst;
  return changed;
}

std::optional<Problem> without_axis(const Problem& problem, std::size_t axis) {
  auto shape = fitting_shape(problem);
  Problem changed = problem;
  SpatialAttributes* const a = spatial_attributes(changed);
  if (!shape || a == nullptr || shape->I.size() < 2 || axis >= shape->I.size()) {
    return std::nullopt;
  }
  const std::size_t rank = shape->I.size();
  const auto place = static_cast<std::ptrdiff_t>(axis);
  for (Extents* list : lists_by_axis(changed.attributes)) {
    if (list->size() != rank) return std::nullopt;
    list->erase(list->begin() + place);
  }
  shape->I.erase(shape->I.begin() + place);
  shape->K.erase(shape->K.begin() + place);
  changed.src.strides.clear();
  changed.weights.strides.clear();
  if (changed.dst) changed.dst.reset();
  return reshaped(changed, *shape);
}

std::vector<Problem> in_plain_formats(const Problem& problem) {
  std::vector<Problem> simpler;
  Problem copy = problem;
  SpatialAttributes* const a = spatial_attributes(copy);
  const auto shape = fitting_shape(problem);
  if (a == nullptr || !shape) return simpler;
  const auto keep = [&](bool changed) {
    if (changed) simpler.push_back(reshaped(copy, *shape));
  };
  const bool dense = problem.src.strides.empty() && !problem.dst;
  if (dense) keep(std::exchange(a->data_format, DataFormat::kNCX) != DataFormat::kNCX);
  WeightsFormat& weights = *find_attribute<WeightsFormat>(copy.attributes);
  if (problem.weights.strides.empty()) {
    keep(std::exchange(weights, WeightsFormat::kOIX) != WeightsFormat::kOIX);
  }
  return simpler;
}

std::vector<Problem> with_smaller_gaps(const Problem& problem) {
  std::vector<Problem> simpler;
  Problem copy = problem;
  for (Tensor* tensor :
       {&copy.src, &copy.weights, copy.bias ? &*copy.bias : nullptr,
        copy.diff_dst ? &*copy.diff_dst : nullptr, copy.dst ? &*copy.dst : nullptr}) {
    if (tensor == nullptr || tensor->strides.size() != tensor->rank() || tensor->rank() == 0) {
      continue;
    }
    const Tensor before = *tensor;
    for (const Extent gap : {0, 1}) {
      *tensor = with_small_gaps(before, gap);
      const auto span = element_span(*tensor), old = element_span(before);
      if (span && old && *span < *old) simpler.push_back(copy);
    }
    *tensor = before;
  }
  return simpler;
}

}  // namespace concord::conformance
