// SPDX-License-Identifier: Apache-2.0
#include <immintrin.h>

#include "conformance/fill/draw_lanes.h"

namespace concord::conformance {
namespace {

struct State {
  __m512i w[4];
};

[[gnu::always_inline]] inline State load(const DrawLanes& lanes) {
  State s;
  for (size_t i = 0; i < 4; ++i) s.w[i] = _mm512_loadu_si512(lanes.words[i]);
  return s;
}

[[gnu::always_inline]] inline void store(const State& s, DrawLanes& lanes) {
  for (size_t i = 0; i < 4; ++i) _mm512_storeu_si512(lanes.words[i], s.w[i]);
}

// As Xoshiro::next().
[[gnu::always_inline]] inline void step(State& s) {
  const __m512i shifted = _mm512_slli_epi64(s.w[1], 17);
  s.w[2] = _mm512_xor_si512(s.w[2], s.w[0]);
  s.w[3] = _mm512_xor_si512(s.w[3], s.w[1]);
  s.w[1] = _mm512_xor_si512(s.w[1], s.w[2]);
  s.w[0] = _mm512_xor_si512(s.w[0], s.w[3]);
  s.w[2] = _mm512_xor_si512(s.w[2], shifted);
  s.w[3] = _mm512_rol_epi64(s.w[3], 45);
}

[[gnu::always_inline]] inline __m512i result(const State& s) {
  const __m512i five = _mm512_add_epi64(_mm512_slli_epi64(s.w[1], 2), s.w[1]);
  const __m512i turned = _mm512_rol_epi64(five, 7);
  return _mm512_add_epi64(_mm512_slli_epi64(turned, 3), turned);
}

// Rows become columns: three rounds, each of which exchanges blocks of half the size.
[[gnu::always_inline]] inline void transpose(__m512i rows[8]) {
  __m512i t[8];
  for (size_t i = 0; i < 8; i += 2) {
    t[i] = _mm512_unpacklo_epi64(rows[i], rows[i + 1]);
    t[i + 1] = _mm512_unpackhi_epi64(rows[i], rows[i + 1]);
  }
  const __m512i low = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13);
  const __m512i high = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
  for (size_t half = 0; half < 8; half += 4) {
    for (size_t odd = 0; odd < 2; ++odd) {
      const __m512i a = t[half + odd], b = t[half + 2 + odd];
      rows[half + odd] = _mm512_permutex2var_epi64(a, low, b);
      rows[half + 2 + odd] = _mm512_permutex2var_epi64(a, high, b);
    }
  }
  for (size_t i = 0; i < 4; ++i) {
    const __m512i a = rows[i], b = rows[i + 4];
    rows[i] = _mm512_shuffle_i64x2(a, b, 0x44);
    rows[i + 4] = _mm512_shuffle_i64x2(a, b, 0xEE);
  }
}

void draw(DrawLanes& lanes, uint64_t* draws, size_t count) {
  State s = load(lanes);
  for (size_t i = 0; i < count; i += 8) {
    __m512i rows[8];
#pragma GCC unroll 8
    for (size_t k = 0; k < 8; ++k) {
      rows[k] = result(s);
      step(s);
    }
    transpose(rows);
    for (size_t lane = 0; lane < 8; ++lane) {
      _mm512_storeu_si512(draws + lane * count + i, rows[lane]);
    }
  }
  store(s, lanes);
}

void jump(DrawLanes& lanes, const uint64_t polynomial[4]) {
  State s = load(lanes), sum{};
  for (size_t word = 0; word < 4; ++word) {
    for (int bit = 0; bit < 64; ++bit) {
      const __m512i taken = _mm512_set1_epi64(-static_cast<int64_t>(polynomial[word] >> bit & 1));
      for (size_t i = 0; i < 4; ++i) {
        sum.w[i] = _mm512_xor_si512(sum.w[i], _mm512_and_si512(s.w[i], taken));
      }
      step(s);
    }
  }
  store(sum, lanes);
}

// draw mod range in f64, whose integers reach 2^53: first of the draw's upper half, then of what
// remains of it, times 2^32, and the lower half, which is below 2^52 since range is at most 2^19.
// With i = 1 / range, rounded twice by at most 2^-53 of itself, x i is off by less than
// 2^33 2^-52 <= 1 / range: so that floor(x i) is never too large, and one too small only where x
// is a multiple of the range; what remains of x is then the range itself.
[[gnu::always_inline]] inline __m512d remainder(__m512i draw, __m512d range, __m512d reciprocal) {
  const __m512d upper = _mm512_cvtepu64_pd(_mm512_srli_epi64(draw, 32));
  const __m512d lower = _mm512_cvtepu64_pd(_mm512_and_si512(draw, _mm512_set1_epi64(0xFFFFFFFF)));
  const auto reduce = [&](__m512d x) {
    constexpr int kDown = _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC;
    const __m512d quotient = _mm512_roundscale_pd(_mm512_mul_pd(x, reciprocal), kDown);
    return _mm512_fnmadd_pd(quotient, range, x);
  };
  const __m512d rest = reduce(_mm512_fmadd_pd(reduce(upper), _mm512_set1_pd(0x1p32), lower));
  return _mm512_mask_sub_pd(rest, _mm512_cmp_pd_mask(rest, range, _CMP_GE_OQ), rest, range);
}

size_t integers(const SignedIntegerRule& rule, const uint64_t* draws, size_t count,
                double* values) {
  const auto spread = [](uint64_t word) { return _mm512_set1_epi64(static_cast<int64_t>(word)); };
  const __m512i sign_bits = spread(rule.sign_bits), ups = spread(rule.ups);
  const __m512i excess = spread(rule.excess), flip = spread(rule.flip << 63);
  const __m512i sign = spread(uint64_t{1} << 63);
  const __m512d range = _mm512_set1_pd(static_cast<double>(rule.range));
  const __m512d reciprocal = _mm512_div_pd(_mm512_set1_pd(1), range);
  const __m512i even = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
  const __m512i odd = _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15);
  size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    const __m512i a = _mm512_loadu_si512(draws + 2 * i), b = _mm512_loadu_si512(draws + 2 * i + 8);
    const __m512i for_sign = _mm512_and_si512(_mm512_permutex2var_epi64(a, even, b), sign_bits);
    const __m512i for_size = _mm512_permutex2var_epi64(a, odd, b);
    if (_mm512_cmplt_epu64_mask(for_size, excess) != 0) break;
    const __mmask8 down = _mm512_cmpge_epu64_mask(for_sign, ups);
    const __m512d size = _mm512_add_pd(remainder(for_size, range, reciprocal), _mm512_set1_pd(1));
    const __m512i signs = _mm512_mask_xor_epi64(flip, down, flip, sign);
    _mm512_storeu_si512(values + i, _mm512_xor_si512(_mm512_castpd_si512(size), signs));
  }
  return i;
}

size_t reals(double scale, const uint64_t* draws, size_t count, double* values) {
  constexpr float kSmallestNormal = 0x1p-126F;
  size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    const __m512i bits = _mm512_srli_epi64(_mm512_loadu_si512(draws + i), 11);
    const __m512d unit = _mm512_mul_pd(_mm512_cvtepu64_pd(bits), _mm512_set1_pd(0x1p-53));
    const __m512d both = _mm512_sub_pd(_mm512_add_pd(unit, unit), _mm512_set1_pd(1));
    const __m256 narrow = _mm512_cvtpd_ps(_mm512_mul_pd(both, _mm512_set1_pd(scale)));
    const __m256 size = _mm256_andnot_ps(_mm256_set1_ps(-0.0F), narrow);
    const __m256 normal = _mm256_cmp_ps(size, _mm256_set1_ps(kSmallestNormal), _CMP_GE_OQ);
    _mm512_storeu_pd(values + i, _mm512_cvtps_pd(_mm256_and_ps(narrow, normal)));
  }
  return i;
}

}  // namespace

const DrawKernel kDrawAvx512{draw, jump, integers, reals};

}  // namespace concord::conformance
