// SPDX-License-Identifier: Apache-2.0
// Depthwise convolutions and those of narrow groups: vectors of channels that span groups.
#ifndef CONCORD_OPTIMIZED_GROUPED_PLAN_H_
#define CONCORD_OPTIMIZED_GROUPED_PLAN_H_

#include <algorithm>
#include <iosfwd>
#include <optional>

#include "optimized/context.h"
#include "optimized/runtime/kernel_table.h"
#include "optimized/shape/view.h"

namespace concord::optimized {

/// Direct convolution of narrow groups, many groups a vector.
struct Grouping {
  static constexpr const char* kName = "groups";
  const GroupedFamily* family = nullptr;
  GroupedKernel function = nullptr;
  /// A call of the kernel computes several rows of a plane, in patches or in bands.
  bool by_patches = false, by_bands = false;
  Shape view{};  ///< with the strides of the staged src, where it is staged
  /// Elements from the weights of a product to those of the next as they lie, if that is the same
  /// for all of them, and channels lie together; or 0.
  Extent raw_product = 0;
  bool reads_raw = false;      ///< the kernel can read weights as they lie
  Extent width = 0;            ///< channels of a group, of src as of dst
  Extent chunk = 0;            ///< channels of a task, whole vectors
  Extent call_channels = 0;    ///< of a call, whole vectors
  Extent vectors_at_once = 1;  ///< of bands, where there are so many
  Extent rows_per_call = 1;    ///< at most: a band of outputs
  Extent bands_per_task = 0;
  /// Not 0: a call first copies what it reads of src to the thread's workspace, pixels so many
  /// elements apart.
  Extent spread_pixel = 0;
  Extent spread_rows = 0;         ///< of a plane, that the workspace has room for
  bool prefetches_src = false;    ///< for the src of the next tile, while it computes one
  bool prefetches_bands = false;  ///< the src of the next band, or of the channels copied next
  bool stages_src = false;        ///< src is copied into the workspace, channels last,
  bool stages_by_task = false;    ///< by tasks, each a chunk of an image, or else before they run
  bool reads_ahead = false;       ///< what is transposed of src and of dst, where it is far
  bool stages_dst = false;        ///< rows go to the workspace, and from there to dst

  /// Plans a shape that is not empty; nothing if its groups are not of that kind.
  static std::optional<Grouping> make(const Context& context, const Options& options);

  const char* kernel() const { return family->name; }
  bool flushes_subnormals() const { return reads_pairs(); }
  bool reads_pairs() const { return family->element == kBf16Pairs; }
  /// Products of a tap that a sum takes: channels of a group, or pairs of them.
  Extent tap_products() const { return reads_pairs() ? width / 2 : width; }
  /// Of an element of src and dst, as the kernels see them.
  Extent element_bytes() const { return bytes_of(family->element); }
  /// Of an element of packed weights, and of a sum.
  Extent sum_bytes() const { return computed_bytes(view.dtype); }
  Extent padded_channels() const;
  Extent chunks() const { return (view.OC + chunk - 1) / chunk; }
  /// Bands of a plane are as equal as can be.
  Extent plane_bands() const { return (view.O[1] + rows_per_call - 1) / rows_per_call; }
  Extent bands() const { return view.N * view.O[0] * plane_bands(); }
  Extent band_tasks() const { return (bands() + bands_per_task - 1) / bands_per_task; }
  Extent tasks() const { return chunks() * band_tasks(); }
  bool has_whole_vectors() const { return view.OC % family->lanes == 0; }
  Extent taps() const { return view.K[0] * view.K[1] * view.K[2]; }
  /// Of a vector of channels.
  Extent vector_weights() const { return taps() * tap_products() * family->lanes; }
  Extent packed_weights() const { return taps() * tap_products() * padded_channels(); }
  Extent packed_elements() const { return packed_weights() + padded_channels(); }
  /// Elements of the staged src, where it is staged before tasks run.
  Extent staged_src() const;
  /// Rows of a plane of src that a call of patches or bands reads, at most.
  Extent rows_read() const {
    const Extent step = std::min(view.S[1], view.I[1]);
    const Extent rows = (rows_per_call - 1) * step + (view.K[1] - 1) * view.D[1] + 1;
    return std::min(rows, view.I[1]);
  }
  Extent spread_src() const {
    return spread_pixel > 0 ? view.K[0] * spread_rows * view.I[2] * spread_pixel : 0;
  }
  /// Elements from one pixel to the next where tasks stage src.
  Extent part_pixel() const {
    constexpr Extent kLine = 64;  // bytes
    return odd_lines(chunk, kLine / sum_bytes());
  }
  Extent staged_part() const {
    return stages_by_task ? view.I[0] * view.I[1] * view.I[2] * part_pixel() : 0;
  }
  /// Rows that go to dst at once: of a call, or of a plane.
  Extent staged_rows() const { return stages_by_task ? view.O[1] : rows_per_call; }
  /// Of each thread: its part of src, src that a call reads, and rows on their way to dst.
  Extent staged_dst() const {
    return staged_part() + spread_src() + (stages_dst ? staged_rows() * view.O[2] * chunk : 0);
  }
};

/// Writes weights as [vector of OC, taps, channel in its group, lane], then the bias, both padded.
void pack(const Context& context, const Grouping& grouping, const void* weights, const void* bias,
          void* to);
/// Writes the bias as it stands behind packed weights; `packed` is where those begin.
void pack_bias(const Context& context, const Grouping& grouping, const void* bias, void* packed);

/// Computes dst from src and packed weights. `workspace` holds the staged src, then for each thread
/// its part of that, what a call reads, spread, and its rows that are on their way to dst.
void run(const Context& context, const Grouping& grouping, const void* packed, const void* src,
         void* dst, void* workspace);
/// The same with weights as they lie, which kernels read where they can; `packed` is memory as
/// large as packed weights are.
void run_unpacked(const Context& context, const Grouping& grouping, const void* weights,
                  const void* bias, void* packed, const void* src, void* dst, void* workspace);

void describe(const Context& context, const Grouping& grouping, std::ostream& out);

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_GROUPED_PLAN_H_
