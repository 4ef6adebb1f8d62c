// SPDX-License-Identifier: Apache-2.0
#include "optimized/run_groups.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "optimized/convert.h"
#include "optimized/kernel_table.h"
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
GroupedCall begin_call(const Grouping& g, const void* src, const void* raw_weights) {
  const Shape& v = g.view;
  GroupedCall call{};
  call.src = src;
  call.raw_weights = raw_weights;
  call.raw_tap = g.raw_product;
  call.src_pixel = v.src.spatial[2];
  call.src_depth_tap = sum_of_products({{v.D[0], v.src.spatial[0]}});
  call.src_row_tap = sum_of_products({{v.D[1], v.src.spatial[1]}});
  call.row_weights = v.K[2] * g.tap_products();
  call.depth_weights = v.K[1] * call.row_weights;
  call.kernel_width = v.K[2];
  call.stride = v.S[2];
  call.dilation = v.D[2];
  call.padding = v.P[2];
  call.input_width = v.I[2];
  call.vector_weights = g.vector_weights();
  call.src_row = v.src.spatial[1];
  call.pixels = v.O[2];
  return call;
}

// Rows of one plane of outputs that a call computes.
struct Rows {
  Extent n, od, oh, count;
};

Rows rows_of(const Grouping& g, Extent band) {
  const Extent bands = g.plane_bands();
  const Extent plane = band / bands;
  const Extent first = g.view.O[1] * (band % bands) / bands;
  const Extent last = g.view.O[1] * (band % bands + 1) / bands;
  return {plane / g.view.O[0], plane % g.view.O[0], first, last - first};
}

// Sets where the taps of the rows are, for the channels from `channel` on.
void place_rows(const Grouping& g, const Rows& rows, Extent channel, const float* packed,
                GroupedCall* call) {
  const Shape& v = g.view;
  const Axis::Range kd = axis_of(v, 0).taps_of(rows.od);
  // A kernel of patches takes all kernel rows, and is told which input rows exist.
  const Axis::Range kh = g.by_patches ? Axis::Range{0, v.K[1]} : axis_of(v, 1).taps_of(rows.oh);
  call->depth_taps = kd.end - kd.begin;
  call->row_taps = kh.end - kh.begin;
  call->src_offset =
      sum_of_products({{rows.n, v.src.outer},
                       {channel, v.src.channel},
                       {rows.od * v.S[0] + kd.begin * v.D[0] - v.P[0], v.src.spatial[0]},
                       {rows.oh * v.S[1] + kh.begin * v.D[1] - v.P[1], v.src.spatial[1]},
                       {-v.P[2], v.src.spatial[2]}});
  // The rows above have read the first kernel rows of this one.
  const Extent read = std::max<Extent>(v.K[1] - v.S[1] - kh.begin, 0);
  call->ahead = g.asks_ahead ? read : call->row_taps;
  call->rows = rows.count;
  call->rows_begin = v.P[1] - rows.oh * v.S[1];
  call->rows_end = call->rows_begin + (kd.begin < kd.end ? v.I[1] : 0);
  // Where no depth tap meets src, its weights are not there either, and patches read all of theirs.
  const Extent first_depth = kd.begin < kd.end ? kd.begin : 0;
  const Extent first_product = (first_depth * v.K[1] + kh.begin) * v.K[2] * g.tap_products();
  const Extent first_vector = channel / g.family->lanes;
  call->weights = packed + first_vector * g.vector_weights() + first_product * g.family->lanes;
  if (call->raw_weights != nullptr) {
    call->raw_weights = static_cast<const std::byte*>(call->raw_weights) +
                        (channel + first_product * g.raw_product) * g.element_bytes();
  }
  call->bias = packed + g.packed_weights() + channel;
}

void run_rows(const Plan& plan, const Rows& rows, Extent channel, GroupedCall call,
              const float* packed, void* dst, float* scratch) {
  const Grouping& g = plan.grouping;
  const Strides& to = g.view.dst;
  call.channels = std::min(g.chunk, g.view.OC - channel);
  place_rows(g, rows, channel, packed, &call);
  if (!g.stages_dst) {
    const Extent first = sum_of_products({{rows.n, to.outer},
                                          {channel, to.channel},
                                          {rows.od, to.spatial[0]},
                                          {rows.oh, to.spatial[1]}});
    call.dst = static_cast<std::byte*>(dst) + first * g.element_bytes();
    call.dst_pixel = to.spatial[2];
    call.dst_row = to.spatial[1];
    return g.kernel(call);
  }
  call.dst = scratch;
  call.dst_pixel = g.chunk;
  call.dst_row = g.view.O[2] * g.chunk;
  g.kernel(call);
  for (Extent row = 0; row < rows.count; ++row) {
    store_dst(plan, to,
              {.n = rows.n,
               .od = rows.od,
               .oh = rows.oh + row,
               .ow = 0,
               .pixels = g.view.O[2],
               .oc = channel,
               .channels = call.channels},
              scratch + row * call.dst_row, g.chunk, dst);
  }
}

// Packs f32 weights with a raw_product: two vectors of a product at a time, which are one or two
// lines of memory, asked for some products ahead, since the processor cannot guess them, or where
// there are few of them, two vectors ahead.
template <std::size_t LANES>
void copy_vectors(const Grouping& g, const float* from, float* to) {
  constexpr Extent kAtOnce = 2;
  constexpr Extent kAhead = 8;
  constexpr auto kLanes = static_cast<Extent>(LANES);
  const Extent vectors = g.view.OC / kLanes;
  const Extent products = g.taps() * g.width;
  const Extent ahead = products > 2 * kAhead ? kAhead * g.raw_product : kAtOnce * kLanes;
  for (Extent v = 0; v < vectors; v += kAtOnce) {
    const float* row = from + v * kLanes;
    float* vector = to + v * g.vector_weights();
    for (Extent product = 0; product < products; ++product) {
      __builtin_prefetch(row + ahead);
      std::memcpy(vector, row, LANES * sizeof(float));
      if (v + 1 < vectors) {
        __builtin_prefetch(row + ahead + kLanes);
        std::memcpy(vector + g.vector_weights(), row + kLanes, LANES * sizeof(float));
      }
      row += g.raw_product;
      vector += kLanes;
    }
  }
}

// Packs weights of bf16 whose groups are whole vectors: a pair of input channels side by side.
void copy_pairs(const Plan& plan, const std::uint16_t* from, float* to) {
  const Grouping& g = plan.grouping;
  const Shape& s = plan.shape;
  const Extent lanes = g.family->lanes;
  for (Extent oc = 0; oc < s.OC; oc += lanes) {
    auto* product = reinterpret_cast<std::uint16_t*>(to + oc / lanes * g.vector_weights());
    for (const auto [kd, kh, kw, pair] : Grid<4>{{s.K[0], s.K[1], s.K[2], g.tap_products()}}) {
      const std::uint16_t* first = from + oc * s.weights.outer + kd * s.weights.spatial[0] +
                                   kh * s.weights.spatial[1] + kw * s.weights.spatial[2] +
                                   2 * pair * s.weights.channel;
      for (Extent lane = 0; lane < lanes; ++lane, product += 2) {
        product[0] = first[lane * s.weights.outer];
        product[1] = first[lane * s.weights.outer + s.weights.channel];
      }
    }
  }
}

// The same where they have a raw_product, which the kernels of dense layers pack as well.
void supply_pairs(const Plan& plan, const std::uint16_t* from, float* to) {
  const Grouping& g = plan.grouping;
  constexpr auto kBytes = static_cast<Extent>(sizeof(std::uint16_t));
  for (Extent oc = 0; oc < plan.shape.OC; oc += g.family->lanes) {
    Supply supply{};
    supply.from = supply.tap = reinterpret_cast<const char*>(from + oc);
    supply.to = to + oc / g.family->lanes * g.vector_weights();
    supply.rows = supply.tap_rows = g.taps() * g.tap_products();
    supply.vectors = 1;
    supply.from_row = 2 * g.raw_product * kBytes;
    tiles_for(plan.isa, Dtype::kBF16).supply(&supply);
  }
}

void pack_group_bias(const Plan& plan, const void* bias, float* packed) {
  const Grouping& g = plan.grouping;
  float* const to = packed + g.packed_weights();
  std::fill_n(to, g.padded_channels(), 0.0F);
  if (plan.shape.has_bias) {
    widen(plan.shape.dtype, bias, plan.shape.bias_stride, to, plan.shape.OC);
  }
}

// With packed weights, or else with those that come as they are and a packed bias.
void run(const Plan& plan, const void* raw_weights, const float* packed, const void* src, void* dst,
         float* workspace) {
  const Grouping& g = plan.grouping;
  const void* from = src;
  if (g.stages_src) {
    stage_src(plan, src, workspace);
    from = workspace;
  }
  const GroupedCall call = begin_call(g, from, raw_weights);
  float* scratch = workspace + g.staged_src();
  plan.team->run(g.tasks(), [&](Extent task, int slot) {
    const Extent channel = task / g.band_tasks() * g.chunk;
    const Extent first = task % g.band_tasks() * g.bands_per_task;
    const Extent last = std::min(first + g.bands_per_task, g.bands());
    for (Extent band = first; band < last; ++band) {
      run_rows(plan, rows_of(g, band), channel, call, packed, dst, scratch + slot * g.staged_dst());
    }
  });
}

}  // namespace

void pack_groups(const Plan& plan, const void* weights, const void* bias, float* to) {
  const Grouping& g = plan.grouping;
  const Shape& s = plan.shape;
  const Extent lanes = g.family->lanes;
  if (g.raw_product != 0 && s.dtype == Dtype::kF32) {
    const auto* from = static_cast<const float*>(weights);
    if (lanes == 4) copy_vectors<4>(g, from, to);
    if (lanes == 8) copy_vectors<8>(g, from, to);
    if (lanes == 16) copy_vectors<16>(g, from, to);
    return pack_group_bias(plan, bias, to);
  }
  if (g.reads_pairs()) {
    const auto* from = static_cast<const std::uint16_t*>(weights);
    (g.raw_product != 0 ? supply_pairs : copy_pairs)(plan, from, to);
    return pack_group_bias(plan, bias, to);
  }
  if (s.OC % lanes != 0) std::fill(to, to + g.packed_weights(), 0.0F);
  float* product = to;
  for (const auto [kd, kh, kw, ic] : Grid<4>{{s.K[0], s.K[1], s.K[2], g.width}}) {
    const Extent from = kd * s.weights.spatial[0] + kh * s.weights.spatial[1] +
                        kw * s.weights.spatial[2] + ic * s.weights.channel;
    for (Extent oc = 0; oc < s.OC; oc += lanes) {
      widen(s.dtype, element_at(weights, from + oc * s.weights.outer, s.dtype), s.weights.outer,
            product + oc / lanes * g.vector_weights(), std::min(lanes, s.OC - oc));
    }
    product += lanes;
  }
  pack_group_bias(plan, bias, to);
}

void run_groups(const Plan& plan, const float* packed, const void* src, void* dst,
                float* workspace) {
  run(plan, nullptr, packed, src, dst, workspace);
}

void run_groups_raw(const Plan& plan, const void* weights, const void* bias, float* packed,
                    const void* src, void* dst, float* workspace) {
  pack_group_bias(plan, bias, packed);
  run(plan, weights, packed, src, dst, workspace);
}

}  // namespace concord::optimized
