// SPDX-License-Identifier: Apache-2.0
#include <immintrin.h>

#include "conformance/oracle/tile.h"

namespace concord::conformance {
namespace {

using Reg = __m512d;
// 16 vectors of sums: enough of them to hide the latency of an addition.
constexpr size_t kLanes = 8, kVectors = 2, kCount = 4;

[[gnu::always_inline]] inline Reg load(const double* from) { return _mm512_loadu_pd(from); }
[[gnu::always_inline]] inline void store(double* to, Reg r) { _mm512_storeu_pd(to, r); }
[[gnu::always_inline]] inline Reg spread(double s) { return _mm512_set1_pd(s); }
[[gnu::always_inline]] inline Reg add(Reg a, Reg b) { return _mm512_add_pd(a, b); }
[[gnu::always_inline]] inline Reg multiply(Reg a, Reg b) { return _mm512_mul_pd(a, b); }
[[gnu::always_inline]] inline Reg absolute(Reg a) {
  return _mm512_andnot_pd(_mm512_set1_pd(-0.0), a);
}

#include "conformance/oracle/tile_body.inc"

}  // namespace

const TileKernel kTileAvx512{kVectors * kLanes, kCount, run_any};

}  // namespace concord::conformance
