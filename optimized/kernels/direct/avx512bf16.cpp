// SPDX-License-Identifier: Apache-2.0
// Register tiles of bfloat16 pairs for AVX512_BF16. One instruction adds two products to a sum, the
// second of the pair first, each with one rounding to nearest; subnormal inputs and sums count as
// zero, whatever MXCSR says.
#include <immintrin.h>
#include <stddef.h>

#include "optimized/kernels/direct/kernel.h"

namespace concord::optimized {
namespace {

#include "optimized/kernels/registers_avx512.inc"
// In terms of those registers:
#include "optimized/kernels/direct/parts.inc"

constexpr KernelFacts kFacts = facts::tiles_bf16_avx512bf16;
constexpr bool kRounds = true;
constexpr bool kHalves = true;
constexpr int64_t kWeightBytes = 2;

// A pair, which need not lie as an f32 would.
inline int pair_at(const float* from) {
  int pair;
  __builtin_memcpy(&pair, from, sizeof pair);
  return pair;
}
inline Reg broadcast(const float* from) {
  return _mm512_castsi512_ps(_mm512_set1_epi32(pair_at(from)));
}
inline Reg multiply_add(Reg a, Reg b, Reg c) {
  return _mm512_dpbf16_ps(c, (__m512bh)a, (__m512bh)b);
}
inline HalfReg half_pixel(const float* from) { return (__m256)_mm256_set1_epi32(pair_at(from)); }
inline HalfReg add_half(HalfReg pixel, HalfReg weights, HalfReg sum) {
  return _mm256_dpbf16_ps(sum, (__m256bh)pixel, (__m256bh)weights);
}

// Each output channel's weights of two rows side by side.
inline Reg as_packed(const char* from, int64_t row) {
  const auto widened = [](const char* at) {
    return _mm512_maskz_cvtepu16_epi32(kAllLanes,
                                       _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at)));
  };
  const __m512i second = _mm512_maskz_slli_epi32(kAllLanes, widened(from + row / 2), 16);
  return _mm512_castsi512_ps(_mm512_or_epi32(widened(from), second));
}

// The instruction rounds to nearest, ties to even; NaN stays NaN.
inline void store_rounded(uint16_t* to, Reg r, int64_t count) {
  const auto bits = (__m256i)_mm512_cvtneps_pbh(r);
  if (count == kLanes) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), bits);
  } else {
    _mm256_mask_storeu_epi16(to, first(count), bits);
  }
}
inline void store_rounded(uint16_t* to, Reg low, Reg high, int64_t count) {
  const auto bits = (__m512i)_mm512_cvtne2ps_pbh(high, low);
  if (count == kLanes) {
    _mm512_storeu_si512(to, bits);
  } else {
    _mm512_mask_storeu_epi16(to, __mmask32{first(count)} << 16 | 0xFFFF, bits);
  }
}

#define CONCORD_ADD_PRODUCT "vdpbf16ps"
#define CONCORD_BROADCAST "vbroadcastss"
#define CONCORD_ELEMENT "4"
#define CONCORD_LANES "16"
#define CONCORD_HALF "8"
#include "optimized/kernels/direct/half_avx512.inc"
#include "optimized/kernels/direct/pipelined_avx512.inc"

template <size_t N, size_t M>
bool runs_faster(const TileCall& call) {
  return pipelined<N, M>(call) || (call.halves != 0 && runs_half<N, M>(call));
}

#include "optimized/kernels/direct/body.inc"

}  // namespace

const TileFamily* tiles_bf16_avx512bf16() {
  static constexpr TileFamily kFamily = make_family("tiles_bf16_avx512bf16");
  return &kFamily;
}

}  // namespace concord::optimized
