// SPDX-License-Identifier: Apache-2.0
// Narrow groups in plain C++: vectors of four, in the compiler's own notation.
#include <stddef.h>
#include <string.h>

#include "optimized/kernels/grouped.h"

namespace concord::optimized {
namespace {

constexpr size_t kLanes = 4;
using Element = float;
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
inline Reg multiply_add(Reg a, Reg b, Reg c) { return a * b + c; }
inline void store(float* to, Reg r) { memcpy(to, &r, sizeof r); }
inline void store_some(float* to, Reg r, int64_t count) {
  memcpy(to, &r, static_cast<size_t>(count) * sizeof(float));
}
template <size_t W, size_t I>
inline Reg spread(Reg r) {
  if constexpr (W == 1) return r;
  constexpr int kFirst = static_cast<int>(I);
  constexpr int kSecond = static_cast<int>(2 / W * W + I);
  return __builtin_shufflevector(r, r, kFirst, kFirst, kSecond, kSecond);
}

constexpr uintptr_t kStreamed = 0;
inline void stream(Element*, Reg) {}
inline void end_streams() {}

#include "optimized/kernels/grouped_body.inc"

}  // namespace

const GroupedFamily* grouped_f32_generic() {
  static constexpr GroupedFamily kFamily = {
      "grouped_f32_generic",
      kLanes,
      kSingle,
      {{row<1, 0, 0>, row<1, 3, 1>, row<1, 3, 2>, nullptr, nullptr},
       {row<2, 0, 0>, nullptr, nullptr, nullptr, nullptr},
       {row<4, 0, 0>, nullptr, nullptr, nullptr, nullptr},
       {nullptr, nullptr, nullptr, nullptr, nullptr}}};
  return &kFamily;
}

}  // namespace concord::optimized
