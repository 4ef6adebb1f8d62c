// SPDX-License-Identifier: Apache-2.0
#include "reference/tf_atrous_chain.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "reference/assignment.h"
#include "reference/tf_atrous_forms.h"
#include "reference/tf_space_to_batch.h"
#include "reference/wide.h"
#include "spec/grid.h"

namespace concord::reference {
namespace {

std::string named(const char* name, const Extents& dims) {
  return std::string(name) + "=" + to_string(Tensor{dims, {}});
}

bool any_negative(const Extents& dims) {
  return std::any_of(dims.begin(), dims.end(), [](Extent extent) { return extent < 0; });
}

std::vector<double> without_signs(std::vector<double> values) {
  for (double& value : values) value = std::fabs(value);
  return values;
}

// atrous_conv2d with padding SAME: (filter - 1) rate elements in all, of which half come first.
TfTensor atrous_same(const ChainGeometry& g, const TfTensor& value, const TfTensor& filters) {
  const Grid<4> value_grid{{g.batch, g.height, g.width, g.channels}};
  const Grid<4> filters_grid{{g.filter_height, g.filter_width, g.channels, g.channels}};
  const Extent top = (g.filter_height - 1) * g.rate / 2, left = (g.filter_width - 1) * g.rate / 2;
  TfTensor output{value.dims, {}};
  for (const auto [b, height, width, out_channel] : value_grid) {
    double sum = 0;
    for (const auto [dheight, dwidth, in_channel] :
         Grid<3>{{g.filter_height, g.filter_width, g.channels}}) {
      const Extent row = height + g.rate * dheight - top, column = width + g.rate * dwidth - left;
      if (row < 0 || row >= g.height || column < 0 || column >= g.width) continue;
      sum += filters.values[filters_grid.offset({dheight, dwidth, in_channel, out_channel})] *
             value.values[value_grid.offset({b, row, column, in_channel})];
    }
    output.values.push_back(sum);
  }
  return output;
}

TfTensor chain(const ChainGeometry& g, TfTensor net, const std::vector<TfTensor>& filters) {
  if (g.as_printed) return *atrous_chain_documented(net, filters, g.rate);
  for (const TfTensor& layer : filters) net = atrous_same(g, net, layer);
  return net;
}

// True if the image, padded for the filters and to whole blocks, and its phases can be counted.
bool can_be_counted(const Extents& value, const Extents& filters, Extent rate) {
  for (const std::size_t axis : {std::size_t{1}, std::size_t{2}}) {
    const Wide padding = Wide{filters[axis]} * rate;
    if (!fits(Wide{value[axis]} + std::max<Wide>(padding, rate))) return false;
  }
  const BlockPaddings pad = required_block_paddings(value[1], value[2], {0, 0, 0, 0}, rate);
  return static_cast<bool>(
      resolve_space_to_batch(value, {.block_size = rate, .paddings = pad.paddings}));
}

}  // namespace

Result<ChainGeometry> resolve_atrous_chain(const Extents& value, const Extents& filters,
                                           const AtrousChainAttributes& a, Reading reading) {
  if (value.size() != 4) return Refusal{Fault::kRank, named("src", value) + ": not 4 dimensions"};
  if (filters.size() != 5) {
    return Refusal{Fault::kRank, named("weights", filters) + ": not 5 dimensions"};
  }
  if (any_negative(value)) return Refusal{Fault::kSize, named("src", value) + ": negative"};
  if (any_negative(filters)) return Refusal{Fault::kSize, named("weights", filters) + ": negative"};
  if (a.rate < 1 || a.rate > std::numeric_limits<std::int32_t>::max()) {
    return Refusal{Fault::kDilations, assignment("rate", {a.rate}) + ": not a positive int32"};
  }
  if (!can_be_counted(value, filters, a.rate)) {
    return Refusal{Fault::kSize, assignment("rate", {a.rate}) + ": the phases overflow 64 bits"};
  }
  if (filters[3] != value[3] || filters[4] != value[3]) {
    return Refusal{Fault::kChannels, named("weights", filters) + ": src has " +
                                         std::to_string(value[3]) + " channels, so has each layer"};
  }
  if (filters[0] < 1 || filters[1] % 2 == 0 || filters[2] % 2 == 0) {
    return Refusal{Fault::kKernel, named("weights", filters) + ": no layer, or an even filter"};
  }
  return ChainGeometry{.batch = value[0],
                       .height = value[1],
                       .width = value[2],
                       .channels = value[3],
                       .layers = filters[0],
                       .filter_height = filters[1],
                       .filter_width = filters[2],
                       .rate = a.rate,
                       .as_printed = reading == Reading::kDocumented};
}

Oracle evaluate_atrous_chain(const ChainGeometry& g, std::span<const double> value,
                             std::span<const double> filters) {
  const TfTensor net{{g.batch, g.height, g.width, g.channels}, {value.begin(), value.end()}};
  const TfTensor net_magnitude{net.dims, without_signs(net.values)};
  const Extents dims{g.filter_height, g.filter_width, g.channels, g.channels};
  const auto count = static_cast<std::size_t>(g.products() * g.channels);
  std::vector<TfTensor> layers, magnitudes;
  for (std::size_t layer = 0; layer < static_cast<std::size_t>(g.layers); ++layer) {
    const auto one = filters.subspan(layer * count, count);
    layers.push_back({dims, {one.begin(), one.end()}});
    magnitudes.push_back({dims, without_signs(layers.back().values)});
  }
  return {.value = chain(g, net, layers).values,
          .magnitude = chain(g, net_magnitude, magnitudes).values};
}

}  // namespace concord::reference
