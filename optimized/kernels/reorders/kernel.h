// SPDX-License-Identifier: Apache-2.0
// Reorders: kernels that convert between layouts and types. Plain data only, as in direct/kernel.h.
#ifndef CONCORD_OPTIMIZED_KERNELS_REORDERS_KERNEL_H_
#define CONCORD_OPTIMIZED_KERNELS_REORDERS_KERNEL_H_

#include <stdint.h>

namespace concord::optimized {

/// The kernels of one instruction set and one type, f32 or f64.
struct ReorderFamily {
  const char* name;
  /// to[c * to_stride + r] = from[r * from_stride + c] for r < rows, c < columns.
  /// Goes along the rows of `from`, which may come from memory; `to` stays in a cache.
  void (*transpose)(const void* from, int64_t from_stride, void* to, int64_t to_stride,
                    int64_t rows, int64_t columns);
  /// The same, going along the rows of `to`, which may lie in memory: if `non_temporal`, whole
  /// lines are written with non-temporal stores, if the processor has them.
  void (*transpose_out)(const void* from, int64_t from_stride, void* to, int64_t to_stride,
                        int64_t rows, int64_t columns, bool non_temporal);
  /// to[r * to_stride + c] = from[r * from_stride + c], likewise; prefetches so many elements
  /// behind each row of `from`.
  void (*copy_rows)(const void* from, int64_t from_stride, void* to, int64_t to_stride,
                    int64_t rows, int64_t columns, int64_t ahead);
  /// Widen exactly. Null, as what follows, in a family of f64.
  void (*widen_f16)(const uint16_t* from, float* to, int64_t count);
  void (*widen_bf16)(const uint16_t* from, float* to, int64_t count);
  /// Round to nearest, ties to even; NaN stays NaN.
  void (*narrow_f16)(const float* from, uint16_t* to, int64_t count);
  void (*narrow_bf16)(const float* from, uint16_t* to, int64_t count);
  /// Copies pixels of an odd number of channels, `step` elements apart, to where each is followed
  /// by a zero, and that by the next pixel. Null where nothing is faster than a loop.
  void (*complete)(const uint16_t* from, int64_t step, uint16_t* to, int64_t channels,
                   int64_t pixels) = nullptr;
};

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_KERNELS_REORDERS_KERNEL_H_
