// SPDX-License-Identifier: Apache-2.0
// Register tiles for aarch64's Advanced SIMD: 32 registers, so up to 28 sums beside the weights and
// one pixel.
#include <arm_neon.h>
#include <stddef.h>
#include <string.h>

#include "optimized/kernels/direct/kernel.h"

namespace concord::optimized {
namespace {

#include "optimized/kernels/registers_neon.inc"
// In terms of those registers:
#include "optimized/kernels/direct/parts.inc"

constexpr KernelFacts kFacts = facts::tiles_f32_neon;
constexpr bool kRounds = false;
constexpr bool kHalves = false;
constexpr int64_t kWeightBytes = 4;
inline Reg broadcast(const float* from) { return vld1q_dup_f32(from); }
inline Reg as_packed(const char* from, int64_t) {
  return load(reinterpret_cast<const float*>(from));
}

#include "optimized/kernels/direct/stretches.inc"
// Of those stretches:
#include "optimized/kernels/direct/stretched_tiles.inc"
// In terms of all of these:
#include "optimized/kernels/direct/body.inc"

}  // namespace

const TileFamily* tiles_f32_neon() {
  static constexpr TileFamily kFamily = make_family("tiles_f32_neon");
  return &kFamily;
}

}  // namespace concord::optimized
