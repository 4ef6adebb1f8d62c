// SPDX-License-Identifier: Apache-2.0
// Planes of few channels in plain C++: vectors of four, in the compiler's own notation.
#include <stddef.h>
#include <string.h>

#include "optimized/kernels/planes/kernel.h"

namespace concord::optimized {
namespace {

#include "optimized/kernels/registers_generic.inc"

inline Reg evens(Reg a, Reg b) { return __builtin_shufflevector(a, b, 0, 2, 4, 6); }
inline Reg odds(Reg a, Reg b) { return __builtin_shufflevector(a, b, 1, 3, 5, 7); }

// In terms of those registers:
#include "optimized/kernels/planes/loaded_lanes.inc"
// And of all of these:
#include "optimized/kernels/planes/body.inc"

}  // namespace

const PlaneFamily* planes_f32_generic() {
  static constexpr PlaneFamily kFamily = make_family("planes_f32_generic");
  return &kFamily;
}

}  // namespace concord::optimized
