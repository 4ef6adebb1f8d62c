// SPDX-License-Identifier: Apache-2.0
// What the tiles of a continuous layer and its gradients share: blocks of outputs, the distances
// that the net is asked about for them, and the pixels that stand at their neighbours.
#ifndef CONCORD_OPTIMIZED_CONTINUOUS_PATCH_H_
#define CONCORD_OPTIMIZED_CONTINUOUS_PATCH_H_

#include <array>

#include "optimized/continuous_net.h"

namespace concord::optimized {

/// Outputs of a block: enough for the matrix products, few enough for a core's own cache.
inline constexpr Extent kContinuousBlock = 64;

/// An output with what it sees.
struct OutputPlace {
  Extent i = 0, j = 0;
  Support vertical{}, horizontal{};
};

/// A block's outputs; the last block of a row, or of all, may have fewer than kContinuousBlock.
struct OutputBlock {
  Extent size = 0;
  std::array<OutputPlace, kContinuousBlock> places{};
};

/// `size` outputs that follow one another row by row, from `first` on.
OutputBlock block_at(const ContinuousShape& shape, Extent first, Extent size);

/// Writes the distances of a full block as columns, first output, then place; zeros for outputs
/// and places that do not exist.
/// Shapes  to [2, kContinuousBlock * shape.inputs()]
void write_distances(const ContinuousShape& shape, const OutputBlock& block, MatrixMap* to);

/// Calls visit(place k, row, column) for each neighbour of an output that is a pixel, not a zero.
template <class Visit>
void for_each_pixel(const ContinuousShape& shape, const OutputPlace& at, Visit visit) {
  const Extent columns = shape.horizontal.slots();
  for (Extent a = 0; a < at.vertical.count; ++a) {
    const Extent row = shape.vertical.pixel(at.vertical.left + a);
    if (row < 0) continue;
    for (Extent b = 0; b < at.horizontal.count; ++b) {
      const Extent column = shape.horizontal.pixel(at.horizontal.left + b);
      if (column >= 0) visit(a * columns + b, row, column);
    }
  }
}

/// Copies the neighbours of an output of image `n` to `to` [slots,Cin]; zeros where there is none.
void gather_pixels(const ContinuousShape& shape, const OutputPlace& at, Extent n, const void* src,
                   float* to);

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_CONTINUOUS_PATCH_H_
