// SPDX-License-Identifier: Apache-2.0
#include "optimized/run_groups.h"

#include <algorithm>

#include "optimized/convert.h"
#include "optimized/row_tiles.h"
#include "optimized/stage.h"
#include "optimized/view.h"
#include "spec/grid.h"

namespace concord::optimized {
namespace {

Axis axis_of(const Shape& v, std::size_t at) {
  return {.I = v.I[at], .O = v.O[at], .K = v.K[at], .S = v.S[at], .D = v.D[at], .P = v.P[at]};
}

// What all rows have in common.
GroupedCall begin_call(const Grouping& g, const void* src) {
  const Shape& v = g.view;
  GroupedCall call{};
  call.src = src;
  call.src_pixel = v.src.spatial[2];
  call.src_depth_tap = sum_of_products({{v.D[0], v.src.spatial[0]}});
  call.src_row_tap = sum_of_products({{v.D[1], v.src.spatial[1]}});
  call.row_weights = v.K[2] * g.width;
  call.depth_weights = v.K[1] * call.row_weights;
  call.kernel_width = v.K[2];
  call.stride = v.S[2];
  call.dilation = v.D[2];
  call.padding = v.P[2];
  call.input_width = v.I[2];
  call.product = g.padded_channels();
  call.pixels = v.O[2];
  call.streams = g.streams ? 1 : 0;
  return call;
}

struct Row {
  Extent n, od, oh;
};

// Sets where the row's taps are, for the channels from `channel` on.
void place_row(const Grouping& g, const Row& row, Extent channel, const float* packed,
               GroupedCall* call) {
  const Shape& v = g.view;
  const Axis::Range kd = axis_of(v, 0).taps_of(row.od);
  const Axis::Range kh = axis_of(v, 1).taps_of(row.oh);
  call->depth_taps = kd.end - kd.begin;
  call->row_taps = kh.end - kh.begin;
  call->src_offset =
      sum_of_products({{row.n, v.src.outer},
                       {channel, v.src.channel},
                       {row.od * v.S[0] + kd.begin * v.D[0] - v.P[0], v.src.spatial[0]},
                       {row.oh * v.S[1] + kh.begin * v.D[1] - v.P[1], v.src.spatial[1]},
                       {-v.P[2], v.src.spatial[2]}});
  const Extent first_product = (kd.begin * v.K[1] + kh.begin) * v.K[2] * g.width;
  call->weights = packed + first_product * g.padded_channels() + channel;
  call->bias = packed + g.packed_weights() + channel;
}

void run_row(const Plan& plan, const Row& row, Extent channel, GroupedCall call,
             const float* packed, void* dst, float* scratch) {
  const Grouping& g = plan.grouping;
  const Strides& to = g.view.dst;
  call.channels = std::min(g.chunk, g.view.OC - channel);
  place_row(g, row, channel, packed, &call);
  if (!g.stages_dst) {
    const Extent first = sum_of_products({{row.n, to.outer},
                                          {channel, to.channel},
                                          {row.od, to.spatial[0]},
                                          {row.oh, to.spatial[1]}});
    call.dst = static_cast<std::byte*>(dst) + first * g.element_bytes();
    call.dst_pixel = to.spatial[2];
    return g.kernel(call);
  }
  call.dst = scratch;
  call.dst_pixel = g.chunk;
  g.kernel(call);
  store_dst(plan, to,
            {.n = row.n,
             .od = row.od,
             .oh = row.oh,
             .ow = 0,
             .pixels = g.view.O[2],
             .oc = channel,
             .channels = call.channels},
            scratch, g.chunk, dst);
}

}  // namespace

void pack_groups(const Plan& plan, const void* weights, const void* bias, float* to) {
  const Grouping& g = plan.grouping;
  const Shape& s = plan.shape;
  std::fill(to, to + g.packed_elements(), 0.0F);
  float* product = to;
  for (const auto [kd, kh, kw, ic] : Grid<4>{{s.K[0], s.K[1], s.K[2], g.width}}) {
    const Extent from = kd * s.weights.spatial[0] + kh * s.weights.spatial[1] +
                        kw * s.weights.spatial[2] + ic * s.weights.channel;
    widen(s.dtype, element_at(weights, from, s.dtype), s.weights.outer, product, s.OC);
    product += g.padded_channels();
  }
  if (s.has_bias) widen(s.dtype, bias, s.bias_stride, product, s.OC);
}

void run_groups(const Plan& plan, const float* packed, const void* src, void* dst,
                float* workspace) {
  const Grouping& g = plan.grouping;
  const void* from = src;
  if (g.stages_src) {
    stage_src(plan, src, workspace);
    from = workspace;
  }
  const GroupedCall call = begin_call(g, from);
  float* scratch = workspace + g.staged_src();
  plan.team->run(g.tasks(), [&](Extent task, int slot) {
    const Extent channel = task / g.row_tasks() * g.chunk;
    const Extent first = task % g.row_tasks() * g.rows_per_task;
    const Extent last = std::min(first + g.rows_per_task, g.rows());
    for (Extent index = first; index < last; ++index) {
      const Row row = {.n = index / g.view.O[1] / g.view.O[0],
                       .od = index / g.view.O[1] % g.view.O[0],
                       .oh = index % g.view.O[1]};
      run_row(plan, row, channel, call, packed, dst, scratch + slot * g.staged_dst());
    }
  });
}

}  // namespace concord::optimized
