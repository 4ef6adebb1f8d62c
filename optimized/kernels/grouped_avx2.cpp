// SPDX-License-Identifier: Apache-2.0
// Narrow groups for AVX2 and FMA.
#include <immintrin.h>
#include <stddef.h>

#include "optimized/kernels/grouped.h"

namespace concord::optimized {
namespace {

constexpr size_t kLanes = 8;
using Element = float;
using Reg = __m256;

inline __m256i first(int64_t count) {
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(count)),
                            _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
inline Reg load(const float* from) { return _mm256_loadu_ps(from); }
inline Reg load_some(const float* from, int64_t count) {
  return _mm256_maskload_ps(from, first(count));
}
inline Reg multiply_add(Reg a, Reg b, Reg c) { return _mm256_fmadd_ps(a, b, c); }
inline void store(float* to, Reg r) { _mm256_storeu_ps(to, r); }
inline void store_some(float* to, Reg r, int64_t count) {
  _mm256_maskstore_ps(to, first(count), r);
}
template <size_t W, size_t I>
inline Reg spread(Reg r) {
  if constexpr (W == 1) return r;
  if constexpr (W == 2) return _mm256_permute_ps(r, I == 0 ? 0xA0 : 0xF5);
  if constexpr (W == 4) return _mm256_permute_ps(r, static_cast<int>(I) * 0x55);
  return _mm256_permutevar8x32_ps(r, _mm256_set1_epi32(static_cast<int>(I)));
}

constexpr uintptr_t kStreamed = 0;
inline void stream(Element*, Reg) {}
inline void end_streams() {}

#include "optimized/kernels/grouped_body.inc"

}  // namespace

const GroupedFamily* grouped_f32_avx2() {
  static constexpr GroupedFamily kFamily = {
      "grouped_f32_avx2",
      kLanes,
      kSingle,
      {{row<1, 0, 0>, row<1, 3, 1>, row<1, 3, 2>, row<1, 5, 1>, row<1, 5, 2>},
       {row<2, 0, 0>, row<2, 3, 1>, nullptr, nullptr, nullptr},
       {row<4, 0, 0>, row<4, 3, 1>, nullptr, nullptr, nullptr},
       {row<8, 0, 0>, row<8, 3, 1>, nullptr, nullptr, nullptr}}};
  return &kFamily;
}

}  // namespace concord::optimized
