// SPDX-License-Identifier: Apache-2.0
// How large sums are inside the tiles of a bilinear algorithm. An output may see little of what its
// tile holds: padding, an element at a corner of src, a small weight among large ones.
// Source: docs/numerics.md#bilinear
#ifndef CONCORD_CONFORMANCE_JUDGE_TILE_SCALE_H_
#define CONCORD_CONFORMANCE_JUDGE_TILE_SCALE_H_

#include "conformance/fill/fill.h"
#include "reference/reference.h"

namespace concord::conformance {

struct TileScale {
  /// 9/4 of the largest sum over channels of max|x| max|w|: the magnitude of a sum of 3 x 3 taps of
  /// even data that reach as far; of a kernel of more taps, a quarter of them. It has no bias.
  double magnitude = 0;
  /// Taps times the sum over channels of (max|x| max|w|)^2, and the square of the bias: the mean
  /// over images and output channels.
  double squares = 0;
};

/// Maxima are over each channel of an image and over each kernel; values that are not finite do not
/// count. Where `geometry` is no discrete convolution they are over the whole tensors.
TileScale tile_scale(const reference::Resolution& geometry, const Inputs& inputs);

/// True if a number inside a tile, or a sum of them, may exceed `most`: of a transformed input, of
/// a product or on the way to an output. No tile wider than 8 is covered.
bool tiles_may_exceed(double most, const reference::Resolution& geometry, const Inputs& inputs);

/// How far a result may be off where each operation of the transforms of src and weights may lose
/// `step`, because its result is subnormal: the other one's values multiply it.
double lost_in_transforms(const reference::Resolution& geometry, const Inputs& inputs, double step);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_JUDGE_TILE_SCALE_H_
