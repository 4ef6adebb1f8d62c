// SPDX-License-Identifier: Apache-2.0
// Planes of few channels for AVX2.
#include <immintrin.h>
#include <stddef.h>

#include "optimized/kernels/planes/kernel.h"

namespace concord::optimized {
namespace {

#include "optimized/kernels/registers_avx2.inc"

inline Reg multiply_add(Reg a, Reg b, Reg c) { return _mm256_fmadd_ps(a, b, c); }
inline Reg load_between(const float* from, int64_t begin, int64_t end) {
  return _mm256_maskload_ps(from, _mm256_andnot_si256(first(begin), first(end)));
}
inline Reg evens(Reg a, Reg b) {
  const __m256d by_halves = _mm256_castps_pd(_mm256_shuffle_ps(a, b, 0x88));
  return _mm256_castpd_ps(_mm256_permute4x64_pd(by_halves, 0xD8));
}

#include "optimized/kernels/planes/body.inc"

}  // namespace

const PlaneFamily* planes_f32_avx2() {
  static constexpr PlaneFamily kFamily = make_family("planes_f32_avx2");
  return &kFamily;
}

}  // namespace concord::optimized
