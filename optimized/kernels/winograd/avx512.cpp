// SPDX-License-Identifier: Apache-2.0
// Winograd's transforms for AVX-512.
#include <immintrin.h>
#include <stddef.h>

#include "optimized/kernels/winograd/kernel.h"

namespace concord::optimized {
namespace {

#include "optimized/kernels/registers_avx512.inc"

inline Reg multiply_add(Reg a, Reg b, Reg c) { return _mm512_fmadd_ps(a, b, c); }

#include "optimized/kernels/winograd/body.inc"

}  // namespace

const WinogradFamily* winograd_f32_avx512() {
  static constexpr WinogradFamily kFamily = make_family("winograd_f32_avx512");
  return &kFamily;
}

}  // namespace concord::optimized
