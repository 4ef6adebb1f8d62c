// SPDX-License-Identifier: Apache-2.0
// Planes of few channels for AVX-512.
#include <immintrin.h>
#include <stddef.h>

#include "optimized/kernels/planes/kernel.h"

namespace concord::optimized {
namespace {

#include "optimized/kernels/registers_avx512.inc"

inline Reg multiply_add(Reg a, Reg b, Reg c) { return _mm512_fmadd_ps(a, b, c); }
inline Reg load_between(const float* from, int64_t begin, int64_t end) {
  return load_masked(from, static_cast<Mask>(first(end) & ~first(begin)));
}
inline Reg evens(Reg a, Reg b) {
  const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
  return _mm512_permutex2var_ps(a, even, b);
}
inline Reg odds(Reg a, Reg b) {
  const __m512i odd = _mm512_setr_epi32(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
  return _mm512_permutex2var_ps(a, odd, b);
}

#include "optimized/kernels/planes/body.inc"

}  // namespace

const PlaneFamily* planes_f32_avx512() {
  static constexpr PlaneFamily kFamily = make_family("planes_f32_avx512");
  return &kFamily;
}

}  // namespace concord::optimized
