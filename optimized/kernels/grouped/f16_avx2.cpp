// SPDX-License-Identifier: Apache-2.0
// Narrow groups of f16 for AVX2 and FMA.
#include <immintrin.h>
#include <stddef.h>
#include <string.h>

#include "optimized/kernels/grouped/kernel.h"

namespace concord::optimized {
namespace {

#include "optimized/kernels/halves_avx2.inc"

using Element = Half;
inline Reg multiply_add(Reg a, Reg b, Reg c) { return _mm256_fmadd_ps(a, b, c); }

#include "optimized/kernels/grouped/body.inc"

}  // namespace

const GroupedFamily* grouped_f16_avx2() {
  static constexpr GroupedFamily kFamily = make_family("grouped_f16_avx2", kHalf);
  return &kFamily;
}

}  // namespace concord::optimized
