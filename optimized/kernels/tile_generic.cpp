// SPDX-License-Identifier: Apache-2.0
// Register tiles in plain C++: vectors of four, in the compiler's own notation.
#include <stddef.h>
#include <string.h>

#include "optimized/kernels/kernel.h"

namespace concord::optimized {
namespace {

#include "optimized/kernels/registers_generic.inc"
#include "optimized/kernels/tile_parts.inc"

constexpr int kMostPixels[] = {0, 4, 4, 0, 0};
constexpr bool kRounds = false;
constexpr int64_t kWeightBytes = 4;
inline Reg broadcast(const float* from) { return all(*from); }
inline Reg as_packed(const char* from, int64_t) {
  return load(reinterpret_cast<const float*>(from));
}

#include "optimized/kernels/streak_none.inc"
#include "optimized/kernels/tile_body.inc"

}  // namespace

const TileFamily* tiles_f32_generic() {
  static constexpr TileFamily kFamily = make_family("tiles_f32_generic", 1);
  return &kFamily;
}

}  // namespace concord::optimized
