// SPDX-License-Identifier: Apache-2.0
#include "conformance/run/traits.h"

#include <algorithm>

namespace concord::conformance {
namespace {

using Traits = std::vector<std::string>;

bool any_not(const Extents& values, Extent usual) {
  return std::any_of(values.begin(), values.end(), [&](Extent v) { return v != usual; });
}

bool uneven(const Extents& values) {
  return std::adjacent_find(values.begin(), values.end(), std::not_equal_to<>()) != values.end();
}

// The extent of channels-first axis `place`, or 0 where the tensor has no such axis.
template <class Format>
Extent extent_at(const Tensor& tensor, Format format, std::size_t place) {
  if (tensor.rank() < 2 || place >= tensor.rank()) return 0;
  return tensor.dims[channels_first_axes(format, tensor.rank())[place]];
}

void add_spatial(const SpatialAttributes& a, const Problem& problem, Traits& traits) {
  const Extent IC = extent_at(problem.src, a.data_format, 1);
  if (a.groups != 1) traits.push_back(a.groups > 1 && a.groups == IC ? "depthwise" : "grouped");
  if (any_not(a.strides, 1)) traits.push_back("strided");
  if (uneven(a.strides)) traits.push_back("uneven_strides");
  if (any_not(a.dilations, 1)) traits.push_back("dilated");
  if (uneven(a.dilations)) traits.push_back("uneven_dilations");
  if (a.auto_pad != AutoPad::kNone) {
    traits.emplace_back(to_string(a.auto_pad));
  } else {
    if (any_not(a.pads_begin, 0) || any_not(a.pads_end, 0)) traits.push_back("padded");
    if (a.pads_begin != a.pads_end) traits.push_back("asymmetric_pads");
  }
}

void add_spatial(const AtrousConv2dAttributes& a, const Problem&, Traits& traits) {
  if (a.rate != 1) traits.push_back("dilated");
  traits.emplace_back(to_string(a.padding));
}

}  // namespace

std::vector<std::string> traits_of(const Problem& problem) {
  Traits traits;
  if (problem.src.rank() >= 3) traits.push_back(std::to_string(problem.src.rank() - 2) + "d");
  std::visit([&](const auto& a) { add_spatial(a, problem, traits); }, problem.attributes);
  const WeightsFormat weights_format = weights_format_of(problem);
  bool pointwise = problem.weights.rank() >= 3;
  bool even_kernel = false;
  for (std::size_t axis = 2; axis < problem.weights.rank(); ++axis) {
    const Extent kernel = extent_at(problem.weights, weights_format, axis);
    pointwise = pointwise && kernel == 1;
    even_kernel = even_kernel || kernel % 2 == 0;
  }
  if (pointwise) traits.push_back("pointwise");
  if (even_kernel) traits.push_back("even_kernel");
  if (problem.bias) traits.push_back("bias");
  const auto strided = [](const Tensor& t) { return !t.strides.empty(); };
  if (strided(problem.src) || strided(problem.weights) ||
      (problem.bias && strided(*problem.bias)) || (problem.dst && strided(*problem.dst))) {
    traits.push_back("strided_memory");
  }
  traits.emplace_back(to_string(data_format_of(problem)));
  traits.emplace_back(to_string(weights_format));
  if (problem.reading == Reading::kDocumented) traits.push_back("documented");
  return traits;
}

}  // namespace concord::conformance
