// SPDX-License-Identifier: Apache-2.0
// Pairs of bfloat16 channels: what kernels for bf16 take where those for f32 take one element.
#ifndef CONCORD_OPTIMIZED_LAYOUT_PAIRS_H_
#define CONCORD_OPTIMIZED_LAYOUT_PAIRS_H_

#include <cstdint>

#include "optimized/kernels/reorders/kernel.h"
#include "optimized/shape/shape.h"

namespace concord::optimized {

/// True if src can be read as pairs where it lies: an even number of channels a group, next to one
/// another, and every stride that is used even.
bool has_pairs_in_place(const Shape& shape);

/// Makes the taps of the last axis channels, if that makes pairs of all of them where one in each
/// tap would be completed by zero: an odd number of channels, whose taps lie next to one another in
/// src and weights, in windows that meet no padding.
void fold_odd_taps(Shape* shape);

/// Makes the view of src one in pairs: half the channels, an odd one alone, and half the strides.
void view_as_pairs(Shape* shape);

/// Consecutive pixels of src, in the user's layout.
struct Bf16Pixels {
  const std::uint16_t* from;
  Extent count, step;
  Extent groups, channels;  ///< channels of a group
  Extent channel_step;
};

/// Copies pixels as [pixel][group][pair]; the pair of an odd last channel is completed by zero.
/// Shapes  `to` has pixels `to_step` elements apart, an even number
void copy_pairs(const ReorderFamily& reorders, const Bf16Pixels& pixels, std::uint16_t* to,
                Extent to_step);

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_LAYOUT_PAIRS_H_
