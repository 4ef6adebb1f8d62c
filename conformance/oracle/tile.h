// SPDX-License-Identifier: Apache-2.0
// The kernel of the fast oracle: a tile of outputs, one vector wide for each of a few scalars. C
// types alone, because its sources are compiled for processors that others are not.
#ifndef CONCORD_CONFORMANCE_ORACLE_TILE_H_
#define CONCORD_CONFORMANCE_ORACLE_TILE_H_

#include <stddef.h>
#include <stdint.h>

namespace concord::conformance {

/// value[p][l] += v s, magnitude[p][l] += |v s| over all taps t in their order, with
/// v = vectors[vector_offsets[t] + l] and s = scalars[scalar_offsets[t] + p scalar_step].
/// Shapes  l < width and p < count; value and magnitude [count, width], the sums so far
/// Numeric every product is rounded before it is added
struct TileCall {
  const double* vectors;
  const int64_t* vector_offsets;
  const double* scalars;
  const int64_t* scalar_offsets;
  int64_t scalar_step;
  int64_t taps;
  double* value;
  double* magnitude;
};

struct TileKernel {
  int64_t width;  ///< outputs in a vector's direction
  int64_t count;  ///< the most scalars at a time
  void (*run)(const TileCall& call, int64_t count);
};

/// For a processor with no more than the build assumes, with AVX2, and with AVX-512 F and DQ.
extern const TileKernel kTileGeneric, kTileAvx2, kTileAvx512;

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_ORACLE_TILE_H_
