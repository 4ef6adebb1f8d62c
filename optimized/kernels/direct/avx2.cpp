// SPDX-License-Identifier: Apache-2.0
// Register tiles for AVX2 and FMA: 16 registers, so up to 12 sums beside the weights and one pixel.
#include <immintrin.h>
#include <stddef.h>

#include "optimized/kernels/direct/kernel.h"

namespace concord::optimized {
namespace {

#include "optimized/kernels/registers_avx2.inc"
// In terms of those registers:
#include "optimized/kernels/direct/parts.inc"

constexpr KernelFacts kFacts = facts::tiles_f32_avx2;
constexpr bool kRounds = false;
constexpr bool kHalves = false;
constexpr int64_t kWeightBytes = 4;
inline Reg broadcast(const float* from) { return _mm256_broadcast_ss(from); }
inline Reg multiply_add(Reg a, Reg b, Reg c) { return _mm256_fmadd_ps(a, b, c); }
inline Reg as_packed(const char* from, int64_t) {
  return load(reinterpret_cast<const float*>(from));
}

#include "optimized/kernels/direct/stretches.inc"
#define CONCORD_ADD_PRODUCT "vfmadd231ps"
#define CONCORD_BROADCAST "vbroadcastss"
#define CONCORD_ELEMENT "4"
#include "optimized/kernels/direct/stretched_tiles_avx2.inc"
// In terms of all of these:
#include "optimized/kernels/direct/body.inc"

}  // namespace

const TileFamily* tiles_f32_avx2() {
  static constexpr TileFamily kFamily = make_family("tiles_f32_avx2");
  return &kFamily;
}

}  // namespace concord::optimized
