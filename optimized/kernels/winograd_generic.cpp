// SPDX-License-Identifier: Apache-2.0
// Winograd's transforms in plain C++: vectors of four, in the compiler's own notation.
#include <stddef.h>
#include <string.h>

#include "optimized/kernels/winograd.h"

namespace concord::optimized {
namespace {

constexpr int64_t kLanes = 4;
typedef float Reg __attribute__((vector_size(4 * sizeof(float))));

inline Reg all(float value) { return Reg{value, value, value, value}; }
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
inline Reg multiply_add(Reg a, Reg b, Reg c) { return a * b + c; }
inline void store(float* to, Reg r) { memcpy(to, &r, sizeof r); }
inline void store_some(float* to, Reg r, int64_t count) {
  memcpy(to, &r, static_cast<size_t>(count) * sizeof(float));
}

#include "optimized/kernels/winograd_body.inc"

}  // namespace

const WinogradFamily* winograd_f32_generic() {
  static constexpr WinogradFamily kFamily = make_family("winograd_f32_generic");
  return &kFamily;
}

}  // namespace concord::optimized
