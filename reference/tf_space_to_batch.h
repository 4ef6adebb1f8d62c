// SPDX-License-Identifier: Apache-2.0
// space_to_batch and batch_to_space, from which atrous_conv2d's document builds the operation:
// docs/spec.md#atrous_conv2d.
#ifndef CONCORD_REFERENCE_TF_SPACE_TO_BATCH_H_
#define CONCORD_REFERENCE_TF_SPACE_TO_BATCH_H_

#include <span>
#include <vector>

#include "spec/attributes.h"
#include "spec/result.h"

namespace concord::reference {

/// Makes the padded height and width multiples of a block: paddings for space_to_batch, and the
/// crops with which batch_to_space removes the excess again.
struct BlockPaddings {
  Extents paddings;  ///< top, bottom, left, right
  Extents crops;     ///< top, bottom, left, right; top and left are 0
};
/// Adds to the end of each axis what is missing to a multiple of `block_size`.
///
///   n = height + top + bottom,   excess = (block_size - n mod block_size) mod block_size
///   paddings = top, bottom + excess, ..;   crops = 0, excess, ..
///
/// Errors  none: height, width and base paddings are not negative and block_size is at least 1
BlockPaddings required_block_paddings(Extent height, Extent width, const Extents& base_paddings,
                                      Extent block_size);

/// Checks a space_to_batch and infers its dst.
///
///   dst = [batch * block_size^2, (height + top + bottom) / block_size,
///          (width + left + right) / block_size, depth]
///
/// Shapes  src [batch, height, width, depth]
/// Errors  kRank, kSize, kBlockSize, kPads: a padding is negative, there are not four,
///         or the padded extents are not multiples of block_size
Result<Extents> resolve_space_to_batch(const Extents& src, const SpaceToBatchAttributes& a);

/// Puts each phase of the padded images into a batch of its own.
///
///   dst[(i * block_size + j) * batch + b, h, w, c] =
///       src[b, h * block_size + i - top, w * block_size + j - left, c],   0 outside
///
/// Errors  none: resolve_space_to_batch() has accepted `src` and `a`
std::vector<double> evaluate_space_to_batch(const Extents& src, const SpaceToBatchAttributes& a,
                                            std::span<const double> values);

/// Checks a batch_to_space and infers its dst.
///
///   dst = [batch / block_size^2, height * block_size - top - bottom,
///          width * block_size - left - right, depth]
///
/// Errors  kRank, kSize, kBlockSize: less than 1, or its square does not divide batch;
///         kPads: a crop is negative, there are not four, or more is cropped
///         than there is
Result<Extents> resolve_batch_to_space(const Extents& src, const BatchToSpaceAttributes& a);

/// The inverse: interleaves the phases and crops.
/// Errors  none: resolve_batch_to_space() has accepted `src` and `a`
std::vector<double> evaluate_batch_to_space(const Extents& src, const BatchToSpaceAttributes& a,
                                            std::span<const double> values);

}  // namespace concord::reference

#endif  // CONCORD_REFERENCE_TF_SPACE_TO_BATCH_H_
