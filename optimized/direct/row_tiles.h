// SPDX-License-Identifier: Apache-2.0
// How a row of output pixels is cut into register tiles, so that no kernel ever multiplies padding:
// taps that touch only padding in a tile are left out of it, and kernels leave out the pixels at
// one end of a tile that a tap finds padding for.
#ifndef CONCORD_OPTIMIZED_DIRECT_ROW_TILES_H_
#define CONCORD_OPTIMIZED_DIRECT_ROW_TILES_H_

#include <vector>

#include "optimized/kernels/direct/kernel.h"
#include "optimized/shape/shape.h"

namespace concord::optimized {

/// One spatial axis of a convolution.
struct Axis {
  Extent I, O, K, S, D, P;

  /// The taps [begin, end) of output `o` that read the input and not its padding.
  struct Range {
    Extent begin, end;
    bool operator==(const Range&) const = default;
  };
  Range taps_of(Extent o) const;
  /// The outputs [begin, end) whose tap `k` reads the input.
  Range outputs_of(Extent k) const;
  /// The inputs from the first that these outputs read to the last, as far as they exist.
  Range inputs_of(const Range& outputs) const;
  /// Those of them that the outputs `before`, which end where these begin, have not come to.
  Range new_inputs_of(const Range& outputs, const Range& before) const;
};

/// The axis `at` of `shape`.
Axis axis_of(const Shape& shape, std::size_t at);

/// A tap of a tile, and the pixels of the tile for which it does not read the input.
struct TileTap {
  Extent k;
  Extent left_out;  ///< the first n or the last -n, as of a Run
  bool operator==(const TileTap&) const = default;
};

/// Tiles of equal size and equal taps, side by side.
struct Segment {
  Extent begin = 0;  ///< the first output
  int pixels = 0;    ///< of a tile
  Extent tiles = 0;
  std::vector<TileTap> taps{};
};

/// Cuts the outputs of `axis`, at least one, into tiles of at most `max_pixels`, which is at least
/// 4, as equal as can be.
std::vector<Segment> cut_row(const Axis& axis, int max_pixels);

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_DIRECT_ROW_TILES_H_
