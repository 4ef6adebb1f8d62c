// SPDX-License-Identifier: Apache-2.0
#include "conformance/catalog/extents.h"

#include <type_traits>

namespace concord::conformance {
namespace {

Extents concatenate(Extents head, const Extents& tail) {
  head.insert(head.end(), tail.begin(), tail.end());
  return head;
}

template <class Format>
Extents in_format(Format format, const Extents& channels_first) {
  return unpermute({channels_first, {}}, channels_first_axes(format, channels_first.size())).dims;
}

// One element for all channels, as Convolution-1's text has it.
bool has_one_bias(const Problem& problem) {
  return problem.operation() == Operation::kConvolution1 &&
         problem.reading == Reading::kDocumented && problem.bias->dims == Extents{1};
}

}  // namespace

SpatialAttributes* spatial_attributes(Problem& problem) {
  return std::visit(
      [](auto& a) -> SpatialAttributes* {
        if constexpr (std::is_base_of_v<SpatialAttributes, std::decay_t<decltype(a)>>) return &a;
        return nullptr;
      },
      problem.attributes);
}

const SpatialAttributes* spatial_attributes(const Problem& problem) {
  return std::visit(
      [](const auto& a) -> const SpatialAttributes* {
        if constexpr (std::is_base_of_v<SpatialAttributes, std::decay_t<decltype(a)>>) return &a;
        return nullptr;
      },
      problem.attributes);
}

Shape shape_of(const Problem& problem) {
  const std::size_t rank = problem.src.rank();
  const Extents src = permute(problem.src, channels_first_axes(data_format_of(problem), rank)).dims;
  const Extents weights =
      permute(problem.weights, channels_first_axes(weights_format_of(problem), rank)).dims;
  const SpatialAttributes* a = spatial_attributes(problem);
  const Extent groups = a == nullptr ? 1 : a->groups;
  return {.N = src[0],
          .G = groups,
          .ICG = weights[1],
          .OCG = weights[0] / groups,
          .I = {src.begin() + 2, src.end()},
          .K = {weights.begin() + 2, weights.end()}};
}

void set_shape(Problem& problem, const Shape& shape) {
  const Extent OC = shape.G * shape.OCG;
  problem.src = {
      in_format(data_format_of(problem), concatenate({shape.N, shape.G * shape.ICG}, shape.I)), {}};
  problem.weights = {in_format(weights_format_of(problem), concatenate({OC, shape.ICG}, shape.K)),
                     {}};
  if (problem.bias && !has_one_bias(problem)) problem.bias = Tensor{{OC}, {}};
  if (SpatialAttributes* a = spatial_attributes(problem)) a->groups = shape.G;
  problem.dst.reset();
}

Extent count_macs(const reference::Geometry& g) {
  return g.N * g.OC * reference::volume(g.O) * g.products();
}

}  // namespace concord::conformance
