// SPDX-License-Identifier: Apache-2.0
#include <immintrin.h>

#include "conformance/oracle/tile.h"

namespace concord::conformance {
namespace {

using Reg = __m256d;
// 8 vectors of sums leave room for the operands among 16 registers.
constexpr size_t kLanes = 4, kVectors = 1, kCount = 4;

[[gnu::always_inline]] inline Reg load(const double* from) { return _mm256_loadu_pd(from); }
[[gnu::always_inline]] inline void store(double* to, Reg r) { _mm256_storeu_pd(to, r); }
[[gnu::always_inline]] inline Reg spread(double s) { return _mm256_set1_pd(s); }
[[gnu::always_inline]] inline Reg add(Reg a, Reg b) { return _mm256_add_pd(a, b); }
[[gnu::always_inline]] inline Reg multiply(Reg a, Reg b) { return _mm256_mul_pd(a, b); }
[[gnu::always_inline]] inline Reg absolute(Reg a) {
  return _mm256_andnot_pd(_mm256_set1_pd(-0.0), a);
}

#include "conformance/oracle/tile_body.inc"

}  // namespace

const TileKernel kTileAvx2{kVectors * kLanes, kCount, run_any};

}  // namespace concord::conformance
