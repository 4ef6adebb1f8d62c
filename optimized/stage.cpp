// SPDX-License-Identifier: Apache-2.0
#include "optimized/stage.h"

#include <algorithm>

#include "optimized/convert.h"
#include "spec/grid.h"

namespace concord::optimized {
const std::byte* element_at(const void* tensor, Extent index, Dtype dtype) {
  return static_cast<const std::byte*>(tensor) + index * static_cast<Extent>(size_of(dtype));
}

void stage_src(const Plan& plan, const void* src, float* to) {
  const Shape& s = plan.shape;
  const Extent row_elements = s.I[2] * s.IC;
  plan.team->run(s.N * s.I[0] * s.I[1], [&](Extent row, int) {
    const Extent h = row % s.I[1];
    const Extent d = row / s.I[1] % s.I[0];
    const Extent n = row / s.I[1] / s.I[0];
    const Extent from = n * s.src.outer + d * s.src.spatial[0] + h * s.src.spatial[1];
    float* target = to + row * row_elements;
    for (Extent w = 0; w < s.I[2]; ++w) {
      widen(s.dtype, element_at(src, from + w * s.src.spatial[2], s.dtype), s.src.channel,
            target + w * s.IC, s.IC);
    }
  });
}

void store_dst(const Plan& plan, const Strides& view, const StagedRow& row, const float* from,
               Extent from_pixel, void* dst) {
  const Dtype dtype = plan.shape.dtype;
  const auto size = static_cast<Extent>(size_of(dtype));
  const Extent first = row.n * view.outer + row.od * view.spatial[0] + row.oh * view.spatial[1] +
                       row.ow * view.spatial[2] + row.oc * view.channel;
  std::byte* to = static_cast<std::byte*>(dst) + first * size;
  for (Extent pixel = 0; pixel < row.pixels; ++pixel) {
    narrow(dtype, from + pixel * from_pixel, to + pixel * view.spatial[2] * size, view.channel,
           row.channels);
  }
}

namespace {

// One panel of one group: [channel block][kd][kh][kw][channel][output channel].
void pack_panel(const Plan& plan, const void* weights, Extent g, Extent p, float* to) {
  const Tiling& t = plan.tiling;
  const Shape& s = plan.shape;
  const Extent width = t.vectors_of(p) * t.lanes();
  const Extent oc = p * t.panel_width();
  const Extent channels = std::min(width, s.OCG() - oc);
  const Extent outer = (g * s.OCG() + oc) * s.weights.outer;
  for (Extent block = 0; block < t.channel_blocks(); ++block) {
    const Extent first = block * t.channel_block;
    const Extent last = std::min(first + t.channel_block, s.ICG());
    for (const auto [kd, kh, kw] : Grid<3>{s.K}) {
      const Extent tap =
          kd * s.weights.spatial[0] + kh * s.weights.spatial[1] + kw * s.weights.spatial[2];
      for (Extent ic = first; ic < last; ++ic) {
        widen(s.dtype, element_at(weights, outer + tap + ic * s.weights.channel, s.dtype),
              s.weights.outer, to, channels);
        std::fill(to + channels, to + width, 0.0F);
        to += width;
      }
    }
  }
}

}  // namespace

void pack_tiles(const Plan& plan, const void* weights, const void* bias, float* to) {
  const Tiling& t = plan.tiling;
  const Shape& s = plan.shape;
  plan.team->run(s.G * t.panels, [&](Extent index, int) {
    const Extent g = index / t.panels;
    const Extent p = index % t.panels;
    pack_panel(plan, weights, g, p, to + t.packed_offset(g, p));
  });
  float* packed_bias = to + t.packed_weights();
  std::fill(packed_bias, packed_bias + s.G * t.padded_ocg(), 0.0F);
  for (Extent g = 0; s.has_bias && g < s.G; ++g) {
    widen(s.dtype, element_at(bias, g * s.OCG() * s.bias_stride, s.dtype), s.bias_stride,
          packed_bias + g * t.padded_ocg(), s.OCG());
  }
}

}  // namespace concord::optimized
