// SPDX-License-Identifier: Apache-2.0
// Narrow groups of f16 for AVX-512.
#include <immintrin.h>
#include <stddef.h>

#include "optimized/kernels/grouped/kernel.h"

namespace concord::optimized {
namespace {

#include "optimized/kernels/halves_avx512.inc"

using Element = Half;
inline Reg multiply_add(Reg a, Reg b, Reg c) { return _mm512_fmadd_ps(a, b, c); }

#include "optimized/kernels/grouped/body.inc"

}  // namespace

const GroupedFamily* grouped_f16_avx512() {
  static constexpr GroupedFamily kFamily = make_family("grouped_f16_avx512", kHalf);
  return &kFamily;
}

}  // namespace concord::optimized
