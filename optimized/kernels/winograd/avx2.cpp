// SPDX-License-Identifier: Apache-2.0
// Winograd's transforms for AVX2 and FMA.
#include <immintrin.h>
#include <stddef.h>

#include "optimized/kernels/winograd/kernel.h"

namespace concord::optimized {
namespace {

#include "optimized/kernels/registers_avx2.inc"

inline Reg multiply_add(Reg a, Reg b, Reg c) { return _mm256_fmadd_ps(a, b, c); }

#include "optimized/kernels/winograd/body.inc"

}  // namespace

const WinogradFamily* winograd_f32_avx2() {
  static constexpr WinogradFamily kFamily = make_family("winograd_f32_avx2");
  return &kFamily;
}

}  // namespace concord::optimized
