// SPDX-License-Identifier: Apache-2.0
#include "optimized/direct/src_box.h"

#include <algorithm>

#include "optimized/layout/pairs.h"
#include "optimized/layout/stage.h"
#include "optimized/shape/view.h"

namespace concord::optimized {
namespace {

// Pixels staged at once; if all of src is staged, those of a task.
constexpr Extent kChunkPixels = 256;

// Pixels that the outputs [begin, end) of an axis read, as far as they exist.
void clip(const Shape& v, std::size_t axis, Extent begin, Extent end, SrcBox* box) {
  const Axis::Range inputs = axis_of(v, axis).inputs_of({begin, end});
  box->begin[axis] = inputs.begin;
  box->extents[axis] = inputs.end - inputs.begin;
}

// Copies pixels of the staged extents.
void stage_pixels(const Context& context, const Tiling& t, const void* src, const Pixels& p,
                  std::byte* to, Extent to_pixel) {
  if (!t.reads_pairs()) return widen_pixels(context, src, p, to, to_pixel);
  for (Extent row = 0; row < p.rows; ++row) {
    copy_pairs(*context.reorders,
               {.from = static_cast<const std::uint16_t*>(src) + p.from + row * p.row_step,
                .count = p.count,
                .step = p.step,
                .groups = 1,
                .channels = p.channels,
                .channel_step = p.channel_step},
               reinterpret_cast<std::uint16_t*>(to), 2 * to_pixel);
    to += p.count * to_pixel * t.element_bytes();
  }
}

// Copies `count` pixels from number `first` on, counted through rows, planes and images.
void stage_run(const Context& context, const Tiling& t, const void* src, Extent g, Extent first,
               Extent count, std::byte* to, Extent to_pixel) {
  const Strides& from = t.staged_from;
  Spatial all = t.staged_extents;
  // Rows that follow one another are one.
  if (all[1] > 1 && from.spatial[1] == multiply(all[2], from.spatial[2])) {
    all[2] *= all[1];
    all[1] = 1;
  }
  while (count > 0) {
    const Extent column = first % all[2];
    const Extent row = first / all[2];
    const Extent pixels = std::min({count, all[2] - column, kChunkPixels});
    // Whole rows together: what lies between two of them comes to the cache with them.
    const Extent rows = pixels < all[2] ? 1
                                        : std::clamp<Extent>(std::min(count, kChunkPixels) / pixels,
                                                             1, all[1] - row % all[1]);
    const Extent at = sum_of_products({{g * context.shape.ICG(), context.shape.src.channel},
                                       {row / all[1] / all[0], from.outer},
                                       {row / all[1] % all[0], from.spatial[0]},
                                       {row % all[1], from.spatial[1]},
                                       {column, from.spatial[2]}});
    stage_pixels(context, t, src,
                 {.from = at,
                  .count = pixels,
                  .step = from.spatial[2],
                  .channels = context.shape.ICG(),
                  .channel_step = context.shape.src.channel,
                  .rows = rows,
                  .row_step = from.spatial[1]},
                 to, to_pixel);
    to += rows * pixels * to_pixel * t.element_bytes();
    first += rows * pixels;
    count -= rows * pixels;
  }
}

}  // namespace

Strip strip_at(const Tiling& t, Extent index) {
  const Extent per_row = t.strips_before.back();
  const auto [row, in_row] = divide(index, per_row);
  const auto [plane, oh] = divide(row, t.view.O[1]);
  const auto [n, od] = divide(plane, t.view.O[0]);
  const auto after = std::upper_bound(t.strips_before.begin(), t.strips_before.end(), in_row);
  const auto at = static_cast<std::size_t>(after - t.strips_before.begin()) - 1;
  const Segment& segment = t.segments[at];
  const Extent first = (in_row - t.strips_before[at]) * t.tiles_per_strip;
  return {.n = n,
          .od = od,
          .oh = oh,
          .ow = segment.begin + first * segment.pixels,
          .segment = at,
          .tiles = std::min(segment.tiles - first, t.tiles_per_strip)};
}

Extent tiles_from(const Tiling& t, const Strip& strip, Extent index, Extent last) {
  const Extent in_row = divide(index, t.strips_before.back()).rest;
  const Extent ahead = std::min(t.strips_before[strip.segment + 1] - in_row, last - index);
  const Extent before = in_row - t.strips_before[strip.segment];
  return std::min(t.segments[strip.segment].tiles - before * t.tiles_per_strip,
                  ahead * t.tiles_per_strip);
}

Outputs outputs_of_task(const Tiling& t, Extent index) {
  const std::array<Extent, 4> all = {t.view.N, t.view.O[0], t.view.O[1], t.strips_before.back()};
  Outputs outputs{};
  for (std::size_t level = 4; level-- > 0;) {
    const auto [before, part] = divide(index, parts_of(all[level], t.task[level]));
    outputs.first[level] = part * t.task[level];
    outputs.count[level] = std::min(t.task[level], all[level] - outputs.first[level]);
    index = before;
  }
  Extent strips = 1;
  for (std::size_t level = 0; level < 4; ++level) {
    outputs.first_strip = outputs.first_strip * all[level] + outputs.first[level];
    strips *= outputs.count[level];
  }
  outputs.last_strip = outputs.first_strip + strips;
  return outputs;
}

Spatial in_image(const Tiling& t, Spatial values) {
  if (t.is_turned) std::swap(values[1], values[2]);
  return values;
}

Strides strides_of(const Tiling& t, const SrcBox& box) {
  const Spatial extents = in_image(t, box.extents);
  Strides s{.outer = 0, .channel = 1, .spatial = {0, 0, box.pixel}};
  s.spatial[1] = multiply(extents[2], s.spatial[2]);
  s.spatial[0] = multiply(extents[1], s.spatial[1]);
  s.outer = multiply(extents[0], s.spatial[0]);
  s.spatial = in_image(t, s.spatial);
  return s;
}

SrcBox src_box(const Tiling& t, const Outputs& outputs) {
  SrcBox box{.first_image = outputs.first[0], .images = outputs.count[0], .pixel = t.staged_pixel};
  for (std::size_t axis = 0; axis < 2; ++axis) {
    const Extent first = outputs.first[axis + 1];
    clip(t.view, axis, first, first + outputs.count[axis + 1], &box);
  }
  const Strip first = strip_at(t, outputs.first_strip);
  const Strip last = strip_at(t, outputs.last_strip - 1);
  const bool is_whole = outputs.count[3] == t.strips_before.back();
  const Extent end = last.ow + last.tiles * t.segments[last.segment].pixels;
  clip(t.view, 2, is_whole ? 0 : first.ow, is_whole ? t.view.O[2] : end, &box);
  return box;
}

SrcBox whole_src(const Tiling& t) {
  return {.first_image = 0,
          .images = t.view.N,
          .begin = {},
          .extents = t.view.I,
          .pixel = t.staged_pixel};
}

SrcBox largest_box(const Tiling& t) {
  SrcBox box = whole_src(t);
  box.images = t.task[0];
  const Spatial outputs = {t.task[1], t.task[2], t.pixels_of_row_part()};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const Shape& v = t.view;
    const Extent reach = multiply(outputs[axis] - 1, v.S[axis]) + (v.K[axis] - 1) * v.D[axis] + 1;
    if (outputs[axis] < v.O[axis]) box.extents[axis] = std::min(box.extents[axis], reach);
  }
  return box;
}

void stage_box(const Context& context, const Tiling& t, const void* src, Extent g,
               const SrcBox& box, void* to) {
  auto* at = static_cast<std::byte*>(to);
  const Spatial all = in_image(t, t.view.I);
  const Spatial begin = in_image(t, box.begin);
  const Spatial extents = in_image(t, box.extents);
  // Whole rows follow one another.
  const bool is_whole = extents[2] == all[2];
  const Extent rows = is_whole ? 1 : extents[1];
  const Extent pixels = extents[2] * (is_whole ? extents[1] : 1);
  if (pixels == 0) return;
  for (Extent n = 0; n < box.images; ++n) {
    for (Extent d = 0; d < extents[0]; ++d) {
      for (Extent h = 0; h < rows; ++h) {
        const Extent row = ((box.first_image + n) * all[0] + begin[0] + d) * all[1] + begin[1] + h;
        stage_run(context, t, src, g, row * all[2] + begin[2], pixels, at, box.pixel);
        at += pixels * box.pixel * t.element_bytes();
      }
    }
  }
}

void stage_whole(const Context& context, const Tiling& t, const void* src, void* to) {
  const Shape& v = t.view;
  const Extent pixels = v.N * v.I[0] * v.I[1] * v.I[2];
  const Extent chunks = (pixels + kChunkPixels - 1) / kChunkPixels;
  const Extent pixel = t.staged_pixel;
  context.thread_pool->run(v.G * chunks, [&](Extent task, int) {
    const Extent first = task % chunks * kChunkPixels;
    const Extent g = task / chunks;
    stage_run(context, t, src, g, first, std::min(kChunkPixels, pixels - first),
              static_cast<std::byte*>(to) + (g * pixels + first) * pixel * t.element_bytes(),
              pixel);
  });
}

}  // namespace concord::optimized
