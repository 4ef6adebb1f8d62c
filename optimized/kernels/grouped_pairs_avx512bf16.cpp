// SPDX-License-Identifier: Apache-2.0
// Groups of 16 channels of bf16 for AVX512_BF16. One instruction adds the products of a pair of
// input channels to a sum, as in tile_avx512bf16.cpp.
#include <immintrin.h>
#include <stddef.h>

#include "optimized/kernels/grouped.h"

namespace concord::optimized {
namespace {

#include "optimized/kernels/halves_avx512.inc"

struct PairedBrain : SummedBrain {
  static constexpr size_t kChannels = 2;
  // A pair, which need not lie as an f32 would.
  static Reg spread_over_all(const PairedBrain* from) {
    int pair;
    __builtin_memcpy(&pair, from, sizeof pair);
    return _mm512_castsi512_ps(_mm512_set1_epi32(pair));
  }
};

using Element = PairedBrain;
inline Reg multiply_add(Reg a, Reg b, Reg c) {
  return _mm512_dpbf16_ps(c, (__m512bh)a, (__m512bh)b);
}

#include "optimized/kernels/grouped_body.inc"

}  // namespace

const GroupedFamily* grouped_pairs_avx512bf16() {
  static constexpr GroupedFamily kFamily =
      make_wide_family("grouped_pairs_avx512bf16", kBrainPairs);
  return &kFamily;
}

}  // namespace concord::optimized
