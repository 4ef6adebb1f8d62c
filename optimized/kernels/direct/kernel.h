// SPDX-License-Identifier: Apache-2.0
// What a kernel is called with. Plain data only: the sources in this folder are compiled for
// processors that need not be the one that runs, so no function may be defined here.
#ifndef CONCORD_OPTIMIZED_KERNELS_DIRECT_KERNEL_H_
#define CONCORD_OPTIMIZED_KERNELS_DIRECT_KERNEL_H_

#include <stdint.h>

#include "optimized/kernels/facts.h"

namespace concord::optimized {

/// Which pixels of a tile a call computes.
enum TilePart : int64_t { kWholeTile, kLeftPart, kRightPart };

/// Neighbouring products that one pixel's sum takes from consecutive elements of src: `length`
/// channels, of one tap or of several taps side by side.
struct Run {
  int64_t src;       ///< elements from the pixel's first tap in this kernel row
  int64_t weights;   ///< products from the start of this kernel row's weights
  int64_t length;    ///< products
  int64_t left_out;  ///< pixels of the tile that lie in the padding: the first n, or the last -n
};

/// Weights of a panel that will be needed soon, copied from the user's layout to packed order: for
/// each tap some rows, each with the output channels of one input channel or pair. Kernels copy one
/// row per copy interval until none are left.
/// Units    bytes of unpacked weights
struct PackJob {
  const char* from;  ///< the next row
  void* to;
  int64_t rows;     ///< of this tap, from there on
  int64_t taps;     ///< after it
  int64_t vectors;  ///< of a row
  int64_t tap_rows, from_row, from_tap;
  const char* tap;        ///< its first row
  const char* after;      ///< rows that will be packed next: prefetched towards the end
  int64_t copy_interval;  ///< products for a row, at least 1
};

/// A range to prefetch: for each product that kernels add they advance by `step` bytes and prefetch
/// the line that they come to, until `end`, or to the end of the run or of the tile that passes it;
/// the next range from the tile after it on. Steps larger than a line skip lines. Tiles of more
/// than kMaxPixelsOfLongSums pixels do so twice.
struct PrefetchRange {
  const char* at;
  const char* end;
  int64_t step;
  /// Ranges that follow, of `length` bytes, each `to_next` bytes after the one before it.
  int64_t more = 0;
  int64_t length = 0;
  int64_t to_next = 0;
};

/// Computes rows of `tiles` register tiles of M pixels by up to N vectors of output channels:
///
///   dst[m, oc] = init[oc] + sum over depth taps, row taps, runs, k of
///                src[m * src_pixel + taps and run + k] * weights[taps and run, k, oc]
///
/// where an element of src and of weights is one f32, one f64, or a pair of bf16, whose product is
/// the sum of two; and init is the bias, or dst itself if `accumulate`. Pixel m of tile t of row r
/// begins at src[src_offset + r * src_row + t * src_tile + m * src_pixel], dst at
/// dst[r * dst_row + t * dst_tile + m * dst_pixel].
/// Units    elements; weights_*_tap count products, as packed weights have N vectors for each
/// Numeric  one accumulator an output, f32 or f64, the products added in the order of the formula
struct TileCall {
  const void* src = nullptr;
  int64_t src_offset = 0;  ///< of pixel 0's first tap, which may lie outside src
  int64_t src_pixel = 0, src_tile = 0;
  int64_t depth_taps = 0, src_depth_tap = 0, weights_depth_tap = 0;
  int64_t row_taps = 0, src_row_tap = 0, weights_row_tap = 0;
  const Run* runs = nullptr;
  int64_t run_count = 0;
  /// Packed: for each tap and channel, N vectors of output channels.
  const void* weights = nullptr;
  PrefetchRange* ahead = nullptr;  ///< null if nothing is prefetched, and for packing kernels
  const void* bias = nullptr;      ///< packed: N vectors
  void* dst = nullptr;
  /// If not null, bf16, to which the sums are rounded, instead of dst.
  uint16_t* rounded_dst = nullptr;
  int64_t dst_pixel = 0, dst_tile = 0;
  int64_t tiles = 0;  ///< of a row
  int64_t rows = 1;
  int64_t src_row = 0, dst_row = 0;
  int64_t channels = 0;      ///< output channels that exist, at most N vectors
  int64_t is_inside = 0;     ///< 1: what runs read lies in src, with the pixels that they leave out
  int64_t part = 0;          ///< a TilePart; the runs leave out pixels of the whole tile
  int64_t accumulate = 0;    ///< 1: begin with what dst holds, which is not rounded
  int64_t halves = 0;        ///< 1: half a vector is added in half the time: Core::half_vector
  int64_t whole_stores = 0;  ///< 1: vectors are stored at once: Core::whole_stores
  int64_t prefetches_dst = 0;   ///< 1: tiles prefetch that of later ones, which is not cached
  PackJob* pack_job = nullptr;  ///< for packing kernels; its panel has N vectors, too
};
using TileKernel = void (*)(const TileCall& call);

/// Largest register tile of any instruction set, and its lanes.
inline constexpr int kMaxPixels = 28;
/// Larger tiles are computed at once only of short sums, else in two parts. Their runs leave out
/// two pixels at most, others any number.
inline constexpr int kMaxPixelsOfLongSums = 14;
inline constexpr int64_t kFewLeftOut = 2;
/// A sum is short if its weights for a tile stay in the first-level cache and its runs are few.
inline constexpr int64_t kShortSumBytes = 40 << 10, kShortSumRuns = 32;
inline constexpr int kMaxVectors = 4;
inline constexpr int kMaxLanes = 16;

/// The register tiles of one instruction set.
struct TileFamily {
  const char* name;
  int64_t lanes;                    ///< output channels a vector
  int64_t element_bytes;            ///< of src, packed weights, bias and sums: 4, or 8 of f64
  int64_t channels;                 ///< an element of src has: 1, or 2 of a pair of bf16
  bool rounds;                      ///< serves calls with a rounded_dst
  bool halves;                      ///< computes calls with `halves` in another way
  int max_pixels[kMaxVectors + 1];  ///< for each number of vectors: KernelFacts::pixels
  void (*pack_rest)(PackJob* job);  ///< copies all that is left
  TileKernel kernels[kMaxVectors + 1][kMaxPixels + 1];  ///< [vectors][pixels]
  TileKernel packing[kMaxVectors + 1][kMaxPixels + 1];  ///< the same that serve a call's job
};

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_KERNELS_DIRECT_KERNEL_H_
