// SPDX-License-Identifier: Apache-2.0
// What the rows of kernels.inc say of the families. Plain data only, as in direct/kernel.h.
#ifndef CONCORD_OPTIMIZED_KERNELS_FACTS_H_
#define CONCORD_OPTIMIZED_KERNELS_FACTS_H_

#include <stdint.h>

namespace concord::optimized {

/// What kernels read, and those of narrow groups write. Of pairs, two input channels, both in the
/// place of one f32, are one product, and subnormal inputs and sums count as zero. Sums are f64
/// where elements are, else f32; packed weights, bias and what is staged have the sums' type.
enum ElementType : int64_t { kSingle, kHalf, kBf16, kBf16Pairs, kDouble };

struct KernelFacts {
  ElementType element = kSingle;
  int64_t lanes = 0;  ///< sums of a vector
  /// Of register tiles, the most for one vector, two, ...; 0 where there are no such tiles. M
  /// pixels by N vectors need registers for M N sums, the N weights of a product and a pixel; 8
  /// sums keep two multiply-adds a cycle busy. Fewer than 4 pixels do not cut every row
  /// (cut_row()). More vectors never have more pixels, since a group's last panel has the tiles of
  /// the others with fewer vectors.
  int pixels[4] = {};
  /// Dot products of pairs take two cycles on processors with matrix tiles, four times as many as
  /// the two multiply-adds in f32.
  bool is_slow_beside_amx = false;
};

namespace facts {
#define CONCORD_KERNELS(type, function, needs, ...) constexpr KernelFacts function = {__VA_ARGS__};
#include "optimized/kernels/kernels.inc"
#undef CONCORD_KERNELS
}  // namespace facts

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_KERNELS_FACTS_H_
