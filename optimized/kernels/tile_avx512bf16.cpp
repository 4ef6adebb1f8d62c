// SPDX-License-Identifier: Apache-2.0
// Register tiles of bfloat16 pairs for AVX512_BF16. One instruction adds two products to a sum, the
// second of the pair first, each with one rounding to nearest; subnormal inputs and sums count as
// zero, whatever MXCSR says.
#include <immintrin.h>
#include <stddef.h>

#include "optimized/kernels/kernel.h"

namespace concord::optimized {
namespace {

#include "optimized/kernels/registers_avx512.inc"

constexpr int kMostPixels[] = {0, 14, 14, 9, 6};

// A pair, which need not lie as an f32 would.
inline Reg broadcast(const float* from) {
  int pair;
  __builtin_memcpy(&pair, from, sizeof pair);
  return _mm512_castsi512_ps(_mm512_set1_epi32(pair));
}
inline Reg multiply_add(Reg a, Reg b, Reg c) {
  return _mm512_dpbf16_ps(c, (__m512bh)a, (__m512bh)b);
}

#include "optimized/kernels/tile_body.inc"

}  // namespace

const TileFamily* tiles_bf16_avx512bf16() {
  static constexpr TileFamily kFamily = make_family("tiles_bf16_avx512bf16", 2);
  return &kFamily;
}

}  // namespace concord::optimized
