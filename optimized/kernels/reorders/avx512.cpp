// SPDX-License-Identifier: Apache-2.0
// Reorders for AVX-512.
#include <immintrin.h>
#include <stddef.h>

#include "optimized/kernels/reorders/kernel.h"

namespace concord::optimized {
namespace {

#include "optimized/kernels/halves_avx512.inc"
#include "optimized/kernels/reorders/body.inc"

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

#include "optimized/kernels/reorders/masked_blocks.inc"
#include "optimized/kernels/reorders/rows.inc"

constexpr int64_t kElements = 32;  // of 16 bits, in a vector
inline __mmask32 first_of_32(int64_t count) {
  return static_cast<__mmask32>((uint64_t{1} << count) - 1);
}

// Pixels with gaps between them, or of more channels than a vector holds: one at a time.
void complete_each(const uint16_t* from, int64_t step, uint16_t* to, int64_t channels,
                   int64_t pixels) {
  const int64_t whole = channels / kElements * kElements;
  const __mmask32 reads = first_of_32(channels - whole);
  const __mmask32 writes = first_of_32(channels - whole + 1);
  for (int64_t i = 0; i < pixels; ++i) {
    for (int64_t c = 0; c < whole; c += kElements) {
      _mm512_storeu_si512(to + c, _mm512_loadu_si512(from + c));
    }
    _mm512_mask_storeu_epi16(to + whole, writes, _mm512_maskz_loadu_epi16(reads, from + whole));
    from += step;
    to += channels + 1;
  }
}

// Of pixels side by side, as many as a vector holds with their zeros: where its elements come from,
// and which are no zeros.
struct Completed {
  uint16_t places[kElements] = {};
  __mmask32 is_channel = 0;
};
struct CompletedOfChannels {
  Completed of[kElements] = {};
};
constexpr CompletedOfChannels make_completed() {
  CompletedOfChannels all;
  for (int64_t channels = 1; channels < kElements; ++channels) {
    Completed& completed = all.of[channels];
    uint16_t place = 0;
    for (int64_t at = 0; at + channels < kElements; at += channels + 1) {
      for (int64_t c = at; c < at + channels; ++c) {
        completed.places[c] = place++;
        completed.is_channel |= __mmask32{1} << c;
      }
    }
  }
  return all;
}
constexpr CompletedOfChannels kCompleted = make_completed();

void complete(const uint16_t* from, int64_t step, uint16_t* to, int64_t channels, int64_t pixels) {
  if (step != channels || channels >= kElements) {
    return complete_each(from, step, to, channels, pixels);
  }
  const int64_t padded = channels + 1, at_once = kElements / padded;
  const Completed& completed = kCompleted.of[channels];
  const __m512i order = _mm512_loadu_si512(completed.places);
  const auto put = [&](__m512i elements, int64_t count) {
    const __m512i pixels_at_once =
        _mm512_maskz_permutexvar_epi16(completed.is_channel, order, elements);
    if (count == kElements) {
      _mm512_storeu_si512(to, pixels_at_once);
    } else {
      _mm512_mask_storeu_epi16(to, first_of_32(count), pixels_at_once);
    }
  };
  for (; pixels * channels >= kElements; pixels -= at_once) {
    put(_mm512_loadu_si512(from), at_once * padded);
    from += at_once * channels;
    to += at_once * padded;
  }
  while (pixels > 0) {
    const int64_t some = pixels < at_once ? pixels : at_once;
    put(_mm512_maskz_loadu_epi16(first_of_32(some * channels), from), some * padded);
    from += some * channels;
    to += some * padded;
    pixels -= some;
  }
}

}  // namespace

const ReorderFamily* reorders_avx512() {
  static constexpr ReorderFamily kFamily = {"reorders_avx512", transpose,    transpose_out,
                                            copy_rows,         widen<Half>,  widen<Bf16>,
                                            narrow<Half>,      narrow<Bf16>, complete};
  return &kFamily;
}

}  // namespace concord::optimized
