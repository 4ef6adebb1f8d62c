// SPDX-License-Identifier: Apache-2.0
// The transforms of Winograd's algorithm. Plain data only, as in direct/kernel.h.
#ifndef CONCORD_OPTIMIZED_KERNELS_WINOGRAD_KERNEL_H_
#define CONCORD_OPTIMIZED_KERNELS_WINOGRAD_KERNEL_H_

#include <stdint.h>

namespace concord::optimized {

/// Transforms the window of one tile, B^T d B, for each channel: point (i, j) of channel c goes to
/// to[(i * (M + 2) + j) * to_point + c].
/// Units  elements; the window's element (row, column) is src[offset + row * src_row +
///        column * src_column]; outside [first, last) it counts as zero and is not read
struct WinogradInput {
  const float* src;
  int64_t offset;  ///< of the window's first element, which may lie outside src
  int64_t src_row, src_column;
  int64_t first_row, last_row, first_column, last_column;
  int64_t channels;
  int64_t ahead;  ///< elements to the next tile's window, which is prefetched
  float* to;      ///< whole vectors of channels are written
  int64_t to_point;
};

/// Transforms sums back, A^T m A, and adds the bias: outputs (row, column) below `rows` and
/// `columns` go to dst[row * dst_row + column * dst_column + c].
struct WinogradOutput {
  const float* from;  ///< as `to` above, whole vectors of channels
  int64_t from_point;
  const float* bias;  ///< whole vectors of channels
  float* dst;
  int64_t dst_row, dst_column;
  int64_t rows, columns;
  int64_t channels;
  int64_t non_temporal;  ///< 1: non-temporal stores of whole lines; see fence_non_temporal()
};

/// F(2x2, 3x3) and F(4x4, 3x3).
inline constexpr int kWinogradSizes = 2;

/// The transforms of one instruction set: [0] of F(2x2, 3x3), [1] of F(4x4, 3x3).
struct WinogradFamily {
  const char* name;
  int64_t lanes;
  void (*fence_non_temporal)();  ///< makes non-temporal stores visible to other threads
  void (*input[kWinogradSizes])(const WinogradInput& call);
  void (*output[kWinogradSizes])(const WinogradOutput& call);
};

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_KERNELS_WINOGRAD_KERNEL_H_
