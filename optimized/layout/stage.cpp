// SPDX-License-Identifier: Apache-2.0
#include "optimized/layout/stage.h"

#include <algorithm>

#include "optimized/layout/convert.h"

namespace concord::optimized {

const std::byte* element_at(const void* tensor, Extent index, Dtype dtype) {
  return static_cast<const std::byte*>(tensor) + index * static_cast<Extent>(size_of(dtype));
}
std::byte* element_at(void* tensor, Extent index, Dtype dtype) {
  return static_cast<std::byte*>(tensor) + index * static_cast<Extent>(size_of(dtype));
}

bool is_non_temporal(const Context& context, Extent elements) {
  // A core's share of the last level is a few MiB, and what was written first is evicted by the
  // end.
  return elements * static_cast<Extent>(size_of(context.shape.dtype)) >
         context.target->blocks.non_temporal_dst;
}

double bytes_of_tensors(const Shape& s) {
  const auto elements = [&](Extent channels, const Spatial& extents) {
    return static_cast<double>(channels) * static_cast<double>(extents[0]) *
           static_cast<double>(extents[1]) * static_cast<double>(extents[2]);
  };
  return static_cast<double>(s.N) * (elements(s.IC, s.I) + elements(s.OC, s.O)) *
         static_cast<double>(size_of(s.dtype));
}

void read_ahead(const void* from, Extent bytes, Extent line_bytes) {
  const auto* const first = static_cast<const volatile std::byte*>(from);
  for (Extent at = 0; at < bytes; at += line_bytes) static_cast<void>(first[at]);
}

void write_ahead(void* to, Extent bytes, Extent line_bytes) {
  auto* const first = static_cast<volatile std::byte*>(to);
  // Not zero, which would not be seen in an integer that was there already.
  constexpr std::byte kSeen{0xFF};
  for (Extent at = 0; at < bytes; at += line_bytes) first[at] = kSeen;
}

namespace {

// Elements transposed or converted at once, on the stack.
constexpr Extent kBlockChannels = 16;
constexpr Extent kBlockPixels = 64;
struct Block {
  alignas(double) std::byte memory[kBlockChannels * kBlockPixels * sizeof(double)];
};
// Pixels of a task.
constexpr Extent kChunkPixels = 256;

void copy_dense(Dtype dtype, const void* from, void* to, Extent count) {
  std::copy_n(static_cast<const std::byte*>(from), count * static_cast<Extent>(size_of(dtype)),
              static_cast<std::byte*>(to));
}

void widen_dense(const ReorderFamily& reorders, Dtype dtype, const void* from, void* to,
                 Extent count) {
  if (dtype == computed_in(dtype)) return copy_dense(dtype, from, to, count);
  const auto* halves = static_cast<const std::uint16_t*>(from);
  auto* const floats = static_cast<float*>(to);
  if (dtype == Dtype::kF16) return reorders.widen_f16(halves, floats, count);
  if (dtype == Dtype::kBF16) return reorders.widen_bf16(halves, floats, count);
  widen(dtype, from, 1, to, count);
}

void narrow_dense(const ReorderFamily& reorders, Dtype dtype, const void* from, void* to,
                  Extent count) {
  if (dtype == computed_in(dtype)) return copy_dense(dtype, from, to, count);
  const auto* floats = static_cast<const float*>(from);
  auto* const halves = static_cast<std::uint16_t*>(to);
  if (dtype == Dtype::kF16) return reorders.narrow_f16(floats, halves, count);
  if (dtype == Dtype::kBF16) return reorders.narrow_bf16(floats, halves, count);
  narrow(dtype, from, to, 1, count);
}

// Pixels of one channel from number `first` on, counted through rows.
void widen_channel(const ReorderFamily& reorders, Dtype dtype, const void* src, const Pixels& p,
                   Extent channel, Extent first, Extent count, void* to) {
  auto* row_to = static_cast<std::byte*>(to);
  Extent row = first / p.count;
  Extent column = first % p.count;
  while (count > 0) {
    const Extent pixels = std::min(count, p.count - column);
    const void* from = element_at(
        src, p.from + channel * p.channel_step + row * p.row_step + column * p.step, dtype);
    if (p.step == 1) {
      widen_dense(reorders, dtype, from, row_to, pixels);
    } else {
      widen(dtype, from, p.step, row_to, pixels);
    }
    row_to += pixels * computed_bytes(dtype);
    count -= pixels;
    ++row;
    column = 0;
  }
}

// Planes of one channel each, which are transposed.
void widen_planes(const Context& context, const void* src, const Pixels& p, void* to,
                  Extent to_pixel) {
  const Dtype dtype = context.shape.dtype;
  const Dtype computed = computed_in(dtype);
  if (dtype == computed && p.step == 1) {
    for (Extent row = 0; row < p.rows; ++row) {
      context.reorders->transpose(element_at(src, p.from + row * p.row_step, dtype), p.channel_step,
                                  element_at(to, row * p.count * to_pixel, dtype), to_pixel,
                                  p.channels, p.count);
    }
    return;
  }
  const Extent all = p.rows * p.count;
  Block block;
  for (Extent c = 0; c < p.channels; c += kBlockChannels) {
    const Extent channels = std::min(kBlockChannels, p.channels - c);
    for (Extent w = 0; w < all; w += kBlockPixels) {
      const Extent pixels = std::min(kBlockPixels, all - w);
      for (Extent i = 0; i < channels; ++i) {
        widen_channel(*context.reorders, dtype, src, p, c + i, w, pixels,
                      element_at(block.memory, i * kBlockPixels, computed));
      }
      context.reorders->transpose(block.memory, kBlockPixels,
                                  element_at(to, w * to_pixel + c, computed), to_pixel, channels,
                                  pixels);
    }
  }
}

}  // namespace

void widen_pixels(const Context& context, const void* src, const Pixels& p, void* to,
                  Extent to_pixel) {
  const Dtype dtype = context.shape.dtype;
  const bool is_dense = p.channel_step == 1 || p.channels == 1;
  if (!is_dense && p.channel_step > p.step) return widen_planes(context, src, p, to, to_pixel);
  if (p.rows > 1) {
    Pixels row = p;
    row.rows = 1;
    for (Extent i = 0; i < p.rows; ++i, row.from += p.row_step) {
      widen_pixels(context, src, row, element_at(to, i * p.count * to_pixel, computed_in(dtype)),
                   to_pixel);
    }
    return;
  }
  if (is_dense && p.step == p.channels && to_pixel == p.channels) {
    return widen_dense(*context.reorders, dtype, element_at(src, p.from, dtype), to,
                       p.count * p.channels);
  }
  auto* pixel_to = static_cast<std::byte*>(to);
  for (Extent pixel = 0; pixel < p.count; ++pixel, pixel_to += to_pixel * computed_bytes(dtype)) {
    const void* from = element_at(src, p.from + pixel * p.step, dtype);
    if (is_dense) {
      widen_dense(*context.reorders, dtype, from, pixel_to, p.channels);
    } else {
      widen(dtype, from, p.channel_step, pixel_to, p.channels);
    }
  }
}

void stage_src(const Context& context, const void* src, void* to) {
  const Shape& s = context.shape;
  const Strides& strides = s.src;
  // Rows that follow one another are one.
  const bool joins = s.I[1] == 1 || strides.spatial[1] == s.I[2] * strides.spatial[2];
  const Extent rows = joins ? 1 : s.I[1];
  const Extent width = joins ? s.I[1] * s.I[2] : s.I[2];
  const Extent chunks = (width + kChunkPixels - 1) / kChunkPixels;
  context.thread_pool->run(s.N * s.I[0] * rows * chunks, [&](Extent task, int) {
    const Extent first = task % chunks * kChunkPixels;
    const Extent row = task / chunks;
    const Extent h = row % rows;
    const Extent d = row / rows % s.I[0];
    const Extent n = row / rows / s.I[0];
    const Pixels pixels = {.from = n * strides.outer + d * strides.spatial[0] +
                                   h * strides.spatial[1] + first * strides.spatial[2],
                           .count = std::min(kChunkPixels, width - first),
                           .step = strides.spatial[2],
                           .channels = s.IC,
                           .channel_step = strides.channel};
    widen_pixels(context, src, pixels,
                 element_at(to, (row * width + first) * s.IC, computed_in(s.dtype)), s.IC);
  });
}

namespace {

void narrow_planes(const Context& context, const StagedRow& row, const void* from,
                   Extent from_pixel, void* to, Extent channel_step) {
  const Dtype dtype = context.shape.dtype;
  const Dtype computed = computed_in(dtype);
  if (dtype == computed) {
    return context.reorders->transpose_out(from, from_pixel, to, channel_step, row.pixels,
                                           row.channels, row.non_temporal);
  }
  Block block;
  for (Extent c = 0; c < row.channels; c += kBlockChannels) {
    const Extent channels = std::min(kBlockChannels, row.channels - c);
    for (Extent w = 0; w < row.pixels; w += kBlockPixels) {
      const Extent pixels = std::min(kBlockPixels, row.pixels - w);
      context.reorders->transpose(element_at(from, w * from_pixel + c, computed), from_pixel,
                                  block.memory, kBlockPixels, pixels, channels);
      for (Extent i = 0; i < channels; ++i) {
        narrow_dense(*context.reorders, dtype, element_at(block.memory, i * kBlockPixels, computed),
                     element_at(to, (c + i) * channel_step + w, dtype), pixels);
      }
    }
  }
}

}  // namespace

void store_dst(const Context& context, const Strides& view, const StagedRow& row, const void* from,
               Extent from_pixel, void* dst) {
  const Dtype dtype = context.shape.dtype;
  const auto size = static_cast<Extent>(size_of(dtype));
  const Extent first = row.n * view.outer + row.od * view.spatial[0] + row.oh * view.spatial[1] +
                       row.ow * view.spatial[2] + row.oc * view.channel;
  std::byte* to = static_cast<std::byte*>(dst) + first * size;
  if (view.spatial[2] == 1 && row.channels > 1) {
    return narrow_planes(context, row, from, from_pixel, to, view.channel);
  }
  const auto* pixel_from = static_cast<const std::byte*>(from);
  for (Extent pixel = 0; pixel < row.pixels; ++pixel) {
    void* pixel_to = to + pixel * view.spatial[2] * size;
    if (view.channel == 1) {
      narrow_dense(*context.reorders, dtype, pixel_from, pixel_to, row.channels);
    } else {
      narrow(dtype, pixel_from, pixel_to, view.channel, row.channels);
    }
    pixel_from += from_pixel * computed_bytes(dtype);
  }
}

}  // namespace concord::optimized
