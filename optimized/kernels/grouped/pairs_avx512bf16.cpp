// SPDX-License-Identifier: Apache-2.0
// Groups of 16 channels of bf16 for AVX512_BF16. One instruction adds the products of a pair of
// input channels to a sum, as in kernels/direct/avx512bf16.cpp.
#include <immintrin.h>
#include <stddef.h>

#include "optimized/kernels/grouped/kernel.h"

namespace concord::optimized {
namespace {

#include "optimized/kernels/halves_avx512.inc"

struct PairedBf16 : SummedBf16 {
  static constexpr size_t kChannels = 2;
  // A pair, which need not lie as an f32 would.
  static Reg spread_over_all(const PairedBf16* from) {
    int pair;
    __builtin_memcpy(&pair, from, sizeof pair);
    return _mm512_castsi512_ps(_mm512_set1_epi32(pair));
  }
};

using Element = PairedBf16;
inline Reg multiply_add(Reg a, Reg b, Reg c) {
  return _mm512_dpbf16_ps(c, (__m512bh)a, (__m512bh)b);
}

#include "optimized/kernels/grouped/body.inc"

}  // namespace

const GroupedFamily* grouped_pairs_avx512bf16() {
  static constexpr GroupedFamily kFamily = make_wide_family("grouped_pairs_avx512bf16", kBf16Pairs);
  return &kFamily;
}

}  // namespace concord::optimized
