// SPDX-License-Identifier: Apache-2.0
#include "optimized/direct/tile_choice.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "optimized/shape/view.h"

namespace concord::optimized {
namespace {

// Pixels that lie a multiple of this apart share one set of the first-level cache, which holds few
// of them beside the weights.
constexpr Extent kSetPeriodBytes = 4096;
constexpr int kPixelsOfASet = 9;

// What the weights of a panel may be to stay in the first-level cache, and all weights to stay, for
// the most part, in the second.
constexpr Extent kNearBytes = 20 << 10;
constexpr Extent kKeptBytes = 1536 << 10;

// Cycles by which a byte delays the multiply-adds: of pixels, and of weights that stay in the
// second-level cache, or come to it panel by panel. Fitted to a Zen 5.
constexpr double kPixelByte = 0.005;
constexpr double kKeptByte = 0.001;
constexpr double kFarByte = 0.005;

// Where a tile's operands are read from.
struct Feed {
  Extent element_bytes;
  Extent vector_bytes;  ///< of weights
  double weights_byte;  ///< 0 where they are in the first-level cache
  bool pixels_collide;
};

// Cycles that a tile spends on one product of each of its outputs: two multiply-adds or two loads a
// cycle, four cycles until a sum can be added to again, weights from the second-level cache at 25
// bytes a cycle, and pixels too, if they push one another out of the first; they come near to that
// before. The loop takes its time where the kernels cannot add two products at once.
double tile_cost(int pixels, int vectors, const Feed& feed) {
  const double adds = pixels * vectors / 2.0;
  const double loads = (pixels + vectors + 1) / 2.0;
  const double bytes = static_cast<double>(vectors * feed.vector_bytes);
  const double weights = feed.weights_byte > 0 ? bytes / 25 : 0.0;
  const double loop = vectors >= 3 && pixels * vectors <= 24 ? 0.0 : 0.3;
  const double reload = pixels > kPixelsOfASet ? 1.0 : 0.1;
  return std::max({adds, loads, weights, 4.0}) + bytes * feed.weights_byte +
         pixels * (static_cast<double>(feed.element_bytes) * kPixelByte +
                   (feed.pixels_collide ? reload : 0.0)) +
         loop;
}

// Additional cycles of a tile, and of each stored vector of sums: more if panels cover only part of
// a pixel's channels.
constexpr double kTile = 20;
constexpr double kStore = 1;
constexpr double kStoreOfPart = 5;

double row_cost(const Tiling& t, const std::vector<Segment>& segments, int vectors) {
  const Extent vector_bytes = t.lanes() * t.element_bytes();
  const Extent products = t.view.ICG() * t.view.K[0] * t.view.K[1];
  const Extent panel_bytes = products * t.view.K[2] * vectors * vector_bytes;
  const Extent all_bytes = products * t.view.K[2] * t.view.G * t.padded_ocg() * t.element_bytes();
  const Extent pixel_bytes =
      sum_of_products({{t.view.S[2], multiply(t.view.src.spatial[2], t.element_bytes())}});
  const double byte = all_bytes <= kKeptBytes ? kKeptByte : kFarByte;
  const Feed feed = {.element_bytes = t.element_bytes(),
                     .vector_bytes = vector_bytes,
                     .weights_byte = panel_bytes <= kNearBytes ? 0.0 : byte,
                     .pixels_collide = pixel_bytes % kSetPeriodBytes == 0};
  const bool is_part = vectors < t.padded_ocg() / t.lanes();
  double cost = 0;
  for (const Segment& segment : segments) {
    const auto all = static_cast<double>(products) * static_cast<double>(segment.taps.size());
    cost += static_cast<double>(segment.tiles) *
            (all * tile_cost(segment.pixels, vectors, feed) + kTile +
             segment.pixels * vectors * (is_part ? kStoreOfPart : kStore));
  }
  return cost;
}

// Chooses the number of vectors of a panel, and with it the tiles of a row. Returns the cycles of a
// row that reads all taps of the other axes.
double choose_vectors(Tiling* t) {
  const Extent all = t->padded_ocg() / t->lanes();
  double best = std::numeric_limits<double>::infinity();
  for (int vectors = 1; vectors <= kMaxVectors && vectors <= all; ++vectors) {
    if (t->family->max_pixels[vectors] == 0) continue;
    auto segments = cut_row(axis_of(t->view, 2), t->family->max_pixels[vectors]);
    const Extent whole = all / vectors;
    const int rest = static_cast<int>(all % vectors);
    const double cost = static_cast<double>(whole) * row_cost(*t, segments, vectors) +
                        (rest != 0 ? row_cost(*t, segments, rest) : 0.0);
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
// Columns are not neighbours in memory, so that they have to be cheaper by as much.
constexpr double kTurning = 0.97;

}  // namespace

void choose_tile(Tiling* t) {
  const double cost = choose_vectors(t) * whole_rows(t->view);
  const Shape& v = t->view;
  // With one kernel row, packed weights are the same either way.
  const bool turns = !t->stages_src && v.K[1] == 1 && v.K[2] > 1 && v.O[1] > 1;
  if (!turns || v.ICG() < kLeastRun) return;
  Tiling turned = *t;
  turn(&turned.view);
  if (choose_vectors(&turned) * whole_rows(turned.view) < kTurning * cost) *t = std::move(turned);
}

}  // namespace concord::optimized
