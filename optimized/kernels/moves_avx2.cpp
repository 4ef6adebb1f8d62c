// SPDX-License-Identifier: Apache-2.0
// Moves for AVX2 and F16C. What does not fill a vector goes through one on the stack.
#include <immintrin.h>
#include <string.h>

#include "optimized/kernels/moves.h"

namespace concord::optimized {
namespace {

constexpr int64_t kLanes = 8;

inline void turn(__m256 (&r)[8]) {
  __m256 t[8];
#pragma GCC unroll 2
  for (int i = 0; i < 8; i += 4) {
    const __m256 a = _mm256_unpacklo_ps(r[i], r[i + 1]);
    const __m256 b = _mm256_unpackhi_ps(r[i], r[i + 1]);
    const __m256 c = _mm256_unpacklo_ps(r[i + 2], r[i + 3]);
    const __m256 d = _mm256_unpackhi_ps(r[i + 2], r[i + 3]);
    t[i] = _mm256_shuffle_ps(a, c, 0x44);
    t[i + 1] = _mm256_shuffle_ps(a, c, 0xEE);
    t[i + 2] = _mm256_shuffle_ps(b, d, 0x44);
    t[i + 3] = _mm256_shuffle_ps(b, d, 0xEE);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    r[i] = _mm256_permute2f128_ps(t[i], t[i + 4], 0x20);
    r[i + 4] = _mm256_permute2f128_ps(t[i], t[i + 4], 0x31);
  }
}

void transpose_block(const float* from, int64_t from_stride, float* to, int64_t to_stride) {
  __m256 block[8];
#pragma GCC unroll 8
  for (int r = 0; r < 8; ++r) block[r] = _mm256_loadu_ps(from + r * from_stride);
  turn(block);
#pragma GCC unroll 8
  for (int c = 0; c < 8; ++c) _mm256_storeu_ps(to + c * to_stride, block[c]);
}

void transpose(const float* from, int64_t from_stride, float* to, int64_t to_stride, int64_t rows,
               int64_t columns) {
  for (int64_t r0 = 0; r0 < rows; r0 += kLanes) {
    const int64_t r1 = r0 + kLanes < rows ? r0 + kLanes : rows;
    for (int64_t c0 = 0; c0 < columns; c0 += kLanes) {
      const int64_t c1 = c0 + kLanes < columns ? c0 + kLanes : columns;
      if (r1 - r0 == kLanes && c1 - c0 == kLanes) {
        transpose_block(from + r0 * from_stride + c0, from_stride, to + c0 * to_stride + r0,
                        to_stride);
        continue;
      }
      for (int64_t c = c0; c < c1; ++c) {
        for (int64_t r = r0; r < r1; ++r) to[c * to_stride + r] = from[r * from_stride + c];
      }
    }
  }
}

inline __m256 wide_f16(__m128i bits) { return _mm256_cvtph_ps(bits); }
inline __m256 wide_bf16(__m128i bits) {
  return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(bits), 16));
}
inline __m128i narrowed_f16(__m256 value) {
  return _mm256_cvtps_ph(value, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
// Adds half of the last place that stays, less one where that place is even; a NaN gets its quiet
// bit instead, so that the sum cannot carry it into infinity.
inline __m128i narrowed_bf16(__m256 value) {
  const __m256i bits = _mm256_castps_si256(value);
  const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
  const __m256i rounded = _mm256_add_epi32(bits, _mm256_add_epi32(odd, _mm256_set1_epi32(0x7FFF)));
  const __m256i quiet = _mm256_or_si256(bits, _mm256_set1_epi32(0x400000));
  const __m256i is_nan = _mm256_castps_si256(_mm256_cmp_ps(value, value, _CMP_UNORD_Q));
  const __m256i high = _mm256_srli_epi32(_mm256_blendv_epi8(rounded, quiet, is_nan), 16);
  return _mm_packus_epi32(_mm256_castsi256_si128(high), _mm256_extracti128_si256(high, 1));
}

template <__m256 (*WIDE)(__m128i)>
void widen(const uint16_t* from, float* to, int64_t count) {
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    __m128i bits;
    memcpy(&bits, from + i, sizeof bits);
    _mm256_storeu_ps(to + i, WIDE(bits));
  }
  uint16_t last[8] = {};
  float wide[8];
  memcpy(last, from + i, static_cast<size_t>(count - i) * sizeof(uint16_t));
  __m128i bits;
  memcpy(&bits, last, sizeof bits);
  _mm256_storeu_ps(wide, WIDE(bits));
  memcpy(to + i, wide, static_cast<size_t>(count - i) * sizeof(float));
}

template <__m128i (*NARROWED)(__m256)>
void narrow(const float* from, uint16_t* to, int64_t count) {
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    const __m128i bits = NARROWED(_mm256_loadu_ps(from + i));
    memcpy(to + i, &bits, sizeof bits);
  }
  float last[8] = {};
  memcpy(last, from + i, static_cast<size_t>(count - i) * sizeof(float));
  const __m128i bits = NARROWED(_mm256_loadu_ps(last));
  memcpy(to + i, &bits, static_cast<size_t>(count - i) * sizeof(uint16_t));
}

}  // namespace

const MoveFamily* moves_avx2() {
  static constexpr MoveFamily kFamily = {"moves_avx2",         transpose,
                                         widen<wide_f16>,      widen<wide_bf16>,
                                         narrow<narrowed_f16>, narrow<narrowed_bf16>};
  return &kFamily;
}

}  // namespace concord::optimized
