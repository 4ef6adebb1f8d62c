// SPDX-License-Identifier: Apache-2.0
#include "optimized/direct/row_tiles.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "optimized/shape/view.h"
#include "spec/check.h"

namespace concord::optimized {
namespace {

// The quotient rounded up, for a positive divisor and no overflow of the sum.
Extent divide_up(Extent value, Extent divisor) {
  if (divisor == 1) return value;
  return value > 0 ? (value - 1) / divisor + 1 : value / divisor;
}

// What a kernel leaves out of a tile of `pixels` of which a tap touches [begin, end), if it can.
std::optional<Extent> left_out_of(Extent begin, Extent end, Extent pixels) {
  const Extent after = pixels - end;
  if (begin != 0 && after != 0) return std::nullopt;
  if (pixels > kMaxPixelsOfLongSums && std::max(begin, after) > kFewLeftOut) return std::nullopt;
  return begin - after;
}

// The taps of the tile [begin, end), or nothing if a kernel cannot express them.
std::optional<std::vector<TileTap>> taps_of_tile(const Axis& axis, Extent begin, Extent end) {
  std::vector<TileTap> taps;
  for (Extent k = 0; k < axis.K; ++k) {
    const Axis::Range range = axis.outputs_of(k);
    const Extent first = std::max(range.begin, begin);
    const Extent last = std::min(range.end, end);
    if (first >= last) continue;
    const auto left_out = left_out_of(first - begin, last - begin, end - begin);
    if (!left_out) return std::nullopt;
    taps.push_back({k, *left_out});
  }
  return taps;
}

// The outputs at which the set of taps changes; includes 0 and O.
std::vector<Extent> zones(const Axis& axis) {
  std::vector<Extent> cuts = {0, axis.O};
  for (Extent k = 0; k < axis.K; ++k) {
    const Axis::Range range = axis.outputs_of(k);
    if (range.begin >= range.end) continue;
    cuts.push_back(range.begin);
    cuts.push_back(range.end);
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

// Adds tiles of one size, those between two of `cuts` together.
bool append_run(const Axis& axis, const std::vector<Extent>& cuts, Extent begin, Extent pixels,
                Extent tiles, std::vector<Segment>* segments) {
  const Extent end = begin + tiles * pixels;
  while (begin < end) {
    const Extent cut = *std::upper_bound(cuts.begin(), cuts.end(), begin);
    const Extent together = std::max<Extent>((std::min(cut, end) - begin) / pixels, 1);
    if (!append(axis, begin, pixels, together, segments)) return false;
    begin += together * pixels;
  }
  return true;
}

// Cuts [begin, end) into tiles as equal as can be; false if a kernel cannot express one of them.
bool cut_zone(const Axis& axis, const std::vector<Extent>& cuts, Extent begin, Extent end,
              int max_pixels, std::vector<Segment>* segments) {
  const Extent length = end - begin;
  const Extent tiles = divide_up(length, max_pixels);
  const Extent pixels = length / tiles;
  const Extent larger = length % tiles;
  return append_run(axis, cuts, begin, pixels + 1, larger, segments) &&
         append_run(axis, cuts, begin + larger * (pixels + 1), pixels, tiles - larger, segments);
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

Axis::Range Axis::inputs_of(const Range& outputs) const {
  const Extent last = sum_of_products({{outputs.end - 1, S}, {K - 1, D}, {-1, P}});
  const Extent begin = std::clamp<Extent>(sum_of_products({{outputs.begin, S}, {-1, P}}), 0, I);
  return {begin, std::clamp<Extent>(last + 1, begin, I)};
}

Axis::Range Axis::new_inputs_of(const Range& outputs, const Range& before) const {
  const Range inputs = inputs_of(outputs);
  return {std::clamp(inputs_of(before).end, inputs.begin, inputs.end), inputs.end};
}

std::vector<Segment> cut_row(const Axis& axis, int max_pixels) {
  const std::vector<Extent> cuts = zones(axis);
  // Large tiles leave out few pixels.
  for (const int pixels : {max_pixels, std::min(max_pixels, kMaxPixelsOfLongSums)}) {
    std::vector<Segment> segments;
    if (cut_zone(axis, cuts, 0, axis.O, pixels, &segments)) return segments;
  }
  std::vector<Segment> segments;
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
    const bool done = cut_zone(axis, cuts, cuts[i], cuts[i + 1], max_pixels, &segments);
    CONCORD_CHECK(done) << "a row cut wherever its taps change has tiles that no kernel knows";
  }
  return segments;
}

}  // namespace concord::optimized
