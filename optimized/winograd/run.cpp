// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "optimized/shape/view.h"
#include "optimized/winograd/plan.h"

namespace concord::optimized {
namespace {

// A tile: its image and its first output.
struct Tile {
  Extent n, oh, ow;
};

Tile tile_at(const Winograd& w, Extent index) {
  const Extent column = index % w.tile_columns();
  const Extent row = index / w.tile_columns() % w.tile_rows();
  return {.n = index / w.tile_columns() / w.tile_rows(),
          .oh = row * w.outputs,
          .ow = column * w.outputs};
}

void transform_inputs(const Winograd& w, const float* src, Extent first, Extent last, float* to) {
  const Shape& v = w.view;
  const Extent window = w.outputs + 2;
  WinogradInput call{};
  call.src = src;
  call.src_row = v.src.spatial[1];
  call.src_column = v.src.spatial[2];
  call.channels = v.IC;
  call.to_point = w.input_point();
  const auto window_at = [&](const Tile& tile) {
    return sum_of_products({{tile.n, v.src.outer},
                            {tile.oh - v.P[1], call.src_row},
                            {tile.ow - v.P[2], call.src_column}});
  };
  for (Extent index = first; index < last; ++index) {
    const Tile tile = tile_at(w, index);
    const Extent ih = tile.oh - v.P[1];
    const Extent iw = tile.ow - v.P[2];
    call.offset = window_at(tile);
    call.ahead = window_at(tile_at(w, index + 1)) - call.offset;
    call.first_row = std::clamp<Extent>(-ih, 0, window);
    call.last_row = std::clamp<Extent>(v.I[1] - ih, 0, window);
    call.first_column = std::clamp<Extent>(-iw, 0, window);
    call.last_column = std::clamp<Extent>(v.I[2] - iw, 0, window);
    call.to = to + (index - first) * w.padded(v.IC);
    w.family->input[w.size_index()](call);
  }
}

void transform_outputs(const Winograd& w, const float* from, const float* bias, Extent first,
                       Extent last, float* dst) {
  const Shape& v = w.view;
  WinogradOutput call{};
  call.from_point = w.sum_point();
  call.bias = bias;
  call.dst_row = v.dst.spatial[1];
  call.dst_column = v.dst.spatial[2];
  call.channels = v.OC;
  call.non_temporal = w.non_temporal_dst ? 1 : 0;
  for (Extent index = first; index < last; ++index) {
    const Tile tile = tile_at(w, index);
    call.from = from + (index - first) * w.padded(v.OC);
    call.dst =
        dst + sum_of_products(
                  {{tile.n, v.dst.outer}, {tile.oh, call.dst_row}, {tile.ow, call.dst_column}});
    call.rows = std::min(v.O[1] - tile.oh, w.outputs);
    call.columns = std::min(v.O[2] - tile.ow, w.outputs);
    w.family->output[w.size_index()](call);
  }
  if (w.non_temporal_dst) w.family->fence_non_temporal();
}

}  // namespace

void run(const Context& context, const Winograd& w, const void* packed, const void* src, void* dst,
         void* workspace) {
  const auto* const weights = static_cast<const float*>(packed);
  const Extent weights_of_point = w.packed_weights() / w.points();
  context.thread_pool->run(w.tasks(), [&](Extent task, int slot) {
    float* inputs = static_cast<float*>(workspace) + slot * w.staged_dst();
    float* sums = inputs + w.points() * w.input_point();
    const Extent first = task * w.tiles_per_task;
    const Extent last = std::min(first + w.tiles_per_task, w.tiles());
    transform_inputs(w, static_cast<const float*>(src), first, last, inputs);
    for (Extent point = 0; point < w.points(); ++point) {
      float* of_point = inputs + point * w.input_point();
      // The last task may have fewer tiles than the product.
      std::fill(of_point + (last - first) * w.padded(w.view.IC),
                of_point + w.tiles_per_task * w.padded(w.view.IC), 0.0F);
      optimized::run(w.product_context, w.product, weights + point * weights_of_point, of_point,
                     sums + point * w.sum_point(), nullptr);
    }
    transform_outputs(w, sums, weights + w.packed_weights(), first, last, static_cast<float*>(dst));
  });
}

}  // namespace concord::optimized
