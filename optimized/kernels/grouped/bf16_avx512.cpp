// SPDX-License-Identifier: Apache-2.0
// Narrow groups of bf16 for AVX-512.
#include <immintrin.h>
#include <stddef.h>

#include "optimized/kernels/grouped/kernel.h"

namespace concord::optimized {
namespace {

#include "optimized/kernels/halves_avx512.inc"

using Element = SummedBf16;
inline Reg multiply_add(Reg a, Reg b, Reg c) { return _mm512_fmadd_ps(a, b, c); }

#include "optimized/kernels/grouped/body.inc"

}  // namespace

const GroupedFamily* grouped_bf16_avx512() {
  static constexpr GroupedFamily kFamily = make_family("grouped_bf16_avx512", kBf16);
  return &kFamily;
}

}  // namespace concord::optimized
