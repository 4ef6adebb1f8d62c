// SPDX-License-Identifier: Apache-2.0
// Register tiles of bfloat16 pairs for AVX512_BF16. One instruction adds two products to a sum, the
// second of the pair first, each with one rounding to nearest; subnormal inputs and sums count as
// zero, whatever MXCSR says.
#include <immintrin.h>
#include <stddef.h>

#include "optimized/kernels/kernel.h"

namespace concord::optimized {
namespace {

constexpr size_t kLanes = 16;
constexpr size_t kRegisters = 32;
using Reg = __m512;

inline __mmask16 first(int64_t count) {
  return count <= 0 ? __mmask16{0} : static_cast<__mmask16>(0xFFFFU >> (16 - count));
}
inline Reg load(const float* from) { return _mm512_loadu_ps(from); }
inline Reg load_some(const float* from, int64_t count) {
  return _mm512_maskz_loadu_ps(first(count), from);
}
// A pair, which need not lie as an f32 would.
inline Reg broadcast(const float* from) {
  int pair;
  __builtin_memcpy(&pair, from, sizeof pair);
  return _mm512_castsi512_ps(_mm512_set1_epi32(pair));
}
inline Reg multiply_add(Reg a, Reg b, Reg c) {
  return _mm512_dpbf16_ps(c, (__m512bh)a, (__m512bh)b);
}
inline void store(float* to, Reg r) { _mm512_storeu_ps(to, r); }
inline void store_some(float* to, Reg r, int64_t count) {
  _mm512_mask_storeu_ps(to, first(count), r);
}

#include "optimized/kernels/tile_body.inc"

}  // namespace

const TileFamily* tiles_bf16_avx512bf16() {
  static const TileFamily family = [] {
    TileFamily made = {"tiles_bf16_avx512bf16", kLanes, 2, {0, 14, 14, 9, 6}, {}};
    add_kernels<1, 14>(&made);
    add_kernels<2, 14>(&made);
    add_kernels<3, 9>(&made);
    add_kernels<4, 6>(&made);
    return made;
  }();
  return &family;
}

}  // namespace concord::optimized
