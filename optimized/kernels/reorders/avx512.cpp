// SPDX-License-Identifier: Apache-2.0
// Reorders for AVX-512.
#include <immintrin.h>
#include <stddef.h>

#include "optimized/kernels/reorders/kernel.h"

namespace concord::optimized {
namespace {

#include "optimized/kernels/halves_avx512.inc"
#include "optimized/kernels/reorders/body.inc"

constexpr auto kBlock = static_cast<int64_t>(kLanes);

inline __mmask16 rest(int64_t count) { return count >= kBlock ? kAllLanes : first(count); }

inline __m512 low_pairs(__m512 a, __m512 b) { return _mm512_maskz_unpacklo_ps(kAllLanes, a, b); }
inline __m512 high_pairs(__m512 a, __m512 b) { return _mm512_maskz_unpackhi_ps(kAllLanes, a, b); }
template <int SELECT>
inline __m512 halves(__m512 a, __m512 b) {
  return _mm512_maskz_shuffle_ps(kAllLanes, a, b, SELECT);
}
template <int SELECT>
inline __m512 quarters(__m512 a, __m512 b) {
  return _mm512_maskz_shuffle_f32x4(kAllLanes, a, b, SELECT);
}

// Transposes four times 4x4 elements of each group of four rows, then the 4x4 blocks themselves.
inline void turn(__m512 (&r)[16]) {
  __m512 t[16];
#pragma GCC unroll 4
  for (size_t i = 0; i < 16; i += 4) {
    const __m512 a = low_pairs(r[i], r[i + 1]);
    const __m512 b = high_pairs(r[i], r[i + 1]);
    const __m512 c = low_pairs(r[i + 2], r[i + 3]);
    const __m512 d = high_pairs(r[i + 2], r[i + 3]);
    t[i] = halves<0x44>(a, c);
    t[i + 1] = halves<0xEE>(a, c);
    t[i + 2] = halves<0x44>(b, d);
    t[i + 3] = halves<0xEE>(b, d);
  }
#pragma GCC unroll 4
  for (size_t i = 0; i < 4; ++i) {
    const __m512 a = quarters<0x88>(t[i], t[i + 4]);
    const __m512 b = quarters<0xDD>(t[i], t[i + 4]);
    const __m512 c = quarters<0x88>(t[i + 8], t[i + 12]);
    const __m512 d = quarters<0xDD>(t[i + 8], t[i + 12]);
    r[i] = quarters<0x88>(a, c);
    r[i + 4] = quarters<0x88>(b, d);
    r[i + 8] = quarters<0xDD>(a, c);
    r[i + 12] = quarters<0xDD>(b, d);
  }
}

struct Turned {
  const void* from;
  int64_t from_stride;
  void* to;
  int64_t to_stride, rows, columns;
};

// Transposes the block whose first element is at row r0 and column c0.
template <bool NON_TEMPORAL>
inline void turn_block(const Turned& t, int64_t r0, int64_t c0) {
  const __mmask16 live_rows = rest(t.rows - r0);
  const __mmask16 live_columns = rest(t.columns - c0);
  const float* from = static_cast<const float*>(t.from) + r0 * t.from_stride + c0;
  float* to = static_cast<float*>(t.to) + c0 * t.to_stride + r0;
  __m512 block[16];
#pragma GCC unroll 16
  for (int64_t r = 0; r < kBlock; ++r) {
    const bool is_live = r0 + r < t.rows;
    block[r] = is_live ? _mm512_maskz_loadu_ps(live_columns, from + r * t.from_stride)
                       : _mm512_setzero_ps();
  }
  turn(block);
#pragma GCC unroll 16
  for (int64_t c = 0; c < kBlock; ++c) {
    if (c0 + c >= t.columns) break;
    float* line = to + c * t.to_stride;
    if (NON_TEMPORAL && live_rows == kAllLanes && is_aligned(line)) {
      store_non_temporal(line, block[c]);
    } else {
      _mm512_mask_storeu_ps(line, live_rows, block[c]);
    }
  }
}

void transpose(const void* from, int64_t from_stride, void* to, int64_t to_stride, int64_t rows,
               int64_t columns) {
  const Turned turned = {from, from_stride, to, to_stride, rows, columns};
  for (int64_t r0 = 0; r0 < rows; r0 += kBlock) {
    for (int64_t c0 = 0; c0 < columns; c0 += kBlock) turn_block<false>(turned, r0, c0);
  }
}

template <bool NON_TEMPORAL>
void turn_out(const Turned& turned) {
  for (int64_t c0 = 0; c0 < turned.columns; c0 += kBlock) {
    for (int64_t r0 = 0; r0 < turned.rows; r0 += kBlock) turn_block<NON_TEMPORAL>(turned, r0, c0);
  }
  if (NON_TEMPORAL) fence_non_temporal();
}

void transpose_out(const void* from, int64_t from_stride, void* to, int64_t to_stride, int64_t rows,
                   int64_t columns, bool non_temporal) {
  const Turned turned = {from, from_stride, to, to_stride, rows, columns};
  return non_temporal ? turn_out<true>(turned) : turn_out<false>(turned);
}

}  // namespace

const ReorderFamily* reorders_avx512() {
  static constexpr ReorderFamily kFamily = {"reorders_avx512", transpose,   transpose_out,
                                            widen<Half>,       widen<Bf16>, narrow<Half>,
                                            narrow<Bf16>};
  return &kFamily;
}

}  // namespace concord::optimized
