// SPDX-License-Identifier: Apache-2.0
// Planes of few channels of f64 for AVX2.
#include <immintrin.h>
#include <stddef.h>

#include "optimized/kernels/planes/kernel.h"

namespace concord::optimized {
namespace {

#include "optimized/kernels/registers_f64_avx2.inc"

inline Reg load_between(const double* from, int64_t begin, int64_t end) {
  return _mm256_maskload_pd(from, _mm256_andnot_si256(first(begin), first(end)));
}
inline Reg evens(Reg a, Reg b) { return _mm256_permute4x64_pd(_mm256_shuffle_pd(a, b, 0), 0xD8); }
inline Reg odds(Reg a, Reg b) { return _mm256_permute4x64_pd(_mm256_shuffle_pd(a, b, 15), 0xD8); }

#include "optimized/kernels/planes/body.inc"

}  // namespace

const PlaneFamily* planes_f64_avx2() {
  static constexpr PlaneFamily kFamily = make_family("planes_f64_avx2");
  return &kFamily;
}

}  // namespace concord::optimized
