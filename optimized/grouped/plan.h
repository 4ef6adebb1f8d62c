// SPDX-License-Identifier: Apache-2.0
// Depthwise convolutions and those of narrow groups: vectors of channels that span groups.
#ifndef CONCORD_OPTIMIZED_GROUPED_PLAN_H_
#define CONCORD_OPTIMIZED_GROUPED_PLAN_H_

#include <optional>

#include "optimized/kernels/grouped/kernel.h"
#include "optimized/shape/shape.h"

namespace concord::optimized {

/// How Algorithm::kGroups goes about it.
struct Grouping {
  const GroupedFamily* family = nullptr;
  GroupedKernel kernel = nullptr;
  bool by_patches = false;  ///< a call of the kernel computes several rows of a plane
  Shape view{};             ///< with the strides of the staged src, where it is staged
  /// Elements from the weights of a product to those of the next as they lie, if that is the same
  /// for all of them, and whole vectors of channels lie together; or 0.
  Extent raw_product = 0;
  Extent width = 0;          ///< channels of a group, of src as of dst
  Extent chunk = 0;          ///< channels of a task, whole vectors
  Extent rows_per_call = 1;  ///< at most: a band of outputs
  Extent bands_per_task = 0;
  bool prefetches_src = false;  ///< for the src of the next tile, while it computes one
  bool stages_src = false;      ///< src is first copied into the workspace: f32, channels last
  bool stages_dst = false;      ///< rows go to the workspace, and from there to dst

  /// True where the kernel reads weights as they lie.
  bool reads_raw() const;
  bool reads_pairs() const { return family->element == kBf16Pairs; }
  /// Products of a tap that a sum takes: channels of a group, or pairs of them.
  Extent tap_products() const { return reads_pairs() ? width / 2 : width; }
  /// Of an element of src and dst, as the kernels see them.
  Extent element_bytes() const { return family->element == kSingle ? 4 : 2; }
  Extent padded_channels() const;
  Extent chunks() const { return (view.OC + chunk - 1) / chunk; }
  /// Bands of a plane are as equal as can be.
  Extent plane_bands() const { return (view.O[1] + rows_per_call - 1) / rows_per_call; }
  Extent bands() const { return view.N * view.O[0] * plane_bands(); }
  Extent band_tasks() const { return (bands() + bands_per_task - 1) / bands_per_task; }
  Extent tasks() const { return chunks() * band_tasks(); }
  Extent taps() const { return view.K[0] * view.K[1] * view.K[2]; }
  /// Of a vector of channels.
  Extent vector_weights() const { return taps() * tap_products() * family->lanes; }
  Extent packed_weights() const { return taps() * tap_products() * padded_channels(); }
  Extent packed_elements() const { return packed_weights() + padded_channels(); }
  Extent staged_src() const;
  Extent staged_dst() const { return stages_dst ? rows_per_call * view.O[2] * chunk : 0; }
};

/// Plans `shape`, which is not empty, for `threads`; nothing if its groups are not of that kind.
std::optional<Grouping> make_grouping(const Shape& shape, const GroupedFamily& family, int threads);

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_GROUPED_PLAN_H_
