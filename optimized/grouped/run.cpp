// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include "optimized/direct/row_tiles.h"
#include "optimized/grouped/plan.h"
#include "optimized/layout/stage.h"
#include "optimized/shape/view.h"

namespace concord::optimized {
namespace {

// Whether kernels prefetch dst. A store waits for its line, and one that crosses a line for two,
// one after the other: in 3x3 layers whose channels are no whole lines, prefetching them takes a
// tenth to two fifths of the time on Sapphire Rapids. Of others it costs a tenth, unless dst comes
// from memory.
bool expects_dst(const Context& context, const Grouping& g, const void* dst) {
  if (g.stages_dst) return false;
  const Strides& to = g.view.dst;
  const Extent vector = g.family->lanes * g.element_bytes();
  // What is prefetched of pixels in one place of the first-level cache is gone before it is
  // written.
  const Target& target = *context.target;
  const Extent apart = multiply(to.spatial[2], g.element_bytes());
  const bool is_in_one_place = target.places_apart(apart) == target.set_period();
  if (g.family->vectors_together > 1 && is_in_one_place) return false;
  const bool crosses =
      reinterpret_cast<std::uintptr_t>(dst) % static_cast<std::uintptr_t>(vector) != 0 ||
      to.spatial[2] % g.family->lanes != 0 || to.spatial[1] % g.family->lanes != 0;
  return crosses ||
         multiply(dst_elements(g.view), g.element_bytes()) > context.target->second.bytes;
}

// What all rows have in common.
GroupedCall begin_call(const Context& context, const Grouping& g, const void* src,
                       const void* raw_weights, const void* dst) {
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
  call.row_stride = v.S[1];
  call.row_dilation = v.D[1];
  call.pixels = v.O[2];
  call.vectors = g.vectors_at_once;
  call.expects_dst = expects_dst(context, g, dst) ? 1 : 0;
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
void place_rows(const Grouping& g, const Rows& rows, Extent channel, const std::byte* packed,
                GroupedCall* call) {
  const Shape& v = g.view;
  const Axis::Range kd = axis_of(v, 0).taps_of(rows.od);
  // Kernels of patches and bands take all kernel rows, and are told which input rows exist.
  const bool takes_all = g.by_patches || g.by_bands;
  const Axis::Range kh = takes_all ? Axis::Range{0, v.K[1]} : axis_of(v, 1).taps_of(rows.oh);
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
  call->ahead = g.prefetches_src ? read : call->row_taps;
  call->rows = rows.count;
  call->rows_begin = v.P[1] - rows.oh * v.S[1];
  call->rows_end = call->rows_begin + (kd.begin < kd.end ? v.I[1] : 0);
  // Where no depth tap meets src, its weights are not there either, and patches read all of theirs.
  const Extent first_depth = kd.begin < kd.end ? kd.begin : 0;
  const Extent first_product = (first_depth * v.K[1] + kh.begin) * v.K[2] * g.tap_products();
  const Extent first_vector = channel / g.family->lanes;
  call->weights = packed + (first_vector * g.vector_weights() + first_product * g.family->lanes) *
                               g.sum_bytes();
  if (call->raw_weights != nullptr) {
    call->raw_weights = static_cast<const std::byte*>(call->raw_weights) +
                        (channel + first_product * g.raw_product) * g.element_bytes();
  }
  call->bias = packed + (g.packed_weights() + channel) * g.sum_bytes();
}

// Rows [begin, end) of a plane of src that lie in the workspace, or in several of a 3-D kernel.
struct CopiedRows {
  Extent begin = 0, end = 0;
};

// Copies what the call reads of src to `to`, where pixels do not crowd, but for what is there.
// Prefetches the next channels of these pixels, which come next, if src is far.
void spread(const Context& context, const Grouping& g, const Rows& rows, Extent channel,
            std::byte* to, CopiedRows* copied, GroupedCall* call) {
  const auto line = static_cast<std::size_t>(context.target->line_bytes);
  const Shape& v = g.view;
  const Extent first = rows.oh * v.S[1] - v.P[1];
  const Extent reach = (rows.count - 1) * v.S[1] + (v.K[1] - 1) * v.D[1];
  const Extent begin = std::clamp<Extent>(first, 0, v.I[1]);
  const Extent end = std::clamp<Extent>(first + reach + 1, begin, v.I[1]);
  const Extent depth = rows.od * v.S[0] + axis_of(v, 0).taps_of(rows.od).begin * v.D[0] - v.P[0];
  const Extent row = v.I[2] * g.spread_pixel;
  const Extent plane = g.spread_rows * row;
  const auto bytes = static_cast<std::size_t>(call->channels * g.element_bytes());
  if (end - copied->begin > g.spread_rows) *copied = {begin, begin};
  const Extent next = std::max(copied->end, begin);
  const bool is_last = channel + call->channels == g.view.OC;
  const std::size_t ahead = g.prefetches_bands && !is_last ? bytes : 0;
  for (Extent kd = 0; kd < call->depth_taps; ++kd) {
    for (Extent y = next; y < end; ++y) {
      const Extent at = sum_of_products({{rows.n, v.src.outer},
                                         {channel, v.src.channel},
                                         {depth + kd * v.D[0], v.src.spatial[0]},
                                         {y, v.src.spatial[1]}});
      const std::byte* from =
          static_cast<const std::byte*>(call->src) + multiply(at, g.element_bytes());
      std::byte* pixel = to + (kd * plane + (y - copied->begin) * row) * g.element_bytes();
      for (Extent x = 0; x < v.I[2]; ++x) {
        for (std::size_t i = 0; i < ahead; i += line) __builtin_prefetch(from + bytes + i, 0, 2);
        std::memcpy(pixel, from, bytes);
        from += v.src.spatial[2] * g.element_bytes();
        pixel += g.spread_pixel * g.element_bytes();
      }
    }
  }
  copied->end = std::max(copied->end, end);
  call->src = to;
  call->src_offset = sum_of_products({{first - copied->begin, row}, {-v.P[2], g.spread_pixel}});
  call->src_pixel = g.spread_pixel;
  call->src_row = row;
  call->src_row_tap = v.D[1] * row;
  call->src_depth_tap = plane;
}

bool has_dense_planes(const Strides& strides, const Spatial& extents) {
  Extent step = 1;
  for (std::size_t axis = 3; axis-- > 0; step *= extents[axis]) {
    if (extents[axis] > 1 && strides.spatial[axis] != step) return false;
  }
  return strides.channel == step;
}

// What a chunk of an image has of src or dst; nothing if it shares that memory.
struct Piece {
  Extent first, bytes;
};
Piece piece_of(const Context& context, const Strides& strides, const Spatial& extents, Extent n,
               Extent channel, Extent channels) {
  if (!has_dense_planes(strides, extents)) return {0, 0};
  return {sum_of_products({{n, strides.outer}, {channel, strides.channel}}),
          channels * strides.channel * static_cast<Extent>(size_of(context.shape.dtype))};
}

// Takes staged rows of a plane to dst, all at once where they follow one another there.
void store_rows(const Context& context, const Grouping& g, Rows rows, Extent channel,
                Extent channels, const std::byte* staged, void* dst) {
  const Strides& to = g.view.dst;
  Extent pixels = g.view.O[2];
  if (to.spatial[1] == multiply(pixels, to.spatial[2])) pixels *= std::exchange(rows.count, 1);
  for (Extent row = 0; row < rows.count; ++row) {
    store_dst(context, to,
              {.n = rows.n,
               .od = rows.od,
               .oh = rows.oh + row,
               .ow = 0,
               .pixels = pixels,
               .oc = channel,
               .channels = channels},
              staged + row * pixels * g.chunk * g.sum_bytes(), g.chunk, dst);
  }
}

// What the next band reads and this one does not. The loads of a band follow channels, not memory,
// which the hardware prefetcher cannot predict: each would wait for src where that comes from
// memory.
RowsAhead rows_after(const Grouping& g, Extent band, const Rows& rows, Extent channel,
                     const void* src) {
  const Shape& v = g.view;
  const Rows next = rows_of(g, band + 1);
  const bool goes_on = next.n == rows.n && next.od == rows.od;
  const Axis axis = axis_of(v, 1);
  const Axis::Range outputs = {next.oh, next.oh + next.count};
  const Axis::Range inputs =
      goes_on ? axis.new_inputs_of(outputs, {rows.oh, next.oh}) : axis.inputs_of(outputs);
  const Axis::Range kd = axis_of(v, 0).taps_of(next.od);
  const Extent depth = next.od * v.S[0] + std::max<Extent>(kd.end - 1, 0) * v.D[0] - v.P[0];
  const Extent first = sum_of_products({{next.n, v.src.outer},
                                        {channel, v.src.channel},
                                        {depth, v.src.spatial[0]},
                                        {inputs.begin, v.src.spatial[1]},
                                        {-v.P[2], v.src.spatial[2]}});
  const auto offset = static_cast<std::uintptr_t>(multiply(first, g.element_bytes()));
  return {.from = reinterpret_cast<std::uintptr_t>(src) + offset,
          .rows = inputs.end - inputs.begin,
          .pixel = v.src.spatial[2],
          .row = v.src.spatial[1]};
}

void run_band(const Context& context, const Grouping& g, Extent band, Extent channel,
              Extent channels, GroupedCall call, const std::byte* packed, void* dst,
              std::byte* scratch, CopiedRows* copied) {
  const Strides& to = g.view.dst;
  const Rows rows = rows_of(g, band);
  RowsAhead ahead{};
  if (g.prefetches_bands && g.spread_pixel == 0 && band + 1 < g.bands()) {
    ahead = rows_after(g, band, rows, channel, call.src);
    call.rows_ahead = &ahead;
  }
  call.channels = channels;
  place_rows(g, rows, channel, packed, &call);
  if (g.spread_pixel > 0) {
    spread(context, g, rows, channel, scratch, copied, &call);
    scratch += g.spread_src() * g.sum_bytes();
  }
  if (!g.stages_dst) {
    const Extent first = sum_of_products({{rows.n, to.outer},
                                          {channel, to.channel},
                                          {rows.od, to.spatial[0]},
                                          {rows.oh, to.spatial[1]}});
    call.dst = static_cast<std::byte*>(dst) + first * g.element_bytes();
    call.dst_pixel = to.spatial[2];
    call.dst_row = to.spatial[1];
    return g.function(call);
  }
  call.dst_pixel = g.chunk;
  call.dst_row = g.view.O[2] * g.chunk;
  const Extent row_bytes = call.dst_row * g.sum_bytes();
  call.dst = scratch + (g.stages_by_task ? rows.oh * row_bytes : 0);
  g.function(call);
  if (!g.stages_by_task) {
    store_rows(context, g, rows, channel, channels, scratch, dst);
  } else if (rows.oh + rows.count == g.view.O[1]) {
    if (g.reads_ahead && rows.od == 0) {
      const Piece piece = piece_of(context, to, g.view.O, rows.n, channel, channels);
      write_ahead(element_at(dst, piece.first, context.shape.dtype), piece.bytes,
                  context.target->line_bytes);
    }
    store_rows(context, g, {rows.n, rows.od, 0, g.view.O[1]}, channel, channels, scratch, dst);
  }
}

// Copies a chunk of an image to `to`, channels last.
void stage_part(const Context& context, const Grouping& g, const void* src, Extent n,
                Extent channel, std::byte* to) {
  const Shape& s = context.shape;
  const Strides& from = s.src;
  const Extent chunk = std::min(g.chunk, s.IC - channel);
  const bool joins = s.I[1] == 1 || from.spatial[1] == multiply(s.I[2], from.spatial[2]);
  const Extent width = joins ? s.I[1] * s.I[2] : s.I[2];
  const Extent rows = joins ? 1 : s.I[1];
  if (width == 0 || rows == 0) return;  // however many planes there are
  if (g.reads_ahead) {
    const Piece piece = piece_of(context, from, s.I, n, channel, chunk);
    read_ahead(element_at(src, piece.first, s.dtype), piece.bytes, context.target->line_bytes);
  }
  for (Extent d = 0; d < s.I[0]; ++d) {
    for (Extent h = 0; h < rows; ++h) {
      const Pixels pixels = {.from = sum_of_products({{n, from.outer},
                                                      {channel, from.channel},
                                                      {d, from.spatial[0]},
                                                      {h, from.spatial[1]}}),
                             .count = width,
                             .step = from.spatial[2],
                             .channels = chunk,
                             .channel_step = from.channel};
      widen_pixels(context, src, pixels, to, g.part_pixel());
      to += width * g.part_pixel() * g.sum_bytes();
    }
  }
}

// With packed weights, or else with those that come as they are and a packed bias.
void run_any(const Context& context, const Grouping& g, const void* raw_weights, const void* packed,
             const void* src, void* dst, void* workspace) {
  const void* from = src;
  if (g.stages_src && !g.stages_by_task) {
    stage_src(context, src, workspace);
    from = workspace;
  }
  const GroupedCall all = begin_call(context, g, from, raw_weights, dst);
  const auto* const weights = static_cast<const std::byte*>(packed);
  std::byte* const scratch = static_cast<std::byte*>(workspace) + g.staged_src() * g.sum_bytes();
  context.thread_pool->run(g.tasks(), [&](Extent task, int slot) {
    const Extent channel = task / g.band_tasks() * g.chunk;
    const Extent end = std::min(channel + g.chunk, g.view.OC);
    const Extent first = task % g.band_tasks() * g.bands_per_task;
    const Extent last = std::min(first + g.bands_per_task, g.bands());
    GroupedCall call = all;
    std::byte* own = scratch + slot * g.staged_dst() * g.sum_bytes();
    if (g.stages_by_task) {
      stage_part(context, g, src, rows_of(g, first).n, channel, own);
      call.src = own;
      own += g.staged_part() * g.sum_bytes();
    }
    // Plane by plane: what calls of some channels leave of a pixel's page is not far then.
    for (Extent begin = first; begin < last;) {
      const Extent next = std::min(last, (begin / g.plane_bands() + 1) * g.plane_bands());
      for (Extent c = channel; c < end; c += g.call_channels) {
        CopiedRows copied;
        const Extent channels = std::min(g.call_channels, end - c);
        for (Extent band = begin; band < next; ++band) {
          run_band(context, g, band, c, channels, call, weights, dst, own, &copied);
        }
      }
      begin = next;
    }
  });
}

}  // namespace

void run(const Context& context, const Grouping& g, const void* packed, const void* src, void* dst,
         void* workspace) {
  run_any(context, g, nullptr, packed, src, dst, workspace);
}

void run_unpacked(const Context& context, const Grouping& g, const void* weights, const void* bias,
                  void* packed, const void* src, void* dst, void* workspace) {
  const bool reads_raw = g.reads_raw;
  (reads_raw ? pack_bias(context, g, bias, packed) : pack(context, g, weights, bias, packed));
  run_any(context, g, reads_raw ? weights : nullptr, packed, src, dst, workspace);
}

}  // namespace concord::optimized
