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
// What a shuffle took from both halves of each, in order.
inline Reg in_order(Reg by_halves) {
  return _mm256_castpd_ps(_mm256_permute4x64_pd(_mm256_castps_pd(by_halves), 0xD8));
}
inline Reg evens(Reg a, Reg b) { return in_order(_mm256_shuffle_ps(a, b, 0x88)); }
inline Reg odds(Reg a, Reg b) { return in_order(_mm256_shuffle_ps(a, b, 0xDD)); }

#include "optimized/kernels/planes/body.inc"

}  // namespace

const PlaneFamily* planes_f32_avx2() {
  static constexpr PlaneFamily kFamily = make_family("planes_f32_avx2");
  return &kFamily;
}

}  // namespace concord::optimized
