// SPDX-License-Identifier: Apache-2.0
#include "reference/tf_atrous_forms.h"

#include <string>

#include "reference/sum.h"
#include "reference/tf_atrous.h"
#include "reference/tf_space_to_batch.h"
#include "spec/grid.h"

namespace concord::reference {
namespace {

struct Dense {
  Extents dims;
  Oracle oracle;
};

Problem problem_of(const TfTensor& value, const TfTensor& filters,
                   const AtrousConv2dAttributes& a) {
  Problem problem;
  problem.src = {value.dims, {}};
  problem.weights = {filters.dims, {}};
  problem.attributes = a;
  return problem;
}

// conv2d with all strides 1 and the given rows above and columns to the left, for an output of the
// given extents.
Dense conv2d(const TfTensor& value, const TfTensor& filters, Extent top, Extent left,
             Extent out_height, Extent out_width) {
  const Extent batch = value.dims[0], in_height = value.dims[1], in_width = value.dims[2];
  const Extent filter_height = filters.dims[0], filter_width = filters.dims[1];
  const Extent in_channels = filters.dims[2], out_channels = filters.dims[3];
  const Grid<4> value_grid{{batch, in_height, in_width, in_channels}};
  const Grid<4> filters_grid{{filter_height, filter_width, in_channels, out_channels}};
  Dense out{{batch, out_height, out_width, out_channels}, {}};
  for (const auto [b, height, width, out_channel] :
       Grid<4>{{batch, out_height, out_width, out_channels}}) {
    Sum sum;
    for (const auto [dheight, dwidth, in_channel] :
         Grid<3>{{filter_height, filter_width, in_channels}}) {
      const Extent row = height + dheight - top, column = width + dwidth - left;
      if (row < 0 || row >= in_height || column < 0 || column >= in_width) continue;
      sum.add(filters.values[filters_grid.offset({dheight, dwidth, in_channel, out_channel})] *
              value.values[value_grid.offset({b, row, column, in_channel})]);
    }
    out.oracle.value.push_back(sum.value);
    out.oracle.magnitude.push_back(sum.magnitude);
  }
  return out;
}

// conv2d with padding SAME.
TfTensor conv2d_same(const TfTensor& value, const TfTensor& filters) {
  Dense out = conv2d(value, filters, (filters.dims[0] - 1) / 2, (filters.dims[1] - 1) / 2,
                     value.dims[1], value.dims[2]);
  return {std::move(out.dims), std::move(out.oracle.value)};
}

// Zeroes the elements of the phases that lie outside the image of `height` times `width`.
void mask_tail(TfTensor& phases, Extent rate, Extent height, Extent width) {
  const Extent batch = phases.dims[0] / (rate * rate);
  const Grid<4> grid{{phases.dims[0], phases.dims[1], phases.dims[2], phases.dims[3]}};
  for (const auto [b, h, w, c] : grid) {
    const Extent phase = b / batch;
    if (h * rate + phase / rate < height && w * rate + phase % rate < width) continue;
    phases.values[grid.offset({b, h, w, c})] = 0;
  }
}

enum class Tail { kAsItComes, kMasked };

Result<TfTensor> chain(const TfTensor& value, const std::vector<TfTensor>& filters, Extent rate,
                       Tail tail) {
  Extents dims = value.dims;
  for (const TfTensor& layer : filters) {
    const auto geometry = resolve_discrete(
        problem_of({dims, {}}, layer, {.rate = rate, .padding = TfPadding::kSame}));
    if (!geometry) return geometry.why();
    if (tail == Tail::kMasked && rate > 1 && (layer.dims[0] % 2 == 0 || layer.dims[1] % 2 == 0)) {
      return Refusal{Fault::kKernel, "filters=" + to_string(Tensor{layer.dims, {}}) +
                                         ": even, so no chain at rate " + std::to_string(rate)};
    }
    dims = geometry->dst.dims;
  }
  if (filters.empty()) return value;

  const BlockPaddings pad = required_block_paddings(dims[1], dims[2], {0, 0, 0, 0}, rate);
  const SpaceToBatchAttributes split{.block_size = rate, .paddings = pad.paddings};
  const auto phase_dims = resolve_space_to_batch(value.dims, split);
  if (!phase_dims) return phase_dims.why();
  TfTensor net{*phase_dims, evaluate_space_to_batch(value.dims, split, value.values)};
  for (const TfTensor& layer : filters) {
    net = conv2d_same(net, layer);
    if (tail == Tail::kMasked) mask_tail(net, rate, dims[1], dims[2]);
  }
  return TfTensor{dims, evaluate_batch_to_space(net.dims, {.block_size = rate, .crops = pad.crops},
                                                net.values)};
}

}  // namespace

TfTensor zero_stuffed(const TfTensor& filters, Extent rate) {
  const Extent in_channels = filters.dims[2], out_channels = filters.dims[3];
  const Extent height = (filters.dims[0] - 1) * rate + 1, width = (filters.dims[1] - 1) * rate + 1;
  const Grid<4> from{{filters.dims[0], filters.dims[1], in_channels, out_channels}};
  const Grid<4> to{{height, width, in_channels, out_channels}};
  TfTensor stuffed{{height, width, in_channels, out_channels}, {}};
  stuffed.values.resize(static_cast<std::size_t>(height * width * in_channels * out_channels));
  for (const auto [h, w, i, o] : from) {
    stuffed.values[to.offset({h * rate, w * rate, i, o})] =
        filters.values[from.offset({h, w, i, o})];
  }
  return stuffed;
}

Result<Oracle> atrous_by_zero_stuffing(const TfTensor& value, const TfTensor& filters,
                                       const AtrousConv2dAttributes& a) {
  const auto geometry = resolve_discrete(problem_of(value, filters, a));
  if (!geometry) return geometry.why();
  const TfTensor stuffed = zero_stuffed(filters, a.rate);
  const bool same = a.padding == TfPadding::kSame;
  return conv2d(value, stuffed, same ? (stuffed.dims[0] - 1) / 2 : 0,
                same ? (stuffed.dims[1] - 1) / 2 : 0, geometry->dst.dims[1], geometry->dst.dims[2])
      .oracle;
}

Result<Oracle> atrous_by_space_to_batch(const TfTensor& value, const TfTensor& filters,
                                        const AtrousConv2dAttributes& a) {
  const auto geometry = resolve_discrete(problem_of(value, filters, a));
  if (!geometry) return geometry.why();
  const Extents base{geometry->P_begin[kHeight], geometry->P_end[kHeight],
                     geometry->P_begin[kWidth], geometry->P_end[kWidth]};
  const BlockPaddings pad = required_block_paddings(value.dims[1], value.dims[2], base, a.rate);
  const SpaceToBatchAttributes split{.block_size = a.rate, .paddings = pad.paddings};
  const auto phase_dims = resolve_space_to_batch(value.dims, split);
  if (!phase_dims) return phase_dims.why();
  const TfTensor phases{*phase_dims, evaluate_space_to_batch(value.dims, split, value.values)};
  // Not negative: the whole output is not, and a phase has at least its share of it.
  const Dense net = conv2d(phases, filters, 0, 0, phases.dims[1] - filters.dims[0] + 1,
                           phases.dims[2] - filters.dims[1] + 1);
  const BatchToSpaceAttributes join{.block_size = a.rate, .crops = pad.crops};
  return Oracle{.value = evaluate_batch_to_space(net.dims, join, net.oracle.value),
                .magnitude = evaluate_batch_to_space(net.dims, join, net.oracle.magnitude)};
}

Result<TfTensor> atrous_chain_documented(const TfTensor& value,
                                         const std::vector<TfTensor>& filters, Extent rate) {
  return chain(value, filters, rate, Tail::kAsItComes);
}

Result<TfTensor> atrous_chain_corrected(const TfTensor& value, const std::vector<TfTensor>& filters,
                                        Extent rate) {
  return chain(value, filters, rate, Tail::kMasked);
}

}  // namespace concord::reference
