// SPDX-License-Identifier: Apache-2.0
// Reorders in plain C++.
#include <cstring>

#include "optimized/kernels/reorders/kernel.h"
#include "optimized/layout/convert.h"

namespace concord::optimized {
namespace {

// Blocks of this many rows and columns stay in the cache while they are transposed.
constexpr int64_t kBlock = 16;

template <class Scalar>
void transpose(const void* from, int64_t from_stride, void* to, int64_t to_stride, int64_t rows,
               int64_t columns) {
  const auto* const in = static_cast<const Scalar*>(from);
  auto* const out = static_cast<Scalar*>(to);
  for (int64_t r0 = 0; r0 < rows; r0 += kBlock) {
    const int64_t r1 = r0 + kBlock < rows ? r0 + kBlock : rows;
    for (int64_t c0 = 0; c0 < columns; c0 += kBlock) {
      const int64_t c1 = c0 + kBlock < columns ? c0 + kBlock : columns;
      for (int64_t c = c0; c < c1; ++c) {
        for (int64_t r = r0; r < r1; ++r) out[c * to_stride + r] = in[r * from_stride + c];
      }
    }
  }
}

template <class Scalar>
void transpose_out(const void* from, int64_t from_stride, void* to, int64_t to_stride, int64_t rows,
                   int64_t columns, bool) {
  for (int64_t c0 = 0; c0 < columns; c0 += kBlock) {
    const int64_t some = c0 + kBlock < columns ? kBlock : columns - c0;
    transpose<Scalar>(static_cast<const Scalar*>(from) + c0, from_stride,
                      static_cast<Scalar*>(to) + c0 * to_stride, to_stride, rows, some);
  }
}

// In pieces of the shortest vector, which a call would cost more than.
template <class Scalar>
void copy_rows(const void* from, int64_t from_stride, void* to, int64_t to_stride, int64_t rows,
               int64_t columns, int64_t ahead) {
  constexpr auto kAtOnce = static_cast<int64_t>(16 / sizeof(Scalar));
  constexpr auto kLine = static_cast<int64_t>(64 / sizeof(Scalar));
  const auto* in = static_cast<const Scalar*>(from);
  auto* out = static_cast<Scalar*>(to);
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < ahead; c += kLine) __builtin_prefetch(in + columns + c);
    int64_t c = 0;
    for (; c + kAtOnce <= columns; c += kAtOnce) std::memcpy(out + c, in + c, 16);
    for (; c < columns; ++c) out[c] = in[c];
    in += from_stride;
    out += to_stride;
  }
}

void widen_f16(const uint16_t* from, float* to, int64_t count) {
  for (int64_t i = 0; i < count; ++i) to[i] = from_f16(from[i]);
}
void widen_bf16(const uint16_t* from, float* to, int64_t count) {
  for (int64_t i = 0; i < count; ++i) to[i] = from_bf16(from[i]);
}
void narrow_f16(const float* from, uint16_t* to, int64_t count) {
  for (int64_t i = 0; i < count; ++i) to[i] = to_f16(from[i]);
}
void narrow_bf16(const float* from, uint16_t* to, int64_t count) {
  for (int64_t i = 0; i < count; ++i) to[i] = to_bf16(from[i]);
}

}  // namespace

const ReorderFamily* reorders_generic() {
  static constexpr ReorderFamily kFamily = {
      "reorders_generic", transpose<float>, transpose_out<float>, copy_rows<float>,
      widen_f16,          widen_bf16,       narrow_f16,           narrow_bf16};
  return &kFamily;
}

const ReorderFamily* reorders_f64_generic() {
  static constexpr ReorderFamily kFamily = {"reorders_f64_generic",
                                            transpose<double>,
                                            transpose_out<double>,
                                            copy_rows<double>,
                                            nullptr,
                                            nullptr,
                                            nullptr,
                                            nullptr};
  return &kFamily;
}

}  // namespace concord::optimized
