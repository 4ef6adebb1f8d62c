// SPDX-License-Identifier: Apache-2.0
// Narrow groups of f16 for AVX2 and FMA.
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

inline Reg widen(__m128i r) { return _mm256_cvtph_ps(r); }
inline __m128i narrow(Reg r) {
  return _mm256_cvtps_ph(r, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
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

const GroupedFamily* grouped_f16_avx2() {
  static constexpr GroupedFamily kFamily = {
      "grouped_f16_avx2",
      kLanes,
      kHalf,
      {{row<1, 0, 0>, row<1, 3, 1>, row<1, 3, 2>, row<1, 5, 1>, row<1, 5, 2>},
       {row<2, 0, 0>, row<2, 3, 1>, nullptr, nullptr, nullptr},
       {row<4, 0, 0>, row<4, 3, 1>, nullptr, nullptr, nullptr},
       {row<8, 0, 0>, row<8, 3, 1>, nullptr, nullptr, nullptr}}};
  return &kFamily;
}

}  // namespace concord::optimized
