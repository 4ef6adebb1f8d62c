// SPDX-License-Identifier: Apache-2.0
// Reorders of f64 for AVX2.
#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#include "optimized/kernels/reorders/kernel.h"

namespace concord::optimized {
namespace {

#include "optimized/kernels/registers_f64_avx2.inc"

void transpose_block(const double* from, int64_t from_stride, double* to, int64_t to_stride) {
  Reg r[4];
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) r[i] = load(from + i * from_stride);
#pragma GCC unroll 2
  for (int i = 0; i < 2; ++i) {
    const Reg low = i == 0 ? _mm256_unpacklo_pd(r[0], r[1]) : _mm256_unpackhi_pd(r[0], r[1]);
    const Reg high = i == 0 ? _mm256_unpacklo_pd(r[2], r[3]) : _mm256_unpackhi_pd(r[2], r[3]);
    store(to + i * to_stride, _mm256_permute2f128_pd(low, high, 0x20));
    store(to + (i + 2) * to_stride, _mm256_permute2f128_pd(low, high, 0x31));
  }
}

#include "optimized/kernels/reorders/blocks.inc"

}  // namespace

const ReorderFamily* reorders_f64_avx2() {
  static constexpr ReorderFamily kFamily = {
      "reorders_f64_avx2", transpose, transpose_out, nullptr, nullptr, nullptr, nullptr};
  return &kFamily;
}

}  // namespace concord::optimized
