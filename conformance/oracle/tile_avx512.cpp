// SPDX-License-Identifier: Apache-2.0
#include <immintrin.h>

#include "conformance/oracle/tile.h"

namespace concord::conformance {
namespace {

// 24 vectors of sums: as many as leave room for the operands among 32 registers.

#include "conformance/oracle/look_body.inc"

namespace wide {

using Number = double;
using Reg = __m512d;
constexpr size_t kLanes = 8, kVectors = 2, kCount = 5;

[[gnu::always_inline]] inline Reg load(const Number* from) { return _mm512_loadu_pd(from); }
[[gnu::always_inline]] inline void store(Number* to, Reg r) { _mm512_storeu_pd(to, r); }
[[gnu::always_inline]] inline Reg spread(Number s) { return _mm512_set1_pd(s); }
[[gnu::always_inline]] inline Reg multiply_add(Reg a, Reg b, Reg c) {
  return _mm512_fmadd_pd(a, b, c);
}
[[gnu::always_inline]] inline Reg absolute(Reg a) {
  return _mm512_andnot_pd(_mm512_set1_pd(-0.0), a);
}

#include "conformance/oracle/tile_body.inc"

}  // namespace wide

namespace narrow {

using Number = float;
using Reg = __m512;
constexpr size_t kLanes = 16, kVectors = 2, kCount = 6;

[[gnu::always_inline]] inline Reg load(const Number* from) { return _mm512_loadu_ps(from); }
[[gnu::always_inline]] inline void store(Number* to, Reg r) { _mm512_storeu_ps(to, r); }
[[gnu::always_inline]] inline Reg spread(Number s) { return _mm512_set1_ps(s); }
[[gnu::always_inline]] inline Reg multiply_add(Reg a, Reg b, Reg c) {
  return _mm512_fmadd_ps(a, b, c);
}
[[gnu::always_inline]] inline Reg absolute(Reg a) {
  return _mm512_andnot_ps(_mm512_set1_ps(-0.0F), a);
}

// The same text for another type. NOLINTNEXTLINE(readability-duplicate-include)
#include "conformance/oracle/tile_body.inc"

}  // namespace narrow

}  // namespace

const TileKernel<double> kTileAvx512{wide::kVectors * wide::kLanes, wide::kCount, wide::run_any,
                                     look};
const TileKernel<float> kExactTileAvx512{narrow::kVectors * narrow::kLanes, narrow::kCount,
                                         narrow::run_any, look};

}  // namespace concord::conformance
