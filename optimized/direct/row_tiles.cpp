// SPDX-License-Identifier: Apache-2.0
#include "optimized/direct/row_tiles.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "spec/check.h"

namespace concord::optimized {
namespace {

// The quotient rounded up, for a positive divisor and no overflow of the sum.
Extent divide_up(Extent value, Extent divisor) {
  return value > 0 ? (value - 1) / divisor + 1 : value / divisor;
}

// How a kernel calls the rows [begin, end) of a tile of `pixels`, if it can.
std::optional<RowSet> row_set(Extent begin, Extent end, Extent pixels) {
  if (begin == 0 && end == pixels) return kAllRows;
  if (end == pixels && begin == 1) return kNotFirst;
  if (end == pixels && begin == 2) return kNotFirstTwo;
  if (begin == 0 && end == pixels - 1) return kNotLast;
  if (begin == 0 && end == pixels - 2) return kNotLastTwo;
  return std::nullopt;
}

// The taps of the tile [begin, end), or nothing if a kernel cannot express them.
std::optional<std::vector<TileTap>> taps_of_tile(const Axis& axis, Extent begin, Extent end) {
  std::vector<TileTap> taps;
  for (Extent k = 0; k < axis.K; ++k) {
    const Axis::Range range = axis.outputs_of(k);
    const Extent first = std::max(range.begin, begin);
    const Extent last = std::min(range.end, end);
    if (first >= last) continue;
    const auto rows = row_set(first - begin, last - begin, end - begin);
    if (!rows) return std::nullopt;
    taps.push_back({k, *rows});
  }
  return taps;
}

// The outputs at which the set of taps changes, except within two pixels of an end of the row if
// `spare_ends`; includes 0 and O.
std::vector<Extent> zones(const Axis& axis, bool spare_ends) {
  std::vector<Extent> cuts = {0, axis.O};
  const auto add = [&](Extent cut) {
    if (cut <= 0 || cut >= axis.O) return;
    if (spare_ends && (cut <= 2 || axis.O - cut <= 2)) return;
    cuts.push_back(cut);
  };
  for (Extent k = 0; k < axis.K; ++k) {
    const Axis::Range range = axis.outputs_of(k);
    if (range.begin >= range.end) continue;
    add(range.begin);
    add(range.end);
  }
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  return cuts;
}

// Adds `tiles` tiles of `pixels` that begin at `begin` and all have the taps of the first; false if
// a kernel cannot express them.
bool append(const Axis& axis, Extent begin, Extent pixels, Extent tiles,
            std::vector<Segment>* segments) {
  if (tiles == 0) return true;
  auto taps = taps_of_tile(axis, begin, begin + pixels);
  if (!taps) return false;
  if (!segments->empty()) {
    Segment& last = segments->back();
    if (last.pixels == pixels && last.taps == *taps) {
      last.tiles += tiles;
      return true;
    }
  }
  segments->push_back({begin, static_cast<int>(pixels), tiles, std::move(*taps)});
  return true;
}

// Adds tiles of one size. Only the first and the last of them can touch an end of the row, so all
// others have the taps of the second.
bool append_run(const Axis& axis, Extent begin, Extent pixels, Extent tiles,
                std::vector<Segment>* segments) {
  const Extent inner = tiles > 2 ? tiles - 2 : 0;
  const Extent last = begin + (tiles - 1) * pixels;
  return append(axis, begin, pixels, tiles > 0 ? 1 : 0, segments) &&
         append(axis, begin + pixels, pixels, inner, segments) &&
         append(axis, last, pixels, tiles > 1 ? 1 : 0, segments);
}

// Cuts [begin, end) into tiles as equal as can be; false if a kernel cannot express one of them.
bool cut_zone(const Axis& axis, Extent begin, Extent end, int max_pixels,
              std::vector<Segment>* segments) {
  const Extent length = end - begin;
  const Extent tiles = divide_up(length, max_pixels);
  const Extent pixels = length / tiles;
  const Extent larger = length % tiles;
  return append_run(axis, begin, pixels + 1, larger, segments) &&
         append_run(axis, begin + larger * (pixels + 1), pixels, tiles - larger, segments);
}

}  // namespace

Axis axis_of(const Shape& s, std::size_t at) {
  return {.I = s.I[at], .O = s.O[at], .K = s.K[at], .S = s.S[at], .D = s.D[at], .P = s.P[at]};
}

Axis::Range Axis::taps_of(Extent o) const {
  // 0 <= o S + k D - P < I; nothing here exceeds the padded input, which fits.
  const Extent at = o * S - P;
  const Extent begin = at < 0 ? divide_up(-at, D) : 0;
  const Extent end = at < I ? std::min(K, divide_up(I - at, D)) : 0;
  return {std::min(begin, end), end};
}

Axis::Range Axis::outputs_of(Extent k) const {
  const Extent at = k * D - P;
  const Extent begin = at < 0 ? std::min(O, divide_up(-at, S)) : 0;
  const Extent end = at < I ? std::min(O, divide_up(I - at, S)) : 0;
  return {std::min(begin, end), end};
}

std::vector<Segment> cut_row(const Axis& axis, int max_pixels) {
  for (const bool spare_ends : {true, false}) {
    std::vector<Segment> segments;
    const std::vector<Extent> cuts = zones(axis, spare_ends);
    bool done = true;
    for (std::size_t i = 0; done && i + 1 < cuts.size(); ++i) {
      done = cut_zone(axis, cuts[i], cuts[i + 1], max_pixels, &segments);
    }
    if (done) return segments;
  }
  CONCORD_CHECK(false) << "a row cut wherever its taps change has tiles that no kernel knows";
  return {};
}

}  // namespace concord::optimized
