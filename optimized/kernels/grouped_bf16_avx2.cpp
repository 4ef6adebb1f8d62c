// SPDX-License-Identifier: Apache-2.0
// Narrow groups of bf16 for AVX2 and FMA.
#include <immintrin.h>
#include <stddef.h>
#include <string.h>

#include "optimized/kernels/grouped.h"

namespace concord::optimized {
namespace {

constexpr size_t kLanes = 8;
using Reg = __m256;
using Element = uint16_t;

inline Reg load(const float* from) { return _mm256_loadu_ps(from); }
inline Reg multiply_add(Reg a, Reg b, Reg c) { return _mm256_fmadd_ps(a, b, c); }
template <size_t W, size_t I>
inline Reg spread(Reg r) {
  if constexpr (W == 1) return r;
  if constexpr (W == 2) return _mm256_permute_ps(r, I == 0 ? 0xA0 : 0xF5);
  if constexpr (W == 4) return _mm256_permute_ps(r, static_cast<int>(I) * 0x55);
  return _mm256_permutevar8x32_ps(r, _mm256_set1_epi32(static_cast<int>(I)));
}

inline Reg widen(__m128i r) {
  return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(r), 16));
}
// As in moves_avx2.cpp: to nearest, ties to even; a NaN gets its quiet bit.
inline __m128i narrow(Reg r) {
  const __m256i bits = _mm256_castps_si256(r);
  const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
  const __m256i rounded = _mm256_add_epi32(bits, _mm256_add_epi32(odd, _mm256_set1_epi32(0x7FFF)));
  const __m256i quiet = _mm256_or_si256(bits, _mm256_set1_epi32(0x400000));
  const __m256i is_nan = _mm256_castps_si256(_mm256_cmp_ps(r, r, _CMP_UNORD_Q));
  const __m256i all = _mm256_srli_epi32(_mm256_blendv_epi8(rounded, quiet, is_nan), 16);
  return _mm_packus_epi32(_mm256_castsi256_si128(all), _mm256_extracti128_si256(all, 1));
}
inline Reg load(const Element* from) {
  return widen(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
}
inline Reg load_some(const Element* from, int64_t count) {
  Element copy[kLanes] = {};
  memcpy(copy, from, static_cast<size_t>(count) * sizeof(Element));
  return load(copy);
}
inline void store(Element* to, Reg r) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), narrow(r));
}
inline void store_some(Element* to, Reg r, int64_t count) {
  Element copy[kLanes];
  store(copy, r);
  memcpy(to, copy, static_cast<size_t>(count) * sizeof(Element));
}

constexpr uintptr_t kStreamed = 0;
inline void stream(Element*, Reg) {}
inline void end_streams() {}

#include "optimized/kernels/grouped_body.inc"

}  // namespace

const GroupedFamily* grouped_bf16_avx2() {
  static constexpr GroupedFamily kFamily = {
      "grouped_bf16_avx2",
      kLanes,
      kBrain,
      {{row<1, 0, 0>, row<1, 3, 1>, row<1, 3, 2>, row<1, 5, 1>, row<1, 5, 2>},
       {row<2, 0, 0>, row<2, 3, 1>, nullptr, nullptr, nullptr},
       {row<4, 0, 0>, row<4, 3, 1>, nullptr, nullptr, nullptr},
       {row<8, 0, 0>, row<8, 3, 1>, nullptr, nullptr, nullptr}}};
  return &kFamily;
}

}  // namespace concord::optimized
