// SPDX-License-Identifier: Apache-2.0
// The kernel of the fast oracle: a tile of outputs, one vector wide for each of a few scalars. C
// types alone, because its sources are compiled for processors that others are not.
#ifndef CONCORD_CONFORMANCE_ORACLE_TILE_H_
#define CONCORD_CONFORMANCE_ORACLE_TILE_H_

#include <stddef.h>
#include <stdint.h>

namespace concord::conformance {

/// value[p][l] += v s, magnitude[p][l] += |v| |s| over all taps t in their order, with
/// v = vectors[vector_offsets[t] + l] and s = scalars[p][scalar_offsets[t]].
/// Shapes  l < width and p < count; value and magnitude [count, width], the sums so far
/// Numeric products have to be exact: then it is the same whether or not they are fused with the
///         additions
template <class Number>
struct TileCall {
  const Number* vectors;
  const int64_t* vector_offsets;
  const Number* const* scalars;  ///< count of them
  const int64_t* scalar_offsets;
  int64_t taps;
  Number* value;
  Number* magnitude;  ///< null where only values are wanted
};

/// What is left of values where they are rounded: sums of zeros only if all are zero. Neither NaN
/// nor an infinity leaves zero.
struct Leftover {
  double of_f32 = 0;    ///< rounded to f32
  double of_whole = 0;  ///< and to an integer
  double largest = 0;   ///< the largest magnitude
};
enum : size_t { kLookedAt = 16 };  ///< values at a time

template <class Number>
struct TileKernel {
  int64_t width;  ///< outputs in a vector's direction
  int64_t count;  ///< the most scalars at a time
  void (*run)(const TileCall<Number>& call, int64_t count);
  /// Shapes  count is a multiple of kLookedAt
  Leftover (*look)(const double* values, size_t count);
};

/// For a processor with no more than the build assumes, with AVX2 and FMA, and with AVX-512 F and
/// DQ: in f64, and in f32 for sums that are exact there.
extern const TileKernel<double> kTileGeneric, kTileAvx2, kTileAvx512;
extern const TileKernel<float> kExactTileGeneric, kExactTileAvx2, kExactTileAvx512;

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_ORACLE_TILE_H_
