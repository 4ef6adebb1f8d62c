// SPDX-License-Identifier: Apache-2.0
// Register tiles in plain C++: vectors of four, in the compiler's own notation.
#include <stddef.h>
#include <string.h>

#include "optimized/kernels/direct/kernel.h"

namespace concord::optimized {
namespace {

#include "optimized/kernels/registers_generic.inc"
// In terms of those registers:
#include "optimized/kernels/direct/parts.inc"

constexpr KernelFacts kFacts = facts::tiles_f32_generic;
constexpr bool kRounds = false;
constexpr bool kHalves = false;
constexpr int64_t kWeightBytes = 4;
inline Reg broadcast(const float* from) { return all(*from); }
inline Reg as_packed(const char* from, int64_t) {
  return load(reinterpret_cast<const float*>(from));
}

#include "optimized/kernels/direct/stretches.inc"
// Of those stretches:
#include "optimized/kernels/direct/stretched_tiles.inc"
// In terms of all of these:
#include "optimized/kernels/direct/body.inc"

}  // namespace

const TileFamily* tiles_f32_generic() {
  static constexpr TileFamily kFamily = make_family("tiles_f32_generic");
  return &kFamily;
}

}  // namespace concord::optimized
