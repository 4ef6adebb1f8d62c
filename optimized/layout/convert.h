// SPDX-License-Identifier: Apache-2.0
// Converts between the tensors' element types and the types in which the engine computes.
#ifndef CONCORD_OPTIMIZED_LAYOUT_CONVERT_H_
#define CONCORD_OPTIMIZED_LAYOUT_CONVERT_H_

#include <cstdint>

#include "spec/dtype.h"
#include "spec/tensor.h"

namespace concord::optimized {

/// The type in which the engine computes with tensors of `dtype`: f64 for f64, else f32. Packed
/// weights, staged tensors and sums are of it.
constexpr Dtype computed_in(Dtype dtype) {
  return dtype == Dtype::kF64 ? Dtype::kF64 : Dtype::kF32;
}
/// Of an element of that type.
constexpr Extent computed_bytes(Dtype dtype) {
  return computed_in(dtype) == Dtype::kF64 ? sizeof(double) : sizeof(float);
}
/// Calls visit(number) with a number of that type.
template <class Visit>
auto with_computed(Dtype dtype, const Visit& visit) {
  return computed_in(dtype) == Dtype::kF64 ? visit(double{}) : visit(float{});
}

/// Widens exactly; NaN stays NaN.
float from_f16(std::uint16_t bits);
float from_bf16(std::uint16_t bits);

/// Rounds to nearest, ties to even; overflow gives infinity, NaN stays NaN.
std::uint16_t to_f16(float value);
std::uint16_t to_bf16(float value);

/// Reads `count` elements of `dtype`, `stride` elements apart, widening them to computed_in(dtype).
void widen(Dtype dtype, const void* from, Extent stride, void* to, Extent count);

/// Writes `count` elements of `dtype`, `stride` elements apart, rounding once.
void narrow(Dtype dtype, const void* from, void* to, Extent stride, Extent count);

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_LAYOUT_CONVERT_H_
