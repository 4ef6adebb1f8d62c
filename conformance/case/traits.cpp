// SPDX-License-Identifier: Apache-2.0
#include "conformance/case/traits.h"

#include <algorithm>

#include "spec/unusual_attributes.h"

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

struct Add {
  const Problem& problem;
  Traits& traits;

  void operator()(const AtrousConv2dAttributes& a) const {
    if (a.rate != 1) traits.push_back("dilated");
    traits.emplace_back(to_string(a.padding));
  }
  void operator()(const SpaceToBatchAttributes& a) const { add_edges(a.paddings, "padded"); }
  void operator()(const BatchToSpaceAttributes& a) const { add_edges(a.crops, "cropped"); }
  void operator()(const AtrousChainAttributes& a) const {
    if (a.rate != 1) traits.push_back("dilated");
    if (problem.weights.rank() == 5 && problem.weights.dims[0] > 1) traits.push_back("chained");
  }
  void operator()(const CntkConvolution2dAttributes& a) const {
    if (a.horizontal_stride != 1 || a.vertical_stride != 1) traits.push_back("strided");
    if (a.zero_padding != 0) traits.push_back("padded");
    if (a.max_temp_mem_size_in_samples != 0) traits.push_back("bounded_memory");
    traits.emplace_back(to_string(a.image_layout));
  }
  void operator()(const ContinuousChainAttributes& a) const {
    if (a.scales_h.size() > 1) traits.push_back("chained");
    if (a.scales_h != a.scales_w) traits.push_back("uneven_scales");
    add_continuous_kernel(a);
  }
  // Another operation has the traits of the one from whose attributes its own are derived.
  template <class Other>
  void operator()(const Other& a) const {
    if constexpr (std::is_base_of_v<SpatialAttributes, Other>) add_spatial(a, problem, traits);
    if constexpr (std::is_base_of_v<CntkConvolutionAttributes, Other>) add_cntk(a);
    if constexpr (std::is_base_of_v<ContinuousAttributes, Other>) add_layer(a);
  }

 private:
  void add_cntk(const CntkConvolutionAttributes& a) const {
    if (any_not(a.stride, 1)) traits.push_back("strided");
    if (any_not(a.sharing, 1)) traits.push_back("unshared");
    if (any_not(a.auto_padding, 0)) traits.push_back("auto_padding");
    if (any_not(a.lower_pad, 0) || any_not(a.upper_pad, 0)) traits.push_back("padded");
    if (a.map_count.size() > 1) traits.push_back("map_per_axis");
    if (a.max_temp_mem_size_in_samples != 0) traits.push_back("bounded_memory");
  }
  void add_layer(const ContinuousAttributes& a) const {
    const Rational one(1);
    if (a.scale_h > one || a.scale_w > one) traits.push_back("enlarged");
    if (a.scale_h < one || a.scale_w < one) traits.push_back("reduced");
    if (a.scale_h != a.scale_w) traits.push_back("uneven_scales");
    if (!a.size.empty()) traits.push_back("given_size");
    add_continuous_kernel(a);
  }
  template <class A>
  void add_continuous_kernel(const A& a) const {
    if (any_even(a.kernel)) traits.push_back("even_kernel");
    traits.emplace_back(to_string(a.function));
    traits.emplace_back(to_string(a.ties));
    traits.emplace_back(to_string(a.boundary));
  }
  static bool any_even(const Extents& list) {
    return std::any_of(list.begin(), list.end(), [](Extent e) { return e % 2 == 0; });
  }
  void add_edges(const Extents& edges, const char* trait) const {
    if (any_not(edges, 0)) traits.push_back(trait);
  }
};

void add_kernel(const Problem& problem, Traits& traits) {
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
}

// Not dense as the operation's tensors are dense where nobody says anything.
bool is_strided(const Problem& problem, const Tensor& tensor, bool column_major) {
  if (tensor.strides.empty()) return false;
  const Extents dense =
      column_major ? column_major_strides(tensor.dims) : dense_strides(tensor.dims);
  return is_discrete(problem.operation()) || tensor.strides != dense;
}

}  // namespace

std::vector<std::string> traits_of(const Problem& problem) {
  Traits traits;
  const bool discrete = is_discrete(problem.operation());
  if (discrete && problem.src.rank() >= 3) {
    traits.push_back(std::to_string(problem.src.rank() - 2) + "d");
  }
  std::visit(Add{problem, traits}, problem.attributes);
  if (discrete) {
    for (const auto key : unusual_attributes(problem, kDiscreteKeys)) traits.emplace_back(key);
  }
  if (discrete) add_kernel(problem, traits);
  if (problem.bias) traits.push_back("bias");
  const Operation operation = problem.operation();
  bool strided = problem.dst && is_strided(problem, *problem.dst, is_dst_column_major(operation));
  for (const Input input : kInputs) {
    const Tensor* tensor = input_of(problem, input);
    strided = strided || (tensor != nullptr &&
                          is_strided(problem, *tensor, is_column_major(operation, input)));
  }
  if (strided) traits.push_back("strided_memory");
  if (discrete) {
    traits.emplace_back(to_string(data_format_of(problem)));
    traits.emplace_back(to_string(weights_format_of(problem)));
  }
  if (problem.reading != Reading::kImplemented) traits.emplace_back(to_string(problem.reading));
  return traits;
}

}  // namespace concord::conformance
