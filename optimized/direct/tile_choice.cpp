// SPDX-License-Identifier: Apache-2.0
#include "optimized/direct/tile_choice.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "optimized/shape/view.h"

namespace concord::optimized {
namespace {

// Where a tile's operands are read from.
struct Feed {
  Extent element_bytes;
  Extent vector_bytes;              ///< of weights
  double TileCosts::*weights_byte;  ///< null where they are in the first-level cache
  bool pixels_collide;
  double spared;  ///< multiply-adds of a pixel, since its last vector is at most half full
};

// What a tile needs for one product of each of its outputs: multiply-adds, loads, the time until a
// sum can be added to again, weights from the second-level cache, and pixels too, if they push one
// another out of the first; they come near to that before. The loop takes its time where the
// ordinary path, with 32 registers, cannot add two products at once.
// Of `pixels` of the tile a run touches some.
CostTerms tile_terms(const Target& target, int pixels, Extent touched, int vectors,
                     const Feed& feed) {
  const Core& core = target.core;
  const auto some = static_cast<double>(touched);
  const double adds = some * (vectors - feed.spared) / core.multiply_adds;
  const double loads = (some + vectors + 1) / core.loads;
  const double bytes = static_cast<double>(vectors * feed.vector_bytes);
  const bool is_near = feed.weights_byte == nullptr;
  CostTerms terms;
  terms.limit =
      std::max({adds, loads, is_near ? 0.0 : bytes / core.second_level_bytes, core.latency});
  if (!is_near) terms.counts.*feed.weights_byte = bytes;
  terms.counts.pixel_byte = some * static_cast<double>(feed.element_bytes);
  const bool is_crowded = pixels > target.tiles.pixels_of_a_set;
  if (feed.pixels_collide) {
    (is_crowded ? terms.counts.crowded_reload : terms.counts.reload) = some;
  }
  terms.counts.loop = vectors >= 3 && pixels * vectors <= 24 ? 0 : 1;
  terms.counts.part = pixels - touched > kFewLeftOut ? 1 : 0;
  return terms;
}

// From a pixel of src to the next one that a tile reads.
Extent pixel_bytes(const Tiling& t) {
  return multiply(t.view.S[2], multiply(t.view.src.spatial[2], t.element_bytes()));
}

// True if all pixels of a row lie in the same set of the first-level cache.
bool collide(const Target& target, const Tiling& t) {
  return pixel_bytes(t) % target.set_period() == 0;
}

CostTerms row_terms(const Target& target, const Tiling& t, const std::vector<Segment>& segments,
                    int vectors, bool is_last) {
  const Extent vector_bytes = t.lanes() * t.element_bytes();
  const Extent products = t.view.ICG() * t.view.K[0] * t.view.K[1];
  const Extent panel_bytes = products * t.view.K[2] * vectors * vector_bytes;
  const Extent all_bytes = products * t.view.K[2] * t.view.G * t.padded_ocg() * t.element_bytes();
  const auto byte =
      all_bytes <= target.blocks.kept_weights ? &TileCosts::kept_byte : &TileCosts::far_byte;
  const Feed feed = {.element_bytes = t.element_bytes(),
                     .vector_bytes = vector_bytes,
                     .weights_byte = panel_bytes <= target.blocks.near_weights ? nullptr : byte,
                     .pixels_collide = collide(target, t),
                     .spared = is_last && t.has_half_vector() ? 1 - target.core.half_vector : 0};
  const bool is_part = vectors < t.padded_ocg() / t.lanes();
  CostTerms row;
  for (const Segment& segment : segments) {
    const auto tiles = static_cast<double>(segment.tiles);
    for (const TileTap& tap : segment.taps) {
      const Extent touched = segment.pixels - std::abs(tap.left_out);
      row.add(tile_terms(target, segment.pixels, touched, vectors, feed),
              tiles * static_cast<double>(products));
    }
    CostTerms once;
    once.counts.tile = 1;
    (is_part ? once.counts.store_of_part : once.counts.store) = segment.pixels * vectors;
    row.add(once, tiles);
  }
  return row;
}

// A row of all panels of a group.
CostTerms terms_of_vectors(const Target& target, const Tiling& t,
                           const std::vector<Segment>& segments, int vectors) {
  const Extent all = t.padded_ocg() / t.lanes();
  const int rest = static_cast<int>(all % vectors);
  CostTerms terms;
  const Extent whole = all / vectors;
  const Extent last = rest == 0 ? 1 : 0;
  terms.add(row_terms(target, t, segments, vectors, false), static_cast<double>(whole - last));
  terms.add(row_terms(target, t, segments, rest == 0 ? vectors : rest, true), 1);
  return terms;
}

// Bytes of a pixel of dst that tiles write to it; 0 where they do not.
Extent written_bytes(const Tiling& t) {
  const Shape& v = t.view;
  const bool rounds = v.dtype == Dtype::kBF16 && t.family->rounds;
  if (v.dst.channel != 1 || !(rounds || v.dtype == computed_in(v.dtype))) return 0;
  return multiply(v.OCG(), static_cast<Extent>(size_of(v.dtype)));
}

// The most pixels of a tile of so many vectors. Large ones serve short sums; they read and write
// many lines at once, which must have room in the sets of the first-level cache that they share:
// pointwise groups of 16 take a quarter to two fifths less time in smaller tiles. Where dst comes
// from far, more lines at once come faster.
int most_pixels(const Target& target, const Tiling& t, int vectors) {
  constexpr Extent kSecondLevels = 2;  // of near
  const int most = t.family->max_pixels[vectors];
  const Shape& v = t.view;
  const auto element = static_cast<Extent>(size_of(v.dtype));
  const bool is_near = multiply(dst_elements(v), element) <= kSecondLevels * target.second.bytes;
  const Extent of_dst = written_bytes(t) > 0 ? multiply(v.dst.spatial[2], element) : 0;
  const Extent apart = target.places_apart(pixel_bytes(t)) +
                       (is_near && of_dst > 0 ? target.places_apart(of_dst) : 0);
  const bool fits = most * apart <= target.tiles.pixels_of_a_set * target.set_period();
  const Extent weights_bytes =
      multiply(multiply(t.taps(), v.ICG()), vectors * t.lanes() * t.element_bytes());
  const bool taps_follow = multiply(v.D[2], v.src.spatial[2]) == v.ICG();
  const Extent runs = v.K[0] * v.K[1] * (taps_follow ? 1 : v.K[2]);
  const bool is_short = weights_bytes <= kShortSumBytes && runs <= kShortSumRuns;
  return is_short && fits ? most : std::min(most, kMaxPixelsOfLongSums);
}

// Cycles until memory has a row of dst, which more than fills a core's own cache, with the pieces
// of its pixels that panels of so many vectors write; 0 where tiles do not write to it.
double memory_cycles(const Target& target, const Tiling& t, int vectors) {
  const Shape& v = t.view;
  const Extent bytes = v.dtype == computed_in(v.dtype) ? written_bytes(t) : 0;
  if (multiply(dst_elements(v), t.element_bytes()) <= target.second.bytes || bytes == 0) return 0;
  const Extent panels = parts_of(t.padded_ocg() / t.lanes(), vectors);
  return static_cast<double>(v.O[2]) * (static_cast<double>(bytes) / target.core.memory_bytes +
                                        static_cast<double>(panels) * target.core.far_piece);
}

// Cycles that the pieces of a row's pixels cost on top, where half of dst or more leaves the last
// level. The wider most pieces are the better; the rest of a pixel counts as it fills a panel.
double far_cycles(const Target& target, const Tiling& t, int vectors) {
  const Extent pixels = dst_elements(t.view) / std::max<Extent>(t.view.OC, 1);
  const Extent bytes = multiply(written_bytes(t), t.view.G);
  if (multiply(pixels, bytes) <= target.blocks.non_temporal_dst / 2) return 0;
  const Extent all = t.padded_ocg() / t.lanes();
  const double panels = static_cast<double>(all) / vectors;
  return static_cast<double>(t.view.O[2]) * panels * target.core.far_panel;
}

// Cycles of a row that reads all taps of the other axes, in tiles of up to so many pixels.
double row_cycles(const Target& target, const Tiling& t, int vectors, int pixels) {
  const auto segments = cut_row(axis_of(t.view, 2), pixels);
  double cycles = terms_of_vectors(target, t, segments, vectors).cycles(target.tiles);
  if (target.core.far_piece > 0) cycles = std::max(cycles, memory_cycles(target, t, vectors));
  if (target.core.far_panel > 0) cycles += far_cycles(target, t, vectors);
  return cycles;
}

// Outputs along an axis, each counted by the part of its taps that it reads.
double whole_outputs(const Axis& axis) {
  double taps = 0;
  for (Extent k = 0; k < axis.K; ++k) {
    const Axis::Range range = axis.outputs_of(k);
    taps += static_cast<double>(range.end - range.begin);
  }
  return taps / static_cast<double>(axis.K);
}

// Rows of all images, counted so by the taps of the other axes.
double whole_rows(const Shape& view) {
  return whole_outputs(axis_of(view, 0)) * whole_outputs(axis_of(view, 1)) *
         static_cast<double>(view.N);
}

void turn(Shape* view) {
  for (Spatial* values : {&view->I, &view->O, &view->K, &view->S, &view->D, &view->P,
                          &view->src.spatial, &view->dst.spatial, &view->weights.spatial}) {
    std::swap((*values)[1], (*values)[2]);
  }
}

// Makes a row of the same pixel of all images; rows and columns of an image of one plane are the
// other axes. No window of a row meets padding that another one does not.
void view_images_as_row(Shape* view) {
  for (Spatial* values : {&view->I, &view->O, &view->K, &view->S, &view->D, &view->P,
                          &view->src.spatial, &view->dst.spatial, &view->weights.spatial}) {
    std::rotate(values->begin(), values->begin() + 1, values->end());
  }
  view->I[2] = view->O[2] = view->N;
  view->src.spatial[2] = view->src.outer;
  view->dst.spatial[2] = view->dst.outer;
  view->N = 1;
}

// A run of one tap has to be long enough that its beginning does not matter.
constexpr Extent kLeastRun = 32;

// True if rows may be those. With one kernel row, packed weights are the same for columns, too.
bool has_rows(const Tiling& t, TileRows rows) {
  const Shape& v = t.view;
  if (rows == TileRows::kColumns) return v.K[1] == 1 && v.K[2] > 1 && v.O[1] > 1;
  const bool is_plane = v.O[0] == 1 && v.K[0] == 1 && v.P[0] == 0;
  return rows == TileRows::kRows || (is_plane && v.N > 1 && !t.stages_src);
}

void set_rows(TileRows rows, Tiling* t) {
  t->is_turned = rows == TileRows::kColumns;
  t->is_of_images = rows == TileRows::kImages;
  if (t->is_turned) turn(&t->view);
  if (t->is_of_images) view_images_as_row(&t->view);
}

// Adds the tiles that a row of the view may be cut into. Their cycles count as `part` of them.
void rank_tiles_of(const Target& target, const Tiling& t, TileRows rows, double part,
                   std::vector<RankedTile>* ranked) {
  const Extent all = t.padded_ocg() / t.lanes();
  const double count = whole_rows(t.view) / part;
  const auto add = [&](int vectors, int pixels) {
    ranked->push_back({{vectors, pixels, rows}, row_cycles(target, t, vectors, pixels) * count});
  };
  const int of_a_set = collide(target, t) ? target.tiles.pixels_of_a_set : 0;
  for (int vectors = 1; vectors <= kMaxVectors && vectors <= all; ++vectors) {
    if (t.family->max_pixels[vectors] == 0) continue;
    const int most = most_pixels(target, t, vectors);
    add(vectors, most);
    // All of them stay in the cache.
    if (0 < of_a_set && of_a_set < most) add(vectors, of_a_set);
  }
}

}  // namespace

void CostTerms::add(const CostTerms& terms, double times) {
  limit += times * terms.limit;
  for (const auto& cost : kTileCosts) counts.*cost.member += times * terms.counts.*cost.member;
}

double CostTerms::cycles(const TileCosts& costs) const {
  double sum = limit;
  for (const auto& cost : kTileCosts) sum += counts.*cost.member * costs.*cost.member;
  return sum;
}

CostTerms terms_of(const Target& target, const Tiling& t) {
  CostTerms terms;
  terms.add(terms_of_vectors(target, t, t.segments, t.vectors),
            whole_rows(t.view) * static_cast<double>(t.view.G));
  return terms;
}

std::vector<RankedTile> rank_tiles(const Target& target, bool may_turn, const Tiling& t) {
  std::vector<RankedTile> ranked;
  const Shape& v = t.view;
  rank_tiles_of(target, t, TileRows::kRows, 1, &ranked);
  if (may_turn && v.ICG() >= kLeastRun) {
    for (const TileRows rows : {TileRows::kColumns, TileRows::kImages}) {
      if (!has_rows(t, rows)) continue;
      Tiling other = t;
      set_rows(rows, &other);
      // Neither columns nor pixels of several images are neighbours in memory.
      rank_tiles_of(target, other, rows, target.tiles.turning, &ranked);
    }
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const RankedTile& a, const RankedTile& b) { return a.cycles < b.cycles; });
  return ranked;
}

void use_tile(const TileChoice& choice, Tiling* t) {
  set_rows(choice.rows, t);
  t->vectors = choice.vectors;
  t->segments = cut_row(axis_of(t->view, 2), choice.pixels);
  t->panels = parts_of(t->padded_ocg() / t->lanes(), t->vectors);
}

}  // namespace concord::optimized
