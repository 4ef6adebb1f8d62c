// SPDX-License-Identifier: Apache-2.0
// Register tiles of f64 for AVX2 and FMA: 16 registers, so up to 12 sums beside the weights and one
// pixel.
#include <immintrin.h>
#include <stddef.h>

#include "optimized/kernels/direct/kernel.h"

namespace concord::optimized {
namespace {

#include "optimized/kernels/registers_f64_avx2.inc"
// In terms of those registers:
#include "optimized/kernels/direct/parts.inc"

constexpr KernelFacts kFacts = facts::tiles_f64_avx2;
constexpr bool kRounds = false;
constexpr bool kHalves = false;
constexpr int64_t kWeightBytes = 8;
inline Reg broadcast(const double* from) { return _mm256_broadcast_sd(from); }
inline Reg as_packed(const char* from, int64_t) {
  return load(reinterpret_cast<const double*>(from));
}

#include "optimized/kernels/direct/stretches.inc"
#define CONCORD_ADD_PRODUCT "vfmadd231pd"
#define CONCORD_BROADCAST "vbroadcastsd"
#define CONCORD_ELEMENT "8"
#include "optimized/kernels/direct/stretched_tiles_avx2.inc"
// In terms of all of these:
#include "optimized/kernels/direct/body.inc"

}  // namespace

const TileFamily* tiles_f64_avx2() {
  static constexpr TileFamily kFamily = make_family("tiles_f64_avx2");
  return &kFamily;
}

}  // namespace concord::optimized
