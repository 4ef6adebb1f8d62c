// SPDX-License-Identifier: Apache-2.0
// Planes of few channels of f64 for AVX-512.
#include <immintrin.h>
#include <stddef.h>

#include "optimized/kernels/planes/kernel.h"

namespace concord::optimized {
namespace {

#include "optimized/kernels/registers_f64_avx512.inc"

inline Reg load_between(const double* from, int64_t begin, int64_t end) {
  return load_masked(from, static_cast<Mask>(first(end) & ~first(begin)));
}
inline Reg evens(Reg a, Reg b) {
  return _mm512_permutex2var_pd(a, _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14), b);
}
inline Reg odds(Reg a, Reg b) {
  return _mm512_permutex2var_pd(a, _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15), b);
}

#include "optimized/kernels/planes/body.inc"

}  // namespace

const PlaneFamily* planes_f64_avx512() {
  static constexpr PlaneFamily kFamily = make_family("planes_f64_avx512");
  return &kFamily;
}

}  // namespace concord::optimized
