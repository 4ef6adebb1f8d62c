// SPDX-License-Identifier: Apache-2.0
// Winograd's transforms for AVX-512.
#include <immintrin.h>
#include <stddef.h>

#include "optimized/kernels/winograd.h"

namespace concord::optimized {
namespace {

constexpr int64_t kLanes = 16;
using Reg = __m512;

inline __mmask16 first(int64_t count) {
  return count <= 0 ? __mmask16{0} : static_cast<__mmask16>(0xFFFFU >> (16 - count));
}
inline Reg all(float value) { return _mm512_set1_ps(value); }
inline Reg load(const float* from) { return _mm512_loadu_ps(from); }
inline Reg load_some(const float* from, int64_t count) {
  return _mm512_maskz_loadu_ps(first(count), from);
}
inline Reg multiply_add(Reg a, Reg b, Reg c) { return _mm512_fmadd_ps(a, b, c); }
inline void store(float* to, Reg r) { _mm512_storeu_ps(to, r); }
inline void store_some(float* to, Reg r, int64_t count) {
  _mm512_mask_storeu_ps(to, first(count), r);
}

#include "optimized/kernels/winograd_body.inc"

}  // namespace

const WinogradFamily* winograd_f32_avx512() {
  static constexpr WinogradFamily kFamily = make_family("winograd_f32_avx512");
  return &kFamily;
}

}  // namespace concord::optimized
