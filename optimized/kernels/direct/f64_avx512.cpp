// SPDX-License-Identifier: Apache-2.0
// Register tiles of f64 for AVX-512: 32 registers, so up to 28 sums beside the weights and one
// pixel.
#include <immintrin.h>
#include <stddef.h>

#include "optimized/kernels/direct/kernel.h"

namespace concord::optimized {
namespace {

#include "optimized/kernels/registers_f64_avx512.inc"
// In terms of those registers:
#include "optimized/kernels/direct/parts.inc"

constexpr KernelFacts kFacts = facts::tiles_f64_avx512;
constexpr bool kRounds = false;
constexpr bool kHalves = true;
constexpr int64_t kWeightBytes = 8;
inline Reg broadcast(const double* from) { return all(*from); }
inline Reg as_packed(const char* from, int64_t) {
  return load(reinterpret_cast<const double*>(from));
}
inline HalfReg half_pixel(const double* from) { return broadcast_half(from); }
inline HalfReg add_half(HalfReg pixel, HalfReg weights, HalfReg sum) {
  return multiply_add_half(pixel, weights, sum);
}

#define CONCORD_ADD_PRODUCT "vfmadd231pd"
#define CONCORD_BROADCAST "vbroadcastsd"
#define CONCORD_ELEMENT "8"
#define CONCORD_LANES "8"
#define CONCORD_HALF "4"
#include "optimized/kernels/direct/half_avx512.inc"
#include "optimized/kernels/direct/narrow_avx512.inc"
#include "optimized/kernels/direct/pipelined_avx512.inc"

template <size_t N, size_t M>
bool runs_faster(const TileCall& call) {
  if (call.halves != 0) return pipelined<N, M>(call) || runs_half<N, M>(call);
  return narrow<N, M>(call) || pipelined<N, M>(call);
}

#include "optimized/kernels/direct/body.inc"

}  // namespace

const TileFamily* tiles_f64_avx512() {
  static constexpr TileFamily kFamily = make_family("tiles_f64_avx512");
  return &kFamily;
}

}  // namespace concord::optimized
