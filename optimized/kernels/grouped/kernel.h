// SPDX-License-Identifier: Apache-2.0
// What a kernel for narrow groups is called with. Plain data only, as in direct/kernel.h.
#ifndef CONCORD_OPTIMIZED_KERNELS_GROUPED_KERNEL_H_
#define CONCORD_OPTIMIZED_KERNELS_GROUPED_KERNEL_H_

#include <stdint.h>

#include "optimized/kernels/facts.h"

namespace concord::optimized {

/// Rows of src that a kernel of patches or bands prefetches: of each, before it computes some
/// vectors of channels of a tile, as far as those and the tile go.
struct RowsAhead {
  uintptr_t from;  ///< the first one, at the first tap of output 0, which may lie outside src
  int64_t rows;
  int64_t pixel, row;  ///< elements from one to the next
};

/// Computes a row of outputs of groups that have `width` input and `width` output channels each, a
/// power of two that divides a vector; width 1 is a depthwise convolution:
///
///   dst[ow, c] = bias[c] + sum over depth taps, row taps, kw, i < width of
///                src[ow * stride + kw * dilation - padding, c / width * width + i] *
///                weights[c / lanes, taps, kw, i, c % lanes]
///
/// Taps that touch padding are left out. A kernel of patches computes patch_rows rows of a plane,
/// or one less, of 3x3 taps with one stride in both directions and dilation 1, at least
/// patch_pixels outputs each, that see at most one input of padding on either side. It is told
/// which of its input rows exist: [rows_begin, rows_end), counted from the first tap of its first
/// row of outputs. A kernel of bands computes `rows` rows of a plane, of a depthwise convolution or
/// groups half as wide as a vector, with stride 1 or 2 along a row, of which only 1 with dilation.
/// Both are told the same, with all row taps.
/// Units    elements; depth_weights and row_weights count products (tap, i), which have a vector
///          of weights each
/// Numeric  one accumulator an output, f32 or f64, the products added in the order of the formula; for
///          groups as wide as a vector i comes before kw, in bands of groups half as wide before
///          the kw of one chunk
struct GroupedCall {
  const void* src;     ///< of the family's elements, as dst
  int64_t src_offset;  ///< of the first tap of output 0, which may lie outside src
  int64_t src_pixel;
  int64_t depth_taps, src_depth_tap, depth_weights;
  int64_t row_taps, src_row_tap, row_weights;
  int64_t ahead;  ///< the row taps from here on are prefetched, one tile early
  int64_t kernel_width, stride, dilation, padding, input_width;
  const void* weights;     ///< of the type of the sums, as the bias
  int64_t vector_weights;  ///< from the weights of a vector of channels to those of the next
  /// Not null, for patches of one vector and groups as wide as a vector: weights as they lie, of
  /// the family's elements, instead of `weights`; a product's channels lie together.
  const void* raw_weights;
  int64_t raw_tap;  ///< elements from a tap to the next
  const void* bias;
  void* dst;
  int64_t dst_pixel;
  int64_t expects_dst;  ///< 1: lines of dst are prefetched before they are written
  int64_t pixels;
  int64_t channels;
  /// Of kernels of patches and of bands.
  int64_t rows, src_row, dst_row, rows_begin, rows_end;
  const RowsAhead* rows_ahead;       ///< or null
  int64_t row_stride, row_dilation;  ///< input rows
  int64_t vectors;  ///< of kernels of bands: 1, or 2 or 4 of a pixel to be read at once, at least
};
using GroupedKernel = void (*)(const GroupedCall& call);

/// Kernels with the loop over kw unrolled, and the one for any kernel width, stride and dilation.
enum GroupedShape { kAnyWidth, kWidth3Stride1, kWidth3Stride2 };
inline constexpr int kGroupedShapes = 3;
/// Group widths 1, 2, 4, 8, 16.
inline constexpr int kGroupWidths = 5;

/// The kernels of one instruction set; null where there is none. Elements of 16 bits, but those of
/// pairs, are widened as they are read, and sums rounded once.
struct GroupedFamily {
  const char* name;
  int64_t lanes;
  ElementType element;                                  ///< of src and dst
  GroupedKernel kernels[kGroupWidths][kGroupedShapes];  ///< [log2 of the width][shape]
  GroupedKernel patches[2];                             ///< of width 1: [stride - 1]
  int64_t patch_rows;                                   ///< at most
  /// Of a pixel, that bands and patches of one row of outputs read one directly after another.
  int64_t vectors_together;
  int64_t patch_pixels, widest_patch;  ///< at least, at most
  GroupedKernel bands[2];              ///< of width 1: [stride - 1]
  GroupedKernel half_bands[2];         ///< of half as many as lanes: likewise
};

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_KERNELS_GROUPED_KERNEL_H_
