// SPDX-License-Identifier: Apache-2.0
// Narrow groups for AVX-512.
#include <immintrin.h>
#include <stddef.h>

#include "optimized/kernels/grouped/kernel.h"

namespace concord::optimized {
namespace {

#include "optimized/kernels/registers_avx512.inc"

using Element = float;
inline Reg multiply_add(Reg a, Reg b, Reg c) { return _mm512_fmadd_ps(a, b, c); }

#include "optimized/kernels/grouped/body.inc"
#include "optimized/kernels/grouped/half_bands.inc"

}  // namespace

const GroupedFamily* grouped_f32_avx512() {
  static constexpr GroupedFamily kFamily =
      with_half_bands(make_family("grouped_f32_avx512", kSingle));
  return &kFamily;
}

}  // namespace concord::optimized
