// SPDX-License-Identifier: Apache-2.0
// Reorders for AVX-512.
#include <immintrin.h>
#include <stddef.h>

#include "optimized/kernels/reorders/kernel.h"

namespace concord::optimized {
namespace {

#include "optimized/kernels/halves_avx512.inc"
#include "optimized/kernels/reorders/body.inc"

inline __m512 low_pairs(__m512 a, __m512 b) { return _mm512_maskz_unpacklo_ps(kAllLanes, a, b); }
inline __m512 high_pairs(__m512 a, __m512 b) { return _mm512_maskz_unpackhi_ps(kAllLanes, a, b); }
template <int SELECT>
inline __m512 halves(__m512 a, __m512 b) {
  return _mm512_maskz_shuffle_ps(kAllLanes, a, b, SELECT);
}
template <int SELECT>
inline __m512 quarters(__m512 a, __m512 b) {
  return _mm512_maskz_shuffle_f32x4(kAllLanes, a, b, SELECT);
}

// Transposes four times 4x4 elements of each group of four rows, then the 4x4 blocks themselves.
inline void turn(__m512 (&r)[16]) {
  __m512 t[16];
#pragma GCC unroll 4
  for (size_t i = 0; i < 16; i += 4) {
    const __m512 a = low_pairs(r[i], r[i + 1]);
    const __m512 b = high_pairs(r[i], r[i + 1]);
    const __m512 c = low_pairs(r[i + 2], r[i + 3]);
    const __m512 d = high_pairs(r[i + 2], r[i + 3]);
    t[i] = halves<0x44>(a, c);
    t[i + 1] = halves<0xEE>(a, c);
    t[i + 2] = halves<0x44>(b, d);
    t[i + 3] = halves<0xEE>(b, d);
  }
#pragma GCC unroll 4
  for (size_t i = 0; i < 4; ++i) {
    const __m512 a = quarters<0x88>(t[i], t[i + 4]);
    const __m512 b = quarters<0xDD>(t[i], t[i + 4]);
    const __m512 c = quarters<0x88>(t[i + 8], t[i + 12]);
    const __m512 d = quarters<0xDD>(t[i + 8], t[i + 12]);
    r[i] = quarters<0x88>(a, c);
    r[i + 4] = quarters<0x88>(b, d);
    r[i + 8] = quarters<0xDD>(a, c);
    r[i + 12] = quarters<0xDD>(b, d);
  }
}

#include "optimized/kernels/reorders/masked_blocks.inc"

}  // namespace

const ReorderFamily* reorders_avx512() {
  static constexpr ReorderFamily kFamily = {"reorders_avx512", transpose,   transpose_out,
                                            widen<Half>,       widen<Bf16>, narrow<Half>,
                                            narrow<Bf16>};
  return &kFamily;
}

}  // namespace concord::optimized
