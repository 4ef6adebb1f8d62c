// SPDX-License-Identifier: Apache-2.0
// Narrow groups for AVX2 and FMA.
#include <immintrin.h>
#include <stddef.h>

#include "optimized/kernels/grouped/kernel.h"

namespace concord::optimized {
namespace {

#include "optimized/kernels/registers_avx2.inc"

using Element = float;
inline Reg multiply_add(Reg a, Reg b, Reg c) { return _mm256_fmadd_ps(a, b, c); }

#define CONCORD_ADD_PRODUCT "vfmadd231ps"
#include "optimized/kernels/grouped/body.inc"

}  // namespace

const GroupedFamily* grouped_f32_avx2() {
  static constexpr GroupedFamily kFamily = make_family("grouped_f32_avx2", kSingle);
  return &kFamily;
}

}  // namespace concord::optimized
