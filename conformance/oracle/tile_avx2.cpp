// SPDX-License-Identifier: Apache-2.0
#include <immintrin.h>

#include "conformance/oracle/tile.h"

namespace concord::conformance {
namespace {

// 8 vectors of sums leave room for the operands among 16 registers.

#include "conformance/oracle/look_body.inc"

namespace wide {

using Number = double;
using Reg = __m256d;
constexpr size_t kLanes = 4, kVectors = 1, kCount = 4;

[[gnu::always_inline]] inline Reg load(const Number* from) { return _mm256_loadu_pd(from); }
[[gnu::always_inline]] inline void store(Number* to, Reg r) { _mm256_storeu_pd(to, r); }
[[gnu::always_inline]] inline Reg spread(Number s) { return _mm256_set1_pd(s); }
[[gnu::always_inline]] inline Reg multiply_add(Reg a, Reg b, Reg c) {
  return _mm256_fmadd_pd(a, b, c);
}
[[gnu::always_inline]] inline Reg absolute(Reg a) {
  return _mm256_andnot_pd(_mm256_set1_pd(-0.0), a);
}

#include "conformance/oracle/tile_body.inc"

}  // namespace wide

namespace narrow {

using Number = float;
using Reg = __m256;
constexpr size_t kLanes = 8, kVectors = 1, kCount = 4;

[[gnu::always_inline]] inline Reg load(const Number* from) { return _mm256_loadu_ps(from); }
[[gnu::always_inline]] inline void store(Number* to, Reg r) { _mm256_storeu_ps(to, r); }
[[gnu::always_inline]] inline Reg spread(Number s) { return _mm256_set1_ps(s); }
[[gnu::always_inline]] inline Reg multiply_add(Reg a, Reg b, Reg c) {
  return _mm256_fmadd_ps(a, b, c);
}
[[gnu::always_inline]] inline Reg absolute(Reg a) {
  return _mm256_andnot_ps(_mm256_set1_ps(-0.0F), a);
}

// The same text for another type. NOLINTNEXTLINE(readability-duplicate-include)
#include "conformance/oracle/tile_body.inc"

}  // namespace narrow

}  // namespace

const TileKernel<double> kTileAvx2{wide::kVectors * wide::kLanes, wide::kCount, wide::run_any,
                                   look};
const TileKernel<float> kExactTileAvx2{narrow::kVectors * narrow::kLanes, narrow::kCount,
                                       narrow::run_any, look};

}  // namespace concord::conformance
