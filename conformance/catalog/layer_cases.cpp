// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <optional>
#include <utility>

#include "conformance/catalog/cut.h"
#include "conformance/catalog/extents.h"
#include "conformance/catalog/families.h"
#include "conformance/catalog/listed.h"

namespace concord::conformance {
namespace {

// Multiplications that a layer is cut to: smoke has several hundred of them.
constexpr Extent kLayerMacs = 3'000'000, kLargeLayerMacs = 30'000'000;

// The problem with NXC for NCX, XIO for OIX and the other way round; nothing for AtrousConv2d.
std::optional<Problem> in_other_formats(Problem problem) {
  SpatialAttributes* a = spatial_attributes(problem);
  if (a == nullptr) return std::nullopt;
  const Shape shape = shape_of(problem);
  const auto flip = [](WeightsFormat& format) {
    format = format == WeightsFormat::kOIX ? WeightsFormat::kXIO : WeightsFormat::kOIX;
  };
  a->data_format = a->data_format == DataFormat::kNCX ? DataFormat::kNXC : DataFormat::kNCX;
  if (auto* c = std::get_if<Convolution1Attributes>(&problem.attributes)) flip(c->filter_format);
  if (auto* c = std::get_if<ConvolutionAttributes>(&problem.attributes)) flip(c->weights_format);
  set_shape(problem, shape);
  return problem;
}

std::string format_suffix(const Problem& problem) {
  return data_format_of(problem) == DataFormat::kNXC ? "-nxc" : "-ncx";
}

Source source_of_layer(const Network& network, const Listed& layer, Extent max_macs) {
  auto cut = cut_to_budget(layer.problem, max_macs);
  return {network.name, layer.name, std::move(cut.problem),
          "layer " + layer.name + " of " + network.name, std::move(cut.note)};
}

}  // namespace

void add_layers(Collector& collector) {
  constexpr std::array kOtherFills = {Fill::kUniform, Fill::kImpulse, Fill::kUniform, Fill::kRamp,
                                      Fill::kWide};
  constexpr std::size_t kSparseEvery = 8;
  std::size_t turn = 0;
  for (const Network& network : networks()) {
    for (const Listed& layer : network.layers) {
      Source source = source_of_layer(network, layer, kLayerMacs);
      collector.add(source, Fill::kIntegers);
      if (turn % kSparseEvery == 0) collector.add(source, Fill::kSparse);
      if (auto other = in_other_formats(source.problem)) {
        source.problem = *std::move(other);
        source.name += format_suffix(source.problem);
      }
      collector.add(source, kOtherFills[turn++ % kOtherFills.size()]);
    }
  }
}

void add_more_layers(Collector& collector) {
  for (const Network& network : networks()) {
    for (const Listed& layer : network.layers) {
      Source source = source_of_layer(network, layer, kLayerMacs);
      for (const Dtype dtype : kCommonDtypes) {
        if (dtype == Dtype::kF32) continue;  // add_layers() has it
        source.problem.dtype = dtype;
        collector.add(source, Fill::kIntegers);
        collector.add(source, Fill::kUniform);
      }
      Source large = source_of_layer(network, layer, kLargeLayerMacs);
      if (large.note == source.note) continue;  // the small one was whole, or as large
      large.name += "-large";
      collector.add(large, Fill::kIntegers);
      collector.add(large, Fill::kUniform);
    }
  }
}

void add_f64_layers(Collector& collector) {
  constexpr std::size_t kEvery = 8;
  std::size_t turn = 0;
  for (const Network& network : networks()) {
    for (const Listed& layer : network.layers) {
      if (turn++ % kEvery != 0) continue;
      Source source = source_of_layer(network, layer, kLayerMacs);
      source.problem.dtype = Dtype::kF64;
      collector.add(source, Fill::kUniform);
    }
  }
}

}  // namespace concord::conformance
