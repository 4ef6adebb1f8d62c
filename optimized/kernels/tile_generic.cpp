// SPDX-License-Identifier: Apache-2.0
// Register tiles in plain C++: vectors of four, in the compiler's own notation.
#include <string.h>

#include "optimized/kernels/kernel.h"

namespace concord::optimized {
namespace {

constexpr size_t kLanes = 4;
constexpr size_t kRegisters = 16;
typedef float Reg __attribute__((vector_size(4 * sizeof(float))));

inline Reg load(const float* from) {
  Reg r;
  memcpy(&r, from, sizeof r);
  return r;
}
inline Reg load_some(const float* from, int64_t count) {
  Reg r = {};
  memcpy(&r, from, static_cast<size_t>(count) * sizeof(float));
  return r;
}
inline Reg broadcast(const float* from) { return Reg{*from, *from, *from, *from}; }
inline Reg multiply_add(Reg a, Reg b, Reg c) { return a * b + c; }
inline void store(float* to, Reg r) { memcpy(to, &r, sizeof r); }
inline void store_some(float* to, Reg r, int64_t count) {
  memcpy(to, &r, static_cast<size_t>(count) * sizeof(float));
}

#include "optimized/kernels/tile_body.inc"

}  // namespace

const TileFamily* tiles_f32_generic() {
  static const TileFamily family = [] {
    TileFamily made = {"tiles_f32_generic", kLanes, 1, {0, 4, 4, 0, 0}, {}};
    add_kernels<1, 4>(&made);
    add_kernels<2, 4>(&made);
    return made;
  }();
  return &family;
}

}  // namespace concord::optimized
