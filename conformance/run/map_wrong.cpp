// SPDX-License-Identifier: Apache-2.0
#include "conformance/run/map_wrong.h"

#include <algorithm>
#include <variant>

#include "conformance/run/tensor_images.h"

namespace concord::conformance {
namespace {

Extent parts_of(Extent extent) { return std::min(extent, WrongMap::kParts); }
std::size_t part_of(Extent index, Extent extent) {
  return static_cast<std::size_t>(index * parts_of(extent) / extent);
}
// How many indices of the axis belong to a part.
Extent size_of_part(std::size_t part, Extent extent) {
  const Extent parts = parts_of(extent), first = static_cast<Extent>(part);
  const auto begin = [&](Extent at) { return (at * extent + parts - 1) / parts; };
  return begin(first + 1) - begin(first);
}

// Of a spatial axis, the outputs at both ends whose windows reach beyond the input.
std::array<Extent, 2> border_of(const reference::Geometry& g, std::size_t axis) {
  const Extent O = g.O[axis], S = g.S[axis];
  const Extent before = std::max<Extent>(0, g.P_begin[axis]);
  // The last output whose window ends within the input begins at most here.
  const Extent last = g.I[axis] - 1 - (g.K[axis] - 1) * g.D[axis] + g.P_begin[axis];
  const Extent within = last < 0 ? 0 : std::min(O, last / S + 1);
  return {std::min(O, (before + S - 1) / S), O - within};
}

// `from_last` counts from the last axis of the reading order, which is the innermost spatial one.
std::array<Extent, 2> border_of(const reference::Resolution& resolution, std::size_t from_last) {
  const auto* discrete = std::get_if<reference::Geometry>(&resolution.form);
  if (discrete == nullptr || from_last >= discrete->spatial_rank) return {0, 0};
  return border_of(*discrete, reference::kSpatialRank - 1 - from_last);
}

std::string row_text(const std::vector<std::size_t>& wrong, Extent images, std::size_t row,
                     Extent rows, Extent columns) {
  std::string text;
  for (std::size_t column = 0; column < wrong.size(); ++column) {
    const Extent elements = images * size_of_part(row, rows) * size_of_part(column, columns);
    const auto ninths = (9 * static_cast<Extent>(wrong[column]) + elements - 1) / elements;
    text += static_cast<char>('0' + ninths);
  }
  return text;
}

}  // namespace

WrongMap map_wrong(const Problem& problem, const reference::Resolution& resolution,
                   std::span<const std::size_t> places) {
  const Tensor& dst = resolution.dst;
  const auto reading = dst_reading_axes(problem, dst.rank());
  WrongMap map;
  map.dims = dst.dims;
  for (const Extent extent : dst.dims) map.counts.emplace_back(parts_of(extent));
  const std::size_t shown = std::min<std::size_t>(2, reading.size());
  map.axes.assign(reading.end() - static_cast<std::ptrdiff_t>(shown), reading.end());
  for (std::size_t i = shown; i-- > 0;) map.borders.push_back(border_of(resolution, i));

  const std::size_t across = map.axes.back();
  const Extent columns = dst.dims[across], rows = shown == 2 ? dst.dims[map.axes[0]] : 1;
  std::vector<std::vector<std::size_t>> wrong(
      static_cast<std::size_t>(parts_of(rows)),
      std::vector<std::size_t>(static_cast<std::size_t>(parts_of(columns))));
  for (const std::size_t place : places) {
    const Extents index = own_index(problem, dst, place);
    for (std::size_t axis = 0; axis < index.size(); ++axis) {
      ++map.counts[axis][part_of(index[axis], dst.dims[axis])];
    }
    const std::size_t row = shown == 2 ? part_of(index[map.axes[0]], rows) : 0;
    ++wrong[row][part_of(index[across], columns)];
  }
  const Extent images = element_count(dst.dims).value() / (rows * columns);
  for (std::size_t row = 0; row < wrong.size(); ++row) {
    map.picture.push_back(row_text(wrong[row], images, row, rows, columns));
  }
  return map;
}

}  // namespace concord::conformance
