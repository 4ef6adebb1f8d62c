// SPDX-License-Identifier: Apache-2.0
// Narrow groups of bf16 for AVX-512.
#include <immintrin.h>
#include <stddef.h>

#include "optimized/kernels/grouped.h"

namespace concord::optimized {
namespace {

constexpr size_t kLanes = 16;
using Reg = __m512;
using Element = uint16_t;
constexpr __mmask16 kAllLanes = 0xFFFF;

inline __mmask16 first(int64_t count) {
  return count <= 0 ? __mmask16{0} : static_cast<__mmask16>(0xFFFFU >> (16 - count));
}
inline Reg load(const float* from) { return _mm512_loadu_ps(from); }
inline Reg multiply_add(Reg a, Reg b, Reg c) { return _mm512_fmadd_ps(a, b, c); }
// Shuffles that write all lanes; the unmasked forms of GCC 12 begin with an undefined register.
template <size_t W, size_t I>
inline Reg spread(Reg r) {
  constexpr __mmask16 kAll = 0xFFFF;
  if constexpr (W == 1) return r;
  if constexpr (W == 2) return _mm512_maskz_permute_ps(kAll, r, I == 0 ? 0xA0 : 0xF5);
  if constexpr (W == 4) return _mm512_maskz_permute_ps(kAll, r, static_cast<int>(I) * 0x55);
  constexpr int kLow = static_cast<int>(I);
  constexpr int kHigh = kLow + 8;
  return _mm512_maskz_permutexvar_ps(
      kAll,
      _mm512_setr_epi32(kLow, kLow, kLow, kLow, kLow, kLow, kLow, kLow, kHigh, kHigh, kHigh, kHigh,
                        kHigh, kHigh, kHigh, kHigh),
      r);
}

inline Reg widen(__m256i r) {
  const __m512i bits = _mm512_maskz_cvtepu16_epi32(kAllLanes, r);
  return _mm512_castsi512_ps(_mm512_maskz_slli_epi32(kAllLanes, bits, 16));
}
// As in moves_avx512.cpp: to nearest, ties to even; a NaN gets its quiet bit.
inline __m256i narrow(Reg r) {
  const __m512i bits = _mm512_castps_si512(r);
  const __m512i odd =
      _mm512_and_epi32(_mm512_maskz_srli_epi32(kAllLanes, bits, 16), _mm512_set1_epi32(1));
  const __m512i rounded = _mm512_add_epi32(bits, _mm512_add_epi32(odd, _mm512_set1_epi32(0x7FFF)));
  const __m512i quiet = _mm512_or_epi32(bits, _mm512_set1_epi32(0x400000));
  const __mmask16 is_nan = _mm512_cmp_ps_mask(r, r, _CMP_UNORD_Q);
  const __m512i all = _mm512_mask_mov_epi32(rounded, is_nan, quiet);
  return _mm512_maskz_cvtepi32_epi16(kAllLanes, _mm512_maskz_srli_epi32(kAllLanes, all, 16));
}
inline Reg load(const Element* from) {
  return widen(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
}
inline Reg load_some(const Element* from, int64_t count) {
  return widen(_mm256_maskz_loadu_epi16(first(count), from));
}
inline void store(Element* to, Reg r) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), narrow(r));
}
inline void store_some(Element* to, Reg r, int64_t count) {
  _mm256_mask_storeu_epi16(to, first(count), narrow(r));
}

constexpr uintptr_t kStreamed = 0;
inline void stream(Element*, Reg) {}
inline void end_streams() {}

#include "optimized/kernels/grouped_body.inc"

}  // namespace

const GroupedFamily* grouped_bf16_avx512() {
  static constexpr GroupedFamily kFamily = {
      "grouped_bf16_avx512",
      kLanes,
      kBrain,
      {{row<1, 0, 0>, row<1, 3, 1>, row<1, 3, 2>, row<1, 5, 1>, row<1, 5, 2>},
       {row<2, 0, 0>, row<2, 3, 1>, nullptr, nullptr, nullptr},
       {row<4, 0, 0>, row<4, 3, 1>, row<4, 3, 2>, nullptr, nullptr},
       {row<8, 0, 0>, row<8, 3, 1>, nullptr, nullptr, nullptr}}};
  return &kFamily;
}

}  // namespace concord::optimized
