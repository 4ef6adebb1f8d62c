// SPDX-License-Identifier: Apache-2.0
// Matrix tiles for AMX-BF16: four tiles of sums, two of pixels and two of weights.
#include <immintrin.h>
#include <stddef.h>

#include <utility>

#include "optimized/kernels/amx/kernel.h"

namespace concord::optimized {
namespace {

constexpr int64_t kLine = 64;  // bytes of a row of weights, of a row of a tile of sums

// What LDTILECFG reads.
struct alignas(64) Config {
  uint8_t palette, start_row;
  uint8_t reserved[14];
  uint16_t row_bytes[16];
  uint8_t rows[16];
};

void configure(int64_t pixels, int64_t chunk) {
  Config config = {};
  config.palette = 1;
  for (size_t tile = 0; tile < 4; ++tile) {
    config.rows[tile] = static_cast<uint8_t>(pixels);
    config.row_bytes[tile] = kLine;
  }
  for (size_t tile = 4; tile < 6; ++tile) {
    config.rows[tile] = static_cast<uint8_t>(pixels);
    config.row_bytes[tile] = static_cast<uint16_t>(2 * chunk);
  }
  for (size_t tile = 6; tile < 8; ++tile) {
    config.rows[tile] = static_cast<uint8_t>(chunk / 2);
    config.row_bytes[tile] = kLine;
  }
  __asm__ volatile("ldtilecfg %0" : : "m"(config));
}

void release() {
  _tile_release();
  _mm_sfence();
}

// The intrinsics of GCC 12 do not tell the compiler that they read memory.
inline void memory_is_read() { __asm__ volatile("" : : : "memory"); }

// Tiles of sums begin as the bias in every row.
template <int A, int B>
[[gnu::always_inline]] inline void begin(const float* bias) {
  _tile_loadd(0, bias, 0);
  if constexpr (B == 2) _tile_loadd(1, bias + 16, 0);
  if constexpr (A == 2) _tile_loadd(2, bias, 0);
  if constexpr (A == 2 && B == 2) _tile_loadd(3, bias + 16, 0);
}

template <int A, int B>
[[gnu::always_inline]] inline void add_step(const char* a0, const char* a1, int64_t src_pixel,
                                            const char* weights, int64_t tile_bytes) {
  _tile_loadd(4, a0, src_pixel);
  _tile_loadd(6, weights, kLine);
  _tile_dpbf16ps(0, 4, 6);
  if constexpr (A == 2) {
    _tile_loadd(5, a1, src_pixel);
    _tile_dpbf16ps(2, 5, 6);
  }
  if constexpr (B == 2) {
    _tile_loadd(7, weights + tile_bytes, kLine);
    _tile_dpbf16ps(1, 4, 7);
    if constexpr (A == 2) _tile_dpbf16ps(3, 5, 7);
  }
}

template <int A, int B>
[[gnu::always_inline]] inline void keep(float* sums) {
  constexpr int64_t kRow = 2 * kLine;
  float* second = sums + 2 * kBlockChannels * kBlockPixels;
  _tile_stored(0, sums, kRow);
  if constexpr (B == 2) _tile_stored(1, sums + kBlockChannels, kRow);
  if constexpr (A == 2) _tile_stored(2, second, kRow);
  if constexpr (A == 2 && B == 2) _tile_stored(3, second + kBlockChannels, kRow);
  memory_is_read();
}

// Rows of sums as bf16, whole ones past the caches if `PAST`.
template <int A, int B, bool PAST>
[[gnu::always_inline]] inline void round_rows(const AmxCall& call, const AmxBlock& block,
                                              const float* sums) {
  const auto live = static_cast<__mmask32>(0xFFFFFFFFU >> (32 - call.channels));
  for (size_t a = 0; a < A; ++a) {
    const float* from = sums + a * 2 * kBlockChannels * kBlockPixels;
    char* dst = static_cast<char*>(block.dst[a]) + call.dst_channel;
    for (int64_t m = 0; m < call.pixels; ++m) {
      const __m512 low = _mm512_load_ps(from);
      const __m512 high = B == 2 ? _mm512_load_ps(from + kBlockChannels) : _mm512_setzero_ps();
      const auto rounded = (__m512i)_mm512_cvtne2ps_pbh(high, low);
      if constexpr (PAST) {
        _mm512_stream_si512(reinterpret_cast<__m512i*>(dst), rounded);
      } else {
        _mm512_mask_storeu_epi16(dst, live, rounded);
      }
      from += 2 * kBlockChannels;
      dst += call.dst_pixel;
    }
  }
}

template <int A, int B>
[[gnu::always_inline]] inline void round_to_dst(const AmxCall& call, const AmxBlock& block,
                                                const float* sums) {
  if constexpr (B == 2) {
    const auto address = reinterpret_cast<uintptr_t>(block.dst[0]) |
                         reinterpret_cast<uintptr_t>(block.dst[1]) |
                         static_cast<uintptr_t>(call.dst_channel | call.dst_pixel);
    if (call.non_temporal != 0 && call.channels == 32 && address % kLine == 0) {
      return round_rows<A, B, true>(call, block, sums);
    }
  }
  round_rows<A, B, false>(call, block, sums);
}

// Calls `meanwhile` once the matrix unit has products to compute, or has none.
template <int A, int B, class Meanwhile>
[[gnu::always_inline]] inline void add_products(const AmxCall& call, const AmxBlock& block,
                                                const Meanwhile& meanwhile) {
  bool waits = true;
  const int64_t tile_bytes = call.chunk / 2 * kLine;
  const int64_t step_bytes = B * tile_bytes;
  for (int64_t kd = 0; kd < call.depth_taps; ++kd) {
    for (int64_t kh = 0; kh < call.row_taps; ++kh) {
      const int64_t src = kd * call.src_depth_tap + kh * call.src_row_tap;
      const char* a0 = static_cast<const char*>(block.src[0]) + src;
      const char* a1 = static_cast<const char*>(block.src[1]) + src;
      const char* weights = static_cast<const char*>(call.weights) +
                            (kd * call.weights_depth_tap + kh * call.weights_row_tap) * step_bytes;
      for (int64_t s = 0; s < call.step_count; ++s) {
        const AmxStep step = call.steps[s];
        add_step<A, B>(a0 + step.src, a1 + step.src, call.src_pixel,
                       weights + step.weights * step_bytes, tile_bytes);
        if (waits) meanwhile();
        waits = false;
      }
    }
  }
  if (waits) meanwhile();
}

// Each block is rounded while the matrix unit computes the next one.
template <int A, int B>
void blocks(const AmxCall& given) {
  const AmxCall call = given;
  memory_is_read();
  float* sums = call.sums;
  float* others = call.sums + kBlockSums;
  for (int64_t i = 0; i < call.block_count; ++i) {
    begin<A, B>(call.bias);
    add_products<A, B>(call, call.blocks[i], [&] {
      if (i > 0) round_to_dst<A, B>(call, call.blocks[i - 1], others);
    });
    keep<A, B>(sums);
    std::swap(sums, others);
  }
  if (call.writes_dst != 0) round_to_dst<A, B>(call, call.blocks[call.block_count - 1], others);
}

}  // namespace

const AmxFamily* tiles_bf16_amx() {
  static constexpr AmxFamily kFamily = {
      "tiles_bf16_amx",
      configure,
      release,
      {{}, {nullptr, blocks<1, 1>, blocks<1, 2>}, {nullptr, blocks<2, 1>, blocks<2, 2>}}};
  return &kFamily;
}

}  // namespace concord::optimized
