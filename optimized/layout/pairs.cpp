// SPDX-License-Identifier: Apache-2.0
#include "optimized/layout/pairs.h"

#include <algorithm>
#include <cstring>

#include "optimized/shape/view.h"

namespace concord::optimized {
namespace {

// Pairs by pixels transposed at once, on the stack.
constexpr Extent kBlockPairs = 16;
constexpr Extent kBlockPixels = 64;

Extent even(Extent channels) { return channels + channels % 2; }

// Four channels next to one another, at once.
void copy_fours(const Bf16Pixels& p, std::uint16_t* to) {
  constexpr Extent kChannels = 4;
  for (Extent pixel = 0; pixel < p.count; ++pixel) {
    std::memcpy(to + kChannels * pixel, p.from + pixel * p.step, kChannels * sizeof *to);
  }
}

// Contiguous channels.
void copy_together(const ReorderFamily& reorders, const Bf16Pixels& p, std::uint16_t* to,
                   Extent to_step) {
  const Extent padded = even(p.channels);
  const Extent all = p.groups * p.channels;
  const bool is_dense = p.step == all && to_step == p.groups * padded;
  if (is_dense && padded == p.channels) {
    std::copy_n(p.from, p.count * all, to);
    return;
  }
  if (padded > p.channels && reorders.complete != nullptr) {
    if (is_dense) return reorders.complete(p.from, p.channels, to, p.channels, p.count * p.groups);
    if (p.groups == 1 && to_step == padded) {
      return reorders.complete(p.from, p.step, to, p.channels, p.count);
    }
  }
  if (p.groups == 1 && p.channels == 4 && to_step == 4) return copy_fours(p, to);
  for (Extent pixel = 0; pixel < p.count; ++pixel) {
    for (Extent g = 0; g < p.groups; ++g) {
      std::uint16_t* at = to + pixel * to_step + g * padded;
      std::copy_n(p.from + pixel * p.step + g * p.channels, p.channels, at);
      if (padded > p.channels) at[p.channels] = 0;
    }
  }
}

void copy_apart(const Bf16Pixels& p, std::uint16_t* to, Extent to_step) {
  const Extent padded = even(p.channels);
  for (Extent pixel = 0; pixel < p.count; ++pixel) {
    const std::uint16_t* from = p.from + pixel * p.step;
    for (Extent g = 0; g < p.groups; ++g) {
      std::uint16_t* at = to + pixel * to_step + g * padded;
      for (Extent c = 0; c < p.channels; ++c) at[c] = from[(g * p.channels + c) * p.channel_step];
      if (padded > p.channels) at[p.channels] = 0;
    }
  }
}

// Pixels that follow one another: rows of two channels become a row of pairs, and rows of pairs are
// transposed as if they were f32, which moves bits.
void copy_planes(const ReorderFamily& reorders, const Bf16Pixels& p, std::uint16_t* to,
                 Extent to_step) {
  alignas(float) std::uint16_t block[kBlockPairs][2 * kBlockPixels];
  const Extent pairs = even(p.channels) / 2;
  for (Extent g = 0; g < p.groups; ++g) {
    for (Extent first = 0; first < pairs; first += kBlockPairs) {
      const Extent rows = std::min(kBlockPairs, pairs - first);
      for (Extent w = 0; w < p.count; w += kBlockPixels) {
        const Extent pixels = std::min(kBlockPixels, p.count - w);
        for (Extent i = 0; i < rows; ++i) {
          const Extent c = 2 * (first + i);
          const std::uint16_t* a = p.from + (g * p.channels + c) * p.channel_step + w;
          const std::uint16_t* b = c + 1 < p.channels ? a + p.channel_step : nullptr;
          for (Extent x = 0; x < pixels; ++x) block[i][2 * x] = a[x];
          for (Extent x = 0; x < pixels; ++x) block[i][2 * x + 1] = b != nullptr ? b[x] : 0;
        }
        reorders.transpose(reinterpret_cast<const float*>(block[0]), kBlockPixels,
                           reinterpret_cast<float*>(to + w * to_step + 2 * (g * pairs + first)),
                           to_step / 2, rows, pixels);
      }
    }
  }
}

// The shape with the taps of the last axis as channels, for windows that meet no padding.
Shape with_taps_as_channels(const Shape& shape) {
  Shape folded = shape;
  folded.IC *= shape.K[2];
  folded.I[2] = shape.O[2];
  folded.K[2] = folded.S[2] = 1;
  folded.src.channel = 1;
  folded.src.spatial[2] = shape.O[2] == 1 ? 0 : multiply(shape.S[2], shape.src.spatial[2]);
  if (shape.IC == 1) folded.weights.channel = shape.weights.spatial[2];
  folded.weights.spatial[2] = 0;
  return folded;
}

bool are_taps_together(const Shape& s) {
  const bool in_src = (s.IC == 1 || s.src.channel == 1) && s.src.spatial[2] == s.IC;
  const bool in_weights = s.IC == 1 || s.weights.spatial[2] == multiply(s.IC, s.weights.channel);
  return in_src && in_weights && s.D[2] == 1;
}

}  // namespace

void fold_odd_taps(Shape* shape) {
  const Shape& s = *shape;
  if (s.is_empty() || !s.outer.empty() || s.G != 1) return;
  if (s.IC % 2 == 0 || s.K[2] % 2 != 0) return;
  const bool meets_padding = s.P[2] != 0 || (s.O[2] - 1) * s.S[2] + s.K[2] > s.I[2];
  if (meets_padding || !are_taps_together(s)) return;
  const Shape folded = with_taps_as_channels(s);
  Shape as_read = folded;
  clear_unused_strides(&as_read);
  // Windows that overlap are not worth copying one by one.
  if (has_pairs_in_place(as_read) || s.S[2] >= s.K[2]) *shape = folded;
}

bool has_pairs_in_place(const Shape& shape) {
  const Strides& s = shape.src;
  const bool even_strides =
      s.outer % 2 == 0 && s.spatial[0] % 2 == 0 && s.spatial[1] % 2 == 0 && s.spatial[2] % 2 == 0;
  return shape.ICG() % 2 == 0 && s.channel == 1 && even_strides;
}

void view_as_pairs(Shape* shape) {
  shape->IC = shape->G * ((shape->ICG() + 1) / 2);
  shape->src.outer /= 2;
  for (Extent& stride : shape->src.spatial) stride /= 2;
}

void copy_pairs(const ReorderFamily& reorders, const Bf16Pixels& pixels, std::uint16_t* to,
                Extent to_step) {
  // Pixels of one channel are a plane, but there is nothing to transpose.
  if (pixels.groups * pixels.channels == 1) return copy_together(reorders, pixels, to, to_step);
  if (pixels.step == 1 && pixels.count > 1) return copy_planes(reorders, pixels, to, to_step);
  if (pixels.channel_step == 1) return copy_together(reorders, pixels, to, to_step);
  copy_apart(pixels, to, to_step);
}

}  // namespace concord::optimized
