// SPDX-License-Identifier: Apache-2.0
// Planes of few channels for aarch64's Advanced SIMD.
#include <arm_neon.h>
#include <stddef.h>
#include <string.h>

#include "optimized/kernels/planes/kernel.h"

namespace concord::optimized {
namespace {

#include "optimized/kernels/registers_neon.inc"

inline Reg evens(Reg a, Reg b) { return vuzp1q_f32(a, b); }
inline Reg odds(Reg a, Reg b) { return vuzp2q_f32(a, b); }

// In terms of those registers:
#include "optimized/kernels/planes/loaded_lanes.inc"
// And of all of these:
#include "optimized/kernels/planes/body.inc"

}  // namespace

const PlaneFamily* planes_f32_neon() {
  static constexpr PlaneFamily kFamily = make_family("planes_f32_neon");
  return &kFamily;
}

}  // namespace concord::optimized
