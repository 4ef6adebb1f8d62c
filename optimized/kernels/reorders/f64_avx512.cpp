// SPDX-License-Identifier: Apache-2.0
// Reorders of f64 for AVX-512.
#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#include "optimized/kernels/reorders/kernel.h"

namespace concord::optimized {
namespace {

#include "optimized/kernels/registers_f64_avx512.inc"

template <int SELECT>
inline Reg quarters(Reg a, Reg b) {
  return _mm512_maskz_shuffle_f64x2(kAllLanes, a, b, SELECT);
}

// Transposes four times 2x2 elements of each pair of rows, then the 4x4 blocks of two themselves.
inline void turn(Reg (&r)[8]) {
  Reg t[8];
#pragma GCC unroll 4
  for (size_t i = 0; i < 8; i += 2) {
    t[i] = _mm512_maskz_unpacklo_pd(kAllLanes, r[i], r[i + 1]);
    t[i + 1] = _mm512_maskz_unpackhi_pd(kAllLanes, r[i], r[i + 1]);
  }
#pragma GCC unroll 2
  for (size_t i = 0; i < 2; ++i) {
    const Reg a = quarters<0x88>(t[i], t[i + 2]);
    const Reg b = quarters<0xDD>(t[i], t[i + 2]);
    const Reg c = quarters<0x88>(t[i + 4], t[i + 6]);
    const Reg d = quarters<0xDD>(t[i + 4], t[i + 6]);
    r[i] = quarters<0x88>(a, c);
    r[i + 2] = quarters<0x88>(b, d);
    r[i + 4] = quarters<0xDD>(a, c);
    r[i + 6] = quarters<0xDD>(b, d);
  }
}

#include "optimized/kernels/reorders/masked_blocks.inc"
#include "optimized/kernels/reorders/rows.inc"

}  // namespace

const ReorderFamily* reorders_f64_avx512() {
  static constexpr ReorderFamily kFamily = {"reorders_f64_avx512",
                                            transpose,
                                            transpose_out,
                                            copy_rows,
                                            nullptr,
                                            nullptr,
                                            nullptr,
                                            nullptr};
  return &kFamily;
}

}  // namespace concord::optimized
