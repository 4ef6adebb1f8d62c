// SPDX-License-Identifier: Apache-2.0
// Address arithmetic that the plans share.
#ifndef CONCORD_OPTIMIZED_SHAPE_VIEW_H_
#define CONCORD_OPTIMIZED_SHAPE_VIEW_H_

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <utility>

#include "optimized/shape/shape.h"

namespace concord::optimized {

/// The sum of the products of the pairs, modulo 2^64: where padding is astronomical, an
/// intermediate offset may leave the range though every address that is used is in it.
inline Extent sum_of_products(std::initializer_list<std::pair<Extent, Extent>> terms) {
  std::uint64_t sum = 0;
  for (const auto& [a, b] : terms) {
    sum += static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b);
  }
  return static_cast<Extent>(sum);
}

/// The product, likewise.
inline Extent multiply(Extent a, Extent b) { return sum_of_products({{a, b}}); }

/// a / b and a % b, for a not negative. Most walks divide by 1 alone, which is spared.
struct Quotient {
  Extent whole, rest;
};
inline Quotient divide(Extent a, Extent b) {
  return b == 1 ? Quotient{a, 0} : Quotient{a / b, a % b};
}

/// How many parts of `part` elements, the last one perhaps of fewer, make up `whole`; both
/// positive.
inline Extent parts_of(Extent whole, Extent part) {
  return part >= whole ? 1 : (whole - 1) / part + 1;
}

/// The least odd number of cache lines that hold so many elements, in elements: what lies so far
/// apart does not share few sets of a cache.
inline Extent odd_lines(Extent elements, Extent line) {
  return ((elements + line - 1) / line | 1) * line;
}

/// The elements of src and dst, outer axes apart.
inline Extent src_elements(const Shape& s) {
  return multiply(multiply(s.N, s.IC), multiply(multiply(s.I[0], s.I[1]), s.I[2]));
}
inline Extent dst_elements(const Shape& s) {
  return multiply(multiply(s.N, s.OC), multiply(multiply(s.O[0], s.O[1]), s.O[2]));
}

/// Gives axes of one element strides that compare equal to whatever helps: they are never
/// multiplied by anything but zero.
void clear_unused_strides(Shape* shape);

/// True if a window reaches beyond the input on an axis of depth, height or width.
bool meets_padding(const Shape& shape);

/// Drops taps at the ends of kernel axes that meet nothing but padding, and the padding at the
/// beginning with them. Of one tap there is no dilation, and no input that it does not read.
/// Returns how many elements of weights come before the first tap that stays; one always does.
Extent drop_padded_taps(Shape* shape);

/// True if the axis has one tap that never reads padding.
bool is_pointwise(const Shape& shape, std::size_t axis);

/// Joins axes into the last one, where a walk along the last axis goes on in the next of the other:
/// pointwise images without gaps become one row.
void join_axes(Shape* shape);

/// Joins the axis before the last one into it, though it has several taps (up to 64), where the
/// last one has one tap and no padding, both have stride 1, and src and dst have no gaps: taps are
/// then so many rows of src apart. Rows of 7x1 taps become one long row, and so do planes of 3x1x1
/// taps once join_axes() has made each a row.
void join_windows(Shape* shape);

/// True if rows of taps lie as one run each, do not overlap, and are long enough to be summed one
/// by one.
bool has_rows_of_patches(const Shape& shape);

/// Makes the input channels of planes an axis of taps, the depth, if the shape has no other use for
/// it and has_rows_of_patches(): rows are then read where they lie, and no channels are brought
/// together first. Not where so many channels and outputs begin runs that it would take longer.
void view_channels_as_depth(Shape* shape);

/// Elements from a tap of weights to the next, if that is the same for all of them.
std::optional<Extent> tap_step(const Shape& shape);

/// Sets the strides of src to those of its staged copy: [N, D, H, W, IC], pixels so many elements
/// apart, else dense.
void use_staged_src(Extent pixel, Shape* shape);

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_SHAPE_VIEW_H_
