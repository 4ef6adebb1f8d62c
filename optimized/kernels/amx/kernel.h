// SPDX-License-Identifier: Apache-2.0
// What a kernel of matrix tiles is called with. Plain data only, as in direct/kernel.h.
#ifndef CONCORD_OPTIMIZED_KERNELS_AMX_KERNEL_H_
#define CONCORD_OPTIMIZED_KERNELS_AMX_KERNEL_H_

#include <stdint.h>

namespace concord::optimized {

/// A piece of a kernel row: `chunk` consecutive elements of src for each pixel, and the weights
/// that they are multiplied with.
struct AmxStep {
  int64_t src;      ///< bytes from the pixel's first tap in this kernel row
  int64_t weights;  ///< steps from the start of this kernel row's weights
};

/// Rows of a matrix tile, and output channels of one.
inline constexpr int kBlockPixels = 16;
inline constexpr int kBlockChannels = 16;
/// Sums of a block.
inline constexpr int kBlockSums = 2 * kBlockPixels * 2 * kBlockChannels;

/// Up to 2 tiles of pixels: the first tap of each one's first pixel, and its outputs of the group's
/// first channel.
struct AmxBlock {
  const void* src[2];
  void* dst[2];
};

/// Computes blocks of up to 2 tiles of `pixels` outputs by up to 2 tiles of 16 output channels:
///
///   sum[a, m, oc] = bias[oc] + sum over depth taps, row taps, steps, k < chunk of
///                   src[a][m * src_pixel + taps and step + k] * weights[taps and step, k, oc]
///
/// Units    strides in bytes, elements bf16, bias and sums f32
/// Numeric  of each step, the products of even k and those of odd k are summed apart from zero up,
///          the two sums are added, and the result to the accumulator: every operation in f32 to
///          nearest, subnormal inputs and results as zero
struct AmxCall {
  const AmxBlock* blocks;
  int64_t block_count;
  int64_t src_pixel;
  int64_t depth_taps, src_depth_tap, weights_depth_tap;
  int64_t row_taps, src_row_tap, weights_row_tap;  ///< weights in steps
  const AmxStep* steps;
  int64_t step_count;
  const void* weights;  ///< packed: a step is one tile of [chunk / 2][16 channels][2] after another
  const float* bias;    ///< packed: 16 for each tile of channels
  int64_t pixels, chunk;
  int64_t writes_dst;    ///< 0: the sums of one block are left in `sums`
  int64_t dst_pixel;     ///< of dst
  int64_t dst_channel;   ///< of the first output channel, from the group's first
  int64_t channels;      ///< output channels that exist
  int64_t non_temporal;  ///< 1: whole lines of dst go past the caches; release() makes them visible
  float* sums;  ///< [2 blocks, one after the other by turns][a][16][2 x 16], aligned to 64 bytes
};
using AmxKernel = void (*)(const AmxCall& call);

/// The kernels of one instruction set.
struct AmxFamily {
  const char* name;
  /// Prepares this thread for tiles of `pixels` and `chunk`; release() gives them back, after which
  /// other threads see dst.
  void (*configure)(int64_t pixels, int64_t chunk);
  void (*release)();
  AmxKernel kernels[3][3];  ///< [tiles of pixels][tiles of channels]; null for 0
};

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_KERNELS_AMX_KERNEL_H_
