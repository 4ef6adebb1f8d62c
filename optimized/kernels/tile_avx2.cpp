// SPDX-License-Identifier: Apache-2.0
// Register tiles for AVX2 and FMA: 16 registers, so up to 12 sums beside the weights and one pixel.
#include <immintrin.h>
#include <stddef.h>

#include "optimized/kernels/kernel.h"

namespace concord::optimized {
namespace {

constexpr size_t kLanes = 8;
constexpr size_t kRegisters = 16;
using Reg = __m256;

inline __m256i first(int64_t count) {
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(count)),
                            _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
inline Reg load(const float* from) { return _mm256_loadu_ps(from); }
inline Reg load_some(const float* from, int64_t count) {
  return _mm256_maskload_ps(from, first(count));
}
inline Reg broadcast(const float* from) { return _mm256_broadcast_ss(from); }
inline Reg multiply_add(Reg a, Reg b, Reg c) { return _mm256_fmadd_ps(a, b, c); }
inline void store(float* to, Reg r) { _mm256_storeu_ps(to, r); }
inline void store_some(float* to, Reg r, int64_t count) {
  _mm256_maskstore_ps(to, first(count), r);
}

#include "optimized/kernels/tile_body.inc"

}  // namespace

const TileFamily* tiles_f32_avx2() {
  static const TileFamily family = [] {
    TileFamily made = {"tiles_f32_avx2", kLanes, 1, {0, 10, 6, 4, 0}, {}};
    add_kernels<1, 10>(&made);
    add_kernels<2, 6>(&made);
    add_kernels<3, 4>(&made);
    return made;
  }();
  return &family;
}

}  // namespace concord::optimized
