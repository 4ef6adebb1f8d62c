// SPDX-License-Identifier: Apache-2.0
// What the tiles of a continuous layer and its gradients share: blocks of outputs, the distances
// that the net is asked about for them, and the pixels that stand at their neighbours.
#ifndef CONCORD_OPTIMIZED_OPERATIONS_CONTINUOUS_PATCH_H_
#define CONCORD_OPTIMIZED_OPERATIONS_CONTINUOUS_PATCH_H_

#include <array>

#include "optimized/operations/continuous_net.h"

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

/// Hidden values of a distance, with the 1 that b3 meets; 1 for Keys' cubic.
Extent hidden_values(const ContinuousShape& shape);

/// The features of an output: for kNet the sums over k of a2[h,k] I[ci,m(k)], at h * Cin + ci; for
/// kNetK and its like the products a2[h] I[ci,m(k)], at (h * slots + k) * Cin + ci.
Extent feature_count(const ContinuousShape& shape);
Extent feature_at(const ContinuousShape& shape, Extent h, Extent k, Extent ci);

/// Calls visit(row co, column feature, place in A3 and b3 of theta) for every entry of the matrix
/// from features to output channels.
template <class Visit>
void for_each_entry(const ContinuousShape& shape, Visit visit) {
  const Extent K = predicts_all(shape.function) ? shape.slots() : 1;
  const Extent w2 = shape.net.w2;
  for (Extent pair = 0; pair < shape.Cout * shape.Cin; ++pair) {
    for (Extent k = 0; k < K; ++k) {
      const Extent output = pair * K + k;
      for (Extent h = 0; h <= w2; ++h) {
        const Extent place = h < w2 ? output * w2 + h : shape.net.outputs * w2 + output;
        visit(pair / shape.Cin, feature_at(shape, h, k, pair % shape.Cin), place);
      }
    }
  }
}

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

#endif  // CONCORD_OPTIMIZED_OPERATIONS_CONTINUOUS_PATCH_H_
