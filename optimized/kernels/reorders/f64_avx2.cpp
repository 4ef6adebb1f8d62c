// SPDX-License-Identifier: Apache-2.0
// Reorders of f64 for AVX2.
#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#include "optimized/kernels/reorders/kernel.h"

namespace concord::optimized {
namespace {

#include "optimized/kernels/registers_f64_avx2.inc"

inline void turn(Reg (&r)[4]) {
  const Reg even_low = _mm256_unpacklo_pd(r[0], r[1]);
  const Reg even_high = _mm256_unpacklo_pd(r[2], r[3]);
  const Reg odd_low = _mm256_unpackhi_pd(r[0], r[1]);
  const Reg odd_high = _mm256_unpackhi_pd(r[2], r[3]);
  r[0] = _mm256_permute2f128_pd(even_low, even_high, 0x20);
  r[1] = _mm256_permute2f128_pd(odd_low, odd_high, 0x20);
  r[2] = _mm256_permute2f128_pd(even_low, even_high, 0x31);
  r[3] = _mm256_permute2f128_pd(odd_low, odd_high, 0x31);
}

#include "optimized/kernels/reorders/blocks.inc"
#include "optimized/kernels/reorders/rows.inc"

}  // namespace

const ReorderFamily* reorders_f64_avx2() {
  static constexpr ReorderFamily kFamily = {
      "reorders_f64_avx2", transpose, transpose_out, copy_rows, nullptr, nullptr, nullptr, nullptr};
  return &kFamily;
}

}  // namespace concord::optimized
