// SPDX-License-Identifier: Apache-2.0
// Winograd's transforms for AVX2 and FMA.
#include <immintrin.h>
#include <stddef.h>

#include "optimized/kernels/winograd.h"

namespace concord::optimized {
namespace {

constexpr int64_t kLanes = 8;
using Reg = __m256;

inline __m256i first(int64_t count) {
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(count)),
                            _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
inline Reg all(float value) { return _mm256_set1_ps(value); }
inline Reg load(const float* from) { return _mm256_loadu_ps(from); }
inline Reg load_some(const float* from, int64_t count) {
  return _mm256_maskload_ps(from, first(count));
}
inline Reg multiply_add(Reg a, Reg b, Reg c) { return _mm256_fmadd_ps(a, b, c); }
inline void store(float* to, Reg r) { _mm256_storeu_ps(to, r); }
inline void store_some(float* to, Reg r, int64_t count) {
  _mm256_maskstore_ps(to, first(count), r);
}

#include "optimized/kernels/winograd_body.inc"

}  // namespace

const WinogradFamily* winograd_f32_avx2() {
  static constexpr WinogradFamily kFamily = make_family("winograd_f32_avx2");
  return &kFamily;
}

}  // namespace concord::optimized
