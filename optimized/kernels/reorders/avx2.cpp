// SPDX-License-Identifier: Apache-2.0
// Reorders for AVX2 and F16C.
#include <immintrin.h>
#include <stddef.h>
#include <string.h>

#include "optimized/kernels/reorders/kernel.h"

namespace concord::optimized {
namespace {

#include "optimized/kernels/halves_avx2.inc"
#include "optimized/kernels/reorders/body.inc"

inline void turn(__m256 (&r)[8]) {
  __m256 t[8];
#pragma GCC unroll 2
  for (int i = 0; i < 8; i += 4) {
    const __m256 a = _mm256_unpacklo_ps(r[i], r[i + 1]);
    const __m256 b = _mm256_unpackhi_ps(r[i], r[i + 1]);
    const __m256 c = _mm256_unpacklo_ps(r[i + 2], r[i + 3]);
    const __m256 d = _mm256_unpackhi_ps(r[i + 2], r[i + 3]);
    t[i] = _mm256_shuffle_ps(a, c, 0x44);
    t[i + 1] = _mm256_shuffle_ps(a, c, 0xEE);
    t[i + 2] = _mm256_shuffle_ps(b, d, 0x44);
    t[i + 3] = _mm256_shuffle_ps(b, d, 0xEE);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    r[i] = _mm256_permute2f128_ps(t[i], t[i + 4], 0x20);
    r[i + 4] = _mm256_permute2f128_ps(t[i], t[i + 4], 0x31);
  }
}

#include "optimized/kernels/reorders/blocks.inc"
#include "optimized/kernels/reorders/rows.inc"

}  // namespace

const ReorderFamily* reorders_avx2() {
  static constexpr ReorderFamily kFamily = {"reorders_avx2", transpose,   transpose_out,
                                            copy_rows,       widen<Half>, widen<Bf16>,
                                            narrow<Half>,    narrow<Bf16>};
  return &kFamily;
}

}  // namespace concord::optimized
