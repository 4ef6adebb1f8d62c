// SPDX-License-Identifier: Apache-2.0
// A search for data on which Winograd's algorithm, computed as it is written, comes close to the
// bounds of bilinear classes, or beyond them.
// Source: docs/numerics.md#search-for-legal-sums-beyond-a-bound
#ifndef CONCORD_CONFORMANCE_POWER_SEARCH_TILES_H_
#define CONCORD_CONFORMANCE_POWER_SEARCH_TILES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "conformance/power/simulated_winograd.h"

namespace concord::conformance {

/// The largest errors of one tile in two axes, each as a share of its bound.
struct TileReach {
  std::string name;     ///< "F(4, 3)"
  double interval = 0;  ///< of real data of up to three channels: the interval tier
  double lone = 0;      ///< of one product, where it is not 0: Fill::kSparse
};

/// Tries `steps` tiles of data, changed one value at a time as long as the error grows, and one
/// product at every place of a tile, in f32 and rounded to nearest.
TileReach search_tile(const WinogradTile& tile, std::uint64_t steps, std::uint64_t seed);
/// The same of all winograd_tiles(); what `known` reached remains.
void search_tiles(std::vector<TileReach>& known, std::uint64_t steps, std::uint64_t seed);
double largest(const std::vector<TileReach>& tiles);
/// A Markdown table: a row for each tile.
std::string print(const std::vector<TileReach>& tiles);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_POWER_SEARCH_TILES_H_
