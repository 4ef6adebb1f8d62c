// SPDX-License-Identifier: Apache-2.0
// What a kernel for planes of few channels is called with. Plain data only, as in direct/kernel.h.
#ifndef CONCORD_OPTIMIZED_KERNELS_PLANES_KERNEL_H_
#define CONCORD_OPTIMIZED_KERNELS_PLANES_KERNEL_H_

#include <stdint.h>

#include "optimized/kernels/facts.h"

namespace concord::optimized {

/// Computes vectors of outputs that are neighbours in a row, of B output channels:
///
///   dst[b, v, l] = bias[b] + sum over products p of
///                  src[v * src_step + products[p] + l] * weights[p, b]
///
/// for the vectors v and the lanes l < `lanes`. All lanes of src are read.
/// Units    elements
/// Numeric  one accumulator an output, f32 or f64, the products added in order
struct PlaneCall {
  const void* src;
  const int64_t* products;  ///< where each of them is in src, from an output's place
  int64_t product_count;
  const void* weights;
  const void* bias;
  void* dst;
  int64_t dst_channel;
  int64_t vectors;  ///< fewer than 2^32
  int64_t src_step, dst_step;
  int64_t lanes;  ///< outputs of a vector
};
using PlaneKernel = void (*)(const PlaneCall& call);

/// Copies `rows` rows of `count` elements, which lie `step` apart in src and side by side in `to`,
/// with zeros before and after them; and writes rows of zeros before and after those. Rows are
/// written in whole vectors.
/// Units  elements
struct StagedPlane {
  const void* src;
  int64_t src_row, step;
  void* to;
  int64_t to_row;
  int64_t rows_before, rows, rows_after;
  int64_t before, count, after;
};

/// Copies rows of up to a vector from where they were computed, of which whole vectors are read, to
/// dst.
/// Units  elements
struct UnstagedRows {
  const void* from;
  int64_t from_row;
  void* to;
  int64_t to_row;
  int64_t rows, count;
};

/// Output channels that a kernel computes at once: 1, 2 or 4.
inline constexpr int kPlaneChannels = 3;

struct PlaneFamily {
  const char* name;
  int64_t lanes;
  PlaneKernel kernels[kPlaneChannels];  ///< of 1 << index channels
  void (*stage)(const StagedPlane& plane);
  void (*unstage)(const UnstagedRows& rows);
};

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_KERNELS_PLANES_KERNEL_H_
