// SPDX-License-Identifier: Apache-2.0
// What a kernel for planes of few channels is called with. Plain data only, as in direct/kernel.h.
#ifndef CONCORD_OPTIMIZED_KERNELS_PLANES_KERNEL_H_
#define CONCORD_OPTIMIZED_KERNELS_PLANES_KERNEL_H_

#include <stdint.h>

#include "optimized/kernels/facts.h"

namespace concord::optimized {

/// Products of an output that read neighbouring vectors of src: the first lies `from` elements from
/// the output's place.
struct PlaneRun {
  int64_t from, count;
};

/// Computes vectors of outputs that are neighbours in a row, of B output channels:
///
///   dst[b, v, l] = bias[b] + sum over runs r and p < r.count of
///                  src[(v + p) * src_step + r.from + l] * weights[r, p, b]
///
/// for the vectors v and the lanes l < `lanes`. All lanes of src are read.
/// Units    elements
/// Numeric  one accumulator an output, f32 or f64, the products added in order
struct PlaneCall {
  const void* src;
  const PlaneRun* runs;
  int64_t run_count;
  const void* weights;
  const void* bias;
  void* dst;
  int64_t dst_channel;
  int64_t vectors;  ///< fewer than 2^32
  int64_t src_step, dst_step;
  int64_t lanes;        ///< outputs of a vector
  int64_t expects_dst;  ///< 1: the columns of dst that follow are prefetched
};
using PlaneKernel = void (*)(const PlaneCall& call);

/// Copies a plane, split by the remainders of its rows and columns modulo the strides, with zeros
/// where there is none of src: for each remainder of rows a part for each of columns. Row i, column
/// j of a part is at i * to_row + j. Rows are written in whole vectors.
/// Units  elements
struct StagedPlane {
  const void* src;
  void* to;
  int64_t to_row, to_part;
  /// Rows of zeros, of src and of zeros, for each remainder. `from` is where column 0 of remainder
  /// 0 is, or would be, in the first row of src.
  struct Rows {
    int64_t before, from, inside, after;
  };
  const Rows* rows;
  int64_t row_phase_count;
  int64_t src_rows;  ///< from one row of a remainder to the next
  const int64_t* column_phases;
  int64_t column_phase_count, column_stride;
  int64_t columns;      ///< of a row of `to`
  int64_t begin, end;   ///< which columns of src there are, counted from that of column 0 of `to`
  int64_t is_in_order;  ///< 1: src is read from its beginning to its end, which takes longer
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
  int64_t longest_run[kPlaneChannels];  ///< of those kernels
  int64_t at_once[kPlaneChannels];      ///< vectors, at most
  void (*stage)(const StagedPlane& plane);
  void (*unstage)(const UnstagedRows& rows);
  /// Copies `count` elements that are aligned alike, whole lines with non-temporal stores, if the
  /// processor has them.
  void (*copy_out)(const void* from, void* to, int64_t count);
  void (*fence_non_temporal)();  ///< makes non-temporal stores visible to other threads
};

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_KERNELS_PLANES_KERNEL_H_
