// SPDX-License-Identifier: Apache-2.0
// Moves for AVX-512. Masked forms throughout: the others of GCC 12 begin with an undefined
// register.
#include <immintrin.h>
#include <stddef.h>

#include "optimized/kernels/moves.h"

namespace concord::optimized {
namespace {

constexpr int64_t kLanes = 16;
constexpr __mmask16 kAll = 0xFFFF;

inline __mmask16 first(int64_t count) {
  if (count >= kLanes) return kAll;
  return count <= 0 ? __mmask16{0} : static_cast<__mmask16>(0xFFFFU >> (kLanes - count));
}

inline __m512 low_pairs(__m512 a, __m512 b) { return _mm512_maskz_unpacklo_ps(kAll, a, b); }
inline __m512 high_pairs(__m512 a, __m512 b) { return _mm512_maskz_unpackhi_ps(kAll, a, b); }
template <int SELECT>
inline __m512 halves(__m512 a, __m512 b) {
  return _mm512_maskz_shuffle_ps(kAll, a, b, SELECT);
}
template <int SELECT>
inline __m512 quarters(__m512 a, __m512 b) {
  return _mm512_maskz_shuffle_f32x4(kAll, a, b, SELECT);
}

// Turns four times 4x4 elements of each group of four rows, then the 4x4 blocks themselves.
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

void transpose(const float* from, int64_t from_stride, float* to, int64_t to_stride, int64_t rows,
               int64_t columns) {
  for (int64_t r0 = 0; r0 < rows; r0 += kLanes) {
    const __mmask16 live_rows = first(rows - r0);
    for (int64_t c0 = 0; c0 < columns; c0 += kLanes) {
      const __mmask16 live_columns = first(columns - c0);
      __m512 block[16];
#pragma GCC unroll 16
      for (int64_t r = 0; r < kLanes; ++r) {
        const bool is_live = r0 + r < rows;
        block[r] = is_live ? _mm512_maskz_loadu_ps(live_columns, from + (r0 + r) * from_stride + c0)
                           : _mm512_setzero_ps();
      }
      turn(block);
#pragma GCC unroll 16
      for (int64_t c = 0; c < kLanes; ++c) {
        if (c0 + c >= columns) break;
        _mm512_mask_storeu_ps(to + (c0 + c) * to_stride + r0, live_rows, block[c]);
      }
    }
  }
}

void widen_f16(const uint16_t* from, float* to, int64_t count) {
  for (int64_t i = 0; i < count; i += kLanes) {
    const __mmask16 live = first(count - i);
    const __m256i bits = _mm256_maskz_loadu_epi16(live, from + i);
    _mm512_mask_storeu_ps(to + i, live, _mm512_maskz_cvtph_ps(kAll, bits));
  }
}

void widen_bf16(const uint16_t* from, float* to, int64_t count) {
  for (int64_t i = 0; i < count; i += kLanes) {
    const __mmask16 live = first(count - i);
    const __m512i bits =
        _mm512_maskz_cvtepu16_epi32(kAll, _mm256_maskz_loadu_epi16(live, from + i));
    _mm512_mask_storeu_ps(to + i, live,
                          _mm512_castsi512_ps(_mm512_maskz_slli_epi32(kAll, bits, 16)));
  }
}

void narrow_f16(const float* from, uint16_t* to, int64_t count) {
  for (int64_t i = 0; i < count; i += kLanes) {
    const __mmask16 live = first(count - i);
    const __m256i bits = _mm512_maskz_cvtps_ph(kAll, _mm512_maskz_loadu_ps(live, from + i),
                                               _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    _mm256_mask_storeu_epi16(to + i, live, bits);
  }
}

// Adds half of the last place that stays, less one where that place is even; a NaN gets its quiet
// bit instead, so that the sum cannot carry it into infinity.
void narrow_bf16(const float* from, uint16_t* to, int64_t count) {
  for (int64_t i = 0; i < count; i += kLanes) {
    const __mmask16 live = first(count - i);
    const __m512 value = _mm512_maskz_loadu_ps(live, from + i);
    const __m512i bits = _mm512_castps_si512(value);
    const __m512i odd =
        _mm512_and_epi32(_mm512_maskz_srli_epi32(kAll, bits, 16), _mm512_set1_epi32(1));
    const __m512i rounded =
        _mm512_add_epi32(bits, _mm512_add_epi32(odd, _mm512_set1_epi32(0x7FFF)));
    const __m512i quiet = _mm512_or_epi32(bits, _mm512_set1_epi32(0x400000));
    const __mmask16 is_nan = _mm512_cmp_ps_mask(value, value, _CMP_UNORD_Q);
    const __m512i result = _mm512_mask_mov_epi32(rounded, is_nan, quiet);
    _mm256_mask_storeu_epi16(
        to + i, live, _mm512_maskz_cvtepi32_epi16(kAll, _mm512_maskz_srli_epi32(kAll, result, 16)));
  }
}

}  // namespace

const MoveFamily* moves_avx512() {
  static constexpr MoveFamily kFamily = {"moves_avx512", transpose,  widen_f16,
                                         widen_bf16,     narrow_f16, narrow_bf16};
  return &kFamily;
}

}  // namespace concord::optimized
