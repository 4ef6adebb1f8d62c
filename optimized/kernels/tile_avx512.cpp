// SPDX-License-Identifier: Apache-2.0
// Register tiles for AVX-512: 32 registers, so up to 28 sums beside the weights and one pixel.
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
inline Reg broadcast(const float* from) { return _mm512_set1_ps(*from); }
inline Reg multiply_add(Reg a, Reg b, Reg c) { return _mm512_fmadd_ps(a, b, c); }
inline void store(float* to, Reg r) { _mm512_storeu_ps(to, r); }
inline void store_some(float* to, Reg r, int64_t count) {
  _mm512_mask_storeu_ps(to, first(count), r);
}

#include "optimized/kernels/tile_body.inc"

}  // namespace

const TileFamily* tiles_f32_avx512() {
  static const TileFamily family = [] {
    TileFamily made = {"tiles_f32_avx512", kLanes, 1, {0, 14, 14, 9, 6}, {}};
    add_kernels<1, 14>(&made);
    add_kernels<2, 14>(&made);
    add_kernels<3, 9>(&made);
    add_kernels<4, 6>(&made);
    return made;
  }();
  return &family;
}

}  // namespace concord::optimized
