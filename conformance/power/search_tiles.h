// SPDX-License-Identifier: Apache-2.0
// A search for data on which Winograd's algorithm or a Fourier transform, computed as it is
// written, comes close to the bounds of bilinear classes, or beyond them.
// Source: docs/numerics.md#search-for-legal-sums-beyond-a-bound
#ifndef CONCORD_CONFORMANCE_POWER_SEARCH_TILES_H_
#define CONCORD_CONFORMANCE_POWER_SEARCH_TILES_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "conformance/power/simulated_winograd.h"

namespace concord::conformance {

/// An algorithm whose tiles have `outputs` outputs and kernels of `taps` along each of two axes.
struct SearchedTile {
  std::string name;  ///< "F(4, 3)"
  Extent outputs, taps;
  /// Values of each channel, row-major, to outputs, in f32 and rounded to nearest.
  using Channels = std::vector<std::vector<double>>;
  std::function<std::vector<double>(const Channels& src, const Channels& weights)> compute;
  /// Rows of the transforms of src and of weights: with their signs, sums are large.
  std::vector<std::vector<double>> src_rows, weights_rows;

  Extent width() const { return outputs + taps - 1; }
};

/// All winograd_tiles(), and transforms of 8 x 8 and 16 x 16 elements with 3 x 3 taps.
std::vector<SearchedTile> searched_tiles();

/// The largest errors of one tile, each as a share of its bound.
struct TileReach {
  std::string name;
  double interval = 0;  ///< of real data of up to three channels: the interval tier
  double lone = 0;      ///< of one product, where it is not 0: Fill::kSparse
};

/// Tries of all searched_tiles() `steps` tiles of data, changed one value at a time as long as the
/// error grows, and, if `known` is empty, one product at every place; what it reached remains.
void search_tiles(std::vector<TileReach>& known, std::uint64_t steps, std::uint64_t seed);
double largest(const std::vector<TileReach>& tiles);
/// A Markdown table: a row for each tile.
std::string print(const std::vector<TileReach>& tiles);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_POWER_SEARCH_TILES_H_
