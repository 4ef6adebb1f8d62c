// SPDX-License-Identifier: Apache-2.0
#include "optimized/winograd/plan.h"

#include <algorithm>
#include <ostream>

#include "optimized/describe.h"
#include "optimized/layout/stage.h"
#include "optimized/runtime/kernel_table.h"
#include "optimized/shape/view.h"

namespace concord::optimized {
namespace {

// Transformed inputs and sums of a task stay in a core's own cache between the steps, beside the
// weights of a product: Blocks::transformed. With fewer tiles than this the products wait for their
// weights, which costs more than sums that leave that cache (measured on a Sapphire Rapids with 64
// to 256 channels).
constexpr Extent kLeastTiles = 48;

bool is_served(const Shape& s) {
  const Spatial ones{1, 1, 1};
  return s.dtype == Dtype::kF32 && s.G == 1 && s.IC >= 1 && s.K == Spatial{1, 3, 3} &&
         s.S == ones && s.D == ones && s.P[0] == 0 && s.I[0] == 1 && s.O[0] == 1 &&
         (s.src.channel == 1 || s.IC == 1) && (s.dst.channel == 1 || s.OC == 1);
}

// One point's product as a pointwise layer over a row of tiles.
Shape product_of(const Winograd& w) {
  Shape s;
  s.N = 1;
  s.IC = w.view.IC;
  s.OC = w.view.OC;
  s.I[2] = s.O[2] = w.tiles_per_task;
  s.weights = {.outer = 1, .channel = s.OC, .spatial = {}};
  s.src = {.outer = 0, .channel = 1, .spatial = {0, 0, w.padded(s.IC)}};
  s.dst = {.outer = 0, .channel = 1, .spatial = {0, 0, w.padded(s.OC)}};
  return s;
}

Extent choose_tiles(const Context& context, const Winograd& w) {
  const int threads = context.threads();
  const Extent bytes =
      w.points() * (w.padded(w.view.IC) + w.padded(w.view.OC)) * static_cast<Extent>(sizeof(float));
  const Extent most = std::max(context.target->blocks.transformed / bytes, kLeastTiles);
  // Tasks of equal size, as many for each thread.
  Extent tasks = (w.tiles() + most - 1) / most;
  tasks = (tasks + threads - 1) / threads * threads;
  return (w.tiles() + tasks - 1) / tasks;
}

}  // namespace

Extent Winograd::padded(Extent channels) const {
  return (channels + family->lanes - 1) / family->lanes * family->lanes;
}

Extent Winograd::point_distance(Extent channels) const {
  constexpr Extent kLine = 16;
  return odd_lines(tiles_per_task * channels, kLine);
}

std::optional<Winograd> Winograd::make(const Context& context, const Options& options) {
  const Shape& shape = context.shape;
  if (options.winograd == 0 || !is_served(shape)) return std::nullopt;
  Winograd w;
  w.family = &winograd_for(context.isa);
  w.outputs = options.winograd;
  w.view = shape;
  w.tiles_per_task = choose_tiles(context, w);
  w.non_temporal_dst = is_non_temporal(context, shape.N * shape.O[1] * shape.O[2] * shape.OC);
  w.product_context = context;
  w.product_context.shape = product_of(w);
  w.product_context.thread_pool = std::make_shared<const ThreadPool>(1);
  w.product = *Tiling::make(w.product_context, {});
  return w;
}

void describe(const Context& context, const Winograd& w, std::ostream& out) {
  out << "kernels   " << w.family->name << " F(" << w.outputs << "x" << w.outputs << ", 3x3), then "
      << w.points() << " products by " << w.product.family->name << ", panels of "
      << w.product.vectors << " vectors\n";
  out << "tasks     " << w.tasks() << ": " << w.tiles_per_task << " of " << w.tiles() << " tiles\n";
  out << "packing   [point], each as a pointwise layer's weights, " << w.packed_weights()
      << " elements of f32\n";
  out << "dst       written in place" << (w.non_temporal_dst ? ", past the caches" : "") << "\n";
  const double operations = 2.0 * static_cast<double>(w.points() * w.tiles()) *
                            static_cast<double>(w.view.IC) * static_cast<double>(w.view.OC);
  describe_bound(context, operations, vector_operations(context, w.family->lanes), out);
}

}  // namespace concord::optimized
