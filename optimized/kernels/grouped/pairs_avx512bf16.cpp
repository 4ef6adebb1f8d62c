// SPDX-License-Identifier: Apache-2.0
// Groups of 8 and 16 channels of bf16 for AVX512_BF16. One instruction adds the products of a pair
// of input channels to a sum, as in kernels/direct/avx512bf16.cpp.
#include <immintrin.h>
#include <stddef.h>

#include "optimized/kernels/grouped/kernel.h"

namespace concord::optimized {
namespace {

#include "optimized/kernels/halves_avx512.inc"

struct PairedBf16 : SummedBf16 {
  static constexpr size_t kChannels = 2;
  // A pair, which need not lie as an f32 would.
  static int pair_at(const PairedBf16* from) {
    int pair;
    __builtin_memcpy(&pair, from, sizeof pair);
    return pair;
  }
  static Reg spread_over_all(const PairedBf16* from) {
    return _mm512_castsi512_ps(_mm512_set1_epi32(pair_at(from)));
  }
  static __m256 spread_over_half(const PairedBf16* from) {
    return _mm256_castsi256_ps(_mm256_set1_epi32(pair_at(from)));
  }
  static __m256 add_half_product(__m256 x, __m256 w, __m256 sum) {
    return _mm256_dpbf16_ps(sum, (__m256bh)x, (__m256bh)w);
  }
  // The instruction rounds to nearest, ties to even; NaN stays NaN.
  static void write_half(PairedBf16* to, __m256 sum) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), (__m128i)_mm256_cvtneps_pbh(sum));
  }
};

using Element = PairedBf16;
inline Reg multiply_add(Reg a, Reg b, Reg c) {
  return _mm512_dpbf16_ps(c, (__m512bh)a, (__m512bh)b);
}

#include "optimized/kernels/grouped/body.inc"
#include "optimized/kernels/grouped/half_bands.inc"

}  // namespace

const GroupedFamily* grouped_pairs_avx512bf16() {
  static constexpr GroupedFamily kFamily =
      with_half_bands(make_wide_family("grouped_pairs_avx512bf16", kBf16Pairs));
  return &kFamily;
}

}  // namespace concord::optimized
