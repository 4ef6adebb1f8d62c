// SPDX-License-Identifier: Apache-2.0
// Narrow groups for AVX-512.
#include <immintrin.h>
#include <stddef.h>

#include "optimized/kernels/grouped.h"

namespace concord::optimized {
namespace {

constexpr size_t kLanes = 16;
using Element = float;
using Reg = __m512;

inline __mmask16 first(int64_t count) {
  return count <= 0 ? __mmask16{0} : static_cast<__mmask16>(0xFFFFU >> (16 - count));
}
inline Reg load(const float* from) { return _mm512_loadu_ps(from); }
inline Reg load_some(const float* from, int64_t count) {
  return _mm512_maskz_loadu_ps(first(count), from);
}
inline Reg multiply_add(Reg a, Reg b, Reg c) { return _mm512_fmadd_ps(a, b, c); }
inline void store(float* to, Reg r) { _mm512_storeu_ps(to, r); }
inline void store_some(float* to, Reg r, int64_t count) {
  _mm512_mask_storeu_ps(to, first(count), r);
}
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

constexpr uintptr_t kStreamed = 64;
inline void stream(float* to, Reg r) { _mm512_stream_ps(to, r); }
inline void end_streams() { _mm_sfence(); }

#include "optimized/kernels/grouped_body.inc"

}  // namespace

const GroupedFamily* grouped_f32_avx512() {
  static constexpr GroupedFamily kFamily = {
      "grouped_f32_avx512",
      kLanes,
      kSingle,
      {{row<1, 0, 0>, row<1, 3, 1>, row<1, 3, 2>, row<1, 5, 1>, row<1, 5, 2>},
       {row<2, 0, 0>, row<2, 3, 1>, nullptr, nullptr, nullptr},
       {row<4, 0, 0>, row<4, 3, 1>, row<4, 3, 2>, nullptr, nullptr},
       {row<8, 0, 0>, row<8, 3, 1>, nullptr, nullptr, nullptr}}};
  return &kFamily;
}

}  // namespace concord::optimized
