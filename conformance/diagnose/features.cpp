// SPDX-License-Identifier: Apache-2.0
#include "conformance/diagnose/features.h"

#include <fmt/format.h>

#include <algorithm>

#include "conformance/case/traits.h"
#include "conformance/catalog/extents.h"
#include "spec/operations.h"
#include "spec/unusual_attributes.h"

namespace concord::conformance {
namespace {

bool has_strides(const Tensor& tensor, bool column_major) {
  if (!column_major) return !tensor.strides.empty();
  return strides_of(tensor) != column_major_strides(tensor.dims);
}

std::string_view kind_of(Operation operation) {
  switch (facts_of(operation).family) {
    case Family::kDiscrete:
      return "a discrete convolution";
    case Family::kBlocks:
      return "one of blocks";
    case Family::kCntk:
      return "one of CNTK's";
    case Family::kContinuous:
      return "one of the continuous layer's";
  }
  return "unknown";
}

void add_words(const Case& source, const Result<reference::Resolution>& geometry,
               Features& features) {
  const Problem& p = source.problem;
  features.add(!geometry, "the problem is invalid");
  if (!geometry) features.add(true, fmt::format("fault = {}", to_string(geometry.why().fault)));
  features.add(p.bias.has_value(), "there is a bias");
  features.add(!p.bias, "there is no bias");
  const Operation operation = p.operation();
  features.add(has_strides(p.src, is_column_major(operation, Input::kSrc)), "src has strides");
  features.add(has_strides(p.weights, false), "weights have strides");
  features.add(p.bias && has_strides(*p.bias, false), "bias has strides");
  features.add(p.diff_dst && has_strides(*p.diff_dst, is_column_major(operation, Input::kDiffDst)),
               "diff_dst has strides");
  features.add(p.dst && has_strides(*p.dst, is_dst_column_major(operation)), "dst has strides");
  features.add(true, fmt::format("operation = {}", to_string(operation)));
  features.add(true, fmt::format("dtype = {}", to_string(p.dtype)));
  features.add(p.dtype != Dtype::kF32, "dtype != f32");
  if (is_discrete(p.operation())) {
    features.add(true, fmt::format("data_format = {}", to_string(data_format_of(p))));
    features.add(true, fmt::format("weights_format = {}", to_string(weights_format_of(p))));
  }
  features.add(true, fmt::format("reading = {}", to_string(p.reading)));
  features.add(true, fmt::format("fill = {}", to_string(source.fill)));
  if (const SpatialAttributes* a = spatial_attributes(p)) {
    features.add(true, fmt::format("auto_pad = {}", to_string(a->auto_pad)));
    features.add(a->auto_pad == AutoPad::kSameUpper || a->auto_pad == AutoPad::kSameLower,
                 "auto_pad = same_upper or same_lower");
  }
}

void add_spatial(std::string_view name, const reference::Spatial& values, std::size_t rank,
                 Features& features) {
  std::vector<std::string> axes;
  for (std::size_t axis = values.size() - rank; axis < values.size(); ++axis) {
    axes.push_back(rank <= 3 ? std::string(1, "dhw"[axis - reference::kDepth])
                             : reference::axis_name(axis, rank));
  }
  features.add_axes(name, axes, {values.end() - static_cast<std::ptrdiff_t>(rank), values.end()});
}

void add_numbers(const reference::Geometry& g, Features& features) {
  features.numbers = {{"groups", g.G},
                      {"channels of a group", g.ICG()},
                      {"output channels of a group", g.OCG()},
                      {"batch", g.N},
                      {"spatial axes", static_cast<Extent>(g.spatial_rank)},
                      {"input channels", g.IC},
                      {"output channels", g.OC},
                      {"products", g.products()}};
  Extent pixels = 1;
  for (const Extent extent : g.O) pixels *= extent;
  features.add_number("output pixels", pixels);
  add_spatial("stride", g.S, g.spatial_rank, features);
  add_spatial("dilation", g.D, g.spatial_rank, features);
  add_spatial("kernel", g.K, g.spatial_rank, features);
  add_spatial("pad_begin", g.P_begin, g.spatial_rank, features);
  add_spatial("pad_end", g.P_end, g.spatial_rank, features);
  add_spatial("input", g.I, g.spatial_rank, features);
  add_spatial("output", g.O, g.spatial_rank, features);
}

}  // namespace

void Features::add_axes(std::string_view name, const std::vector<std::string>& axes,
                        const Extents& values) {
  if (values.empty()) return;
  add_number(std::string(name), *std::max_element(values.begin(), values.end()));
  add_number(fmt::format("least {}", name), *std::min_element(values.begin(), values.end()));
  for (std::size_t i = 0; i < values.size(); ++i) {
    add_number(fmt::format("{}_{}", name, axes[i]), values[i]);
  }
}

Features features_of(const Case& source) {
  Features features;
  const auto geometry = reference::resolve(source.problem);
  add_words(source, geometry, features);
  features.kind = kind_of(source.problem.operation());
  if (is_discrete(source.problem.operation())) {
    if (geometry) {
      add_numbers(geometry->discrete(), features);
      add_attribute_features(source.problem, kDiscreteKeys, features);
    }
  } else if (geometry) {
    add_form_features(source.problem, *geometry, features);
  }
  return features;
}

}  // namespace concord::conformance
