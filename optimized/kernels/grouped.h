// SPDX-License-Identifier: Apache-2.0
// What a kernel for narrow groups is called with. Plain data only, as in kernel.h.
#ifndef CONCORD_OPTIMIZED_KERNELS_GROUPED_H_
#define CONCORD_OPTIMIZED_KERNELS_GROUPED_H_

#include <stdint.h>

namespace concord::optimized {

/// Computes a row of outputs of groups that have `width` input and `width` output channels each, a
/// power of two that divides a vector; width 1 is a depthwise convolution:
///
///   dst[ow, c] = bias[c] + sum over depth taps, row taps, kw, i < width of
///                src[ow * stride + kw * dilation - padding, c / width * width + i] *
///                weights[taps, kw, i, c]
///
/// Taps that touch padding are left out.
/// Units    elements; depth_weights and row_weights count products (tap, i), which lie
///          `product` elements apart
/// Numeric  one f32 accumulator an output, the products added in the order of the formula
struct GroupedCall {
  const void* src;     ///< of the family's elements, as dst
  int64_t src_offset;  ///< of the first tap of output 0, which may lie outside src
  int64_t src_pixel;
  int64_t depth_taps, src_depth_tap, depth_weights;
  int64_t row_taps, src_row_tap, row_weights;
  int64_t kernel_width, stride, dilation, padding, input_width;
  const float* weights;
  int64_t product;
  const float* bias;
  void* dst;
  int64_t dst_pixel;
  int64_t pixels;
  int64_t channels;
  int64_t streams;  ///< 1: whole vectors of dst are written past the caches, where they can be
};
using GroupedKernel = void (*)(const GroupedCall& call);

/// Kernels with the loop over kw unrolled, and the one for any kernel width, stride and dilation.
enum GroupedShape { kAnyWidth, kWidth3Stride1, kWidth3Stride2, kWidth5Stride1, kWidth5Stride2 };
inline constexpr int kGroupedShapes = 5;
/// Group widths 1, 2, 4, 8.
inline constexpr int kGroupWidths = 4;

/// What src and dst hold. Weights and bias are f32, and so are sums: elements are widened as they
/// are read, and rounded once.
enum GroupedElement : int64_t { kSingle, kHalf, kBrain };

/// The kernels of one instruction set; null where there is none.
struct GroupedFamily {
  const char* name;
  int64_t lanes;
  int64_t element;                                      ///< a GroupedElement
  GroupedKernel kernels[kGroupWidths][kGroupedShapes];  ///< [log2 of the width][shape]
};

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_KERNELS_GROUPED_H_
