// SPDX-License-Identifier: Apache-2.0
#include "optimized/direct/tile_choice.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "optimized/shape/view.h"

namespace concord::optimized {
namespace {

// Where a tile's operands are read from.
struct Feed {
  Extent element_bytes;
  Extent vector_bytes;  ///< of weights
  double weights_byte;  ///< 0 where they are in the first-level cache
  bool pixels_collide;
};

// Cycles that a tile spends on one product of each of its outputs: multiply-adds, loads, the time
// until a sum can be added to again, weights from the second-level cache, and pixels too, if they
// push one another out of the first; they come near to that before. The loop takes its time where
// the kernels cannot add two products at once.
double tile_cost(const Target& target, int pixels, int vectors, const Feed& feed) {
  const Core& core = target.core;
  const TileCosts& costs = target.tiles;
  const double adds = pixels * vectors / core.multiply_adds;
  const double loads = (pixels + vectors + 1) / core.loads;
  const double bytes = static_cast<double>(vectors * feed.vector_bytes);
  const double weights = feed.weights_byte > 0 ? bytes / core.second_level_bytes : 0.0;
  const double loop = vectors >= 3 && pixels * vectors <= 24 ? 0.0 : costs.loop;
  const double reload = pixels > costs.pixels_of_a_set ? costs.crowded_reload : costs.reload;
  return std::max({adds, loads, weights, core.latency}) + bytes * feed.weights_byte +
         pixels * (static_cast<double>(feed.element_bytes) * costs.pixel_byte +
                   (feed.pixels_collide ? reload : 0.0)) +
         loop;
}

double row_cost(const Target& target, const Tiling& t, const std::vector<Segment>& segments,
                int vectors) {
  const Extent vector_bytes = t.lanes() * t.element_bytes();
  const Extent products = t.view.ICG() * t.view.K[0] * t.view.K[1];
  const Extent panel_bytes = products * t.view.K[2] * vectors * vector_bytes;
  const Extent all_bytes = products * t.view.K[2] * t.view.G * t.padded_ocg() * t.element_bytes();
  const Extent pixel_bytes =
      sum_of_products({{t.view.S[2], multiply(t.view.src.spatial[2], t.element_bytes())}});
  const TileCosts& costs = target.tiles;
  const double byte = all_bytes <= target.blocks.kept_weights ? costs.kept_byte : costs.far_byte;
  const Feed feed = {.element_bytes = t.element_bytes(),
                     .vector_bytes = vector_bytes,
                     .weights_byte = panel_bytes <= target.blocks.near_weights ? 0.0 : byte,
                     .pixels_collide = pixel_bytes % target.set_period() == 0};
  const bool is_part = vectors < t.padded_ocg() / t.lanes();
  double cost = 0;
  for (const Segment& segment : segments) {
    const auto all = static_cast<double>(products) * static_cast<double>(segment.taps.size());
    cost += static_cast<double>(segment.tiles) *
            (all * tile_cost(target, segment.pixels, vectors, feed) + costs.tile +
             segment.pixels * vectors * (is_part ? costs.store_of_part : costs.store));
  }
  return cost;
}

// Chooses the number of vectors of a panel, and with it the tiles of a row. Returns the cycles of a
// row that reads all taps of the other axes.
double choose_vectors(const Target& target, Tiling* t) {
  const Extent all = t->padded_ocg() / t->lanes();
  double best = std::numeric_limits<double>::infinity();
  for (int vectors = 1; vectors <= kMaxVectors && vectors <= all; ++vectors) {
    if (t->family->max_pixels[vectors] == 0) continue;
    auto segments = cut_row(axis_of(t->view, 2), t->family->max_pixels[vectors]);
    const Extent whole = all / vectors;
    const int rest = static_cast<int>(all % vectors);
    const double cost = static_cast<double>(whole) * row_cost(target, *t, segments, vectors) +
                        (rest != 0 ? row_cost(target, *t, segments, rest) : 0.0);
    if (cost >= best) continue;
    best = cost;
    t->vectors = vectors;
    t->segments = std::move(segments);
  }
  t->panels = (all + t->vectors - 1) / t->vectors;
  return best;
}

// Rows of a plane of outputs, each counted by the part of the taps of axis 1 that it reads.
double whole_rows(const Shape& view) {
  const Axis axis = axis_of(view, 1);
  double taps = 0;
  for (Extent k = 0; k < axis.K; ++k) {
    const Axis::Range range = axis.outputs_of(k);
    taps += static_cast<double>(range.end - range.begin);
  }
  return taps / static_cast<double>(axis.K);
}

void turn(Shape* view) {
  for (Spatial* values : {&view->I, &view->O, &view->K, &view->S, &view->D, &view->P,
                          &view->src.spatial, &view->dst.spatial, &view->weights.spatial}) {
    std::swap((*values)[1], (*values)[2]);
  }
}

// A run of one tap has to be long enough that its beginning does not matter.
constexpr Extent kLeastRun = 32;

}  // namespace

void choose_tile(const Target& target, Tiling* t) {
  const double cost = choose_vectors(target, t) * whole_rows(t->view);
  const Shape& v = t->view;
  // With one kernel row, packed weights are the same either way.
  const bool turns = !t->stages_src && v.K[1] == 1 && v.K[2] > 1 && v.O[1] > 1;
  if (!turns || v.ICG() < kLeastRun) return;
  Tiling turned = *t;
  turn(&turned.view);
  // Columns are not neighbours in memory.
  if (choose_vectors(target, &turned) * whole_rows(turned.view) < target.tiles.turning * cost)
    *t = std::move(turned);
}

}  // namespace concord::optimized
