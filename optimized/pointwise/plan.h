// SPDX-License-Identifier: Apache-2.0
// Pointwise convolutions of tensors with channels first: vectors of pixels, which are contiguous in
// src and dst, so neither is transposed.
#ifndef CONCORD_OPTIMIZED_POINTWISE_PLAN_H_
#define CONCORD_OPTIMIZED_POINTWISE_PLAN_H_

#include <algorithm>
#include <iosfwd>
#include <optional>

#include "optimized/context.h"
#include "optimized/kernels/direct/kernel.h"
#include "optimized/shape/view.h"

namespace concord::optimized {

/// Pointwise convolution of tensors with channels first, vectors of pixels. The kernels are those
/// of register tiles with the parts exchanged: weights for the pixels that are broadcast, pixels of
/// src for the vectors of weights.
struct PointwiseNcx {
  static constexpr const char* kName = "pointwise_ncx";
  const TileFamily* family = nullptr;
  Shape view{};       ///< with axes joined where pixels follow one another
  Extent pixels = 0;  ///< of a plane of outputs
  int vectors = 0;    ///< of pixels, the most that a panel has
  /// Panels of a plane, as equal as can be: the first `wider` have a vector more than the others.
  Extent panels = 0, wider = 0, narrow_vectors = 0;
  Extent panels_per_task = 0, channels_per_task = 0;
  Extent packed_row = 0;  ///< elements from an output channel's weights to those of the next

  /// Plans a shape that is not empty; nothing if it is not of that kind, or if too many lanes would
  /// have no pixel.
  static std::optional<PointwiseNcx> make(const Context& context, const Options& options);

  const char* kernel() const { return family->name; }
  bool flushes_subnormals() const { return false; }
  Extent lanes() const { return family->lanes; }
  /// What an output sums: its bias, as a product with one, and its input channels.
  Extent products() const { return view.ICG() + (view.has_bias ? 1 : 0); }
  Extent panel_tasks() const { return parts_of(panels, panels_per_task); }
  Extent channel_tasks() const { return parts_of(view.OCG(), channels_per_task); }
  Extent tasks() const { return view.N * view.G * panel_tasks() * channel_tasks(); }
  /// Output channels of a tile by so many vectors, at most: more rows of weights at once would
  /// crowd the first-level cache.
  Extent most_channels(Extent of_vectors) const {
    return std::min(family->max_pixels[of_vectors], kMaxPixelsOfLongSums);
  }
  /// Vectors before panel `p` of a plane.
  Extent vectors_before(Extent p) const { return p * narrow_vectors + (p < wider ? p : wider); }
  Extent packed_elements() const { return view.OC * packed_row; }
  Extent staged_src() const { return 0; }
  /// Elements that a task needs for a panel of src.
  Extent staged_dst() const { return vectors * lanes() * products(); }
};

/// Writes weights as [output channel][bias, if there is one, then input channels, then zeros].
void pack(const Context& context, const PointwiseNcx& pointwise, const void* weights,
          const void* bias, void* to);

/// Computes dst from src and packed weights. `workspace` holds for each thread a panel of
/// src: [one, if there is a bias, then input channels][pixels].
void run(const Context& context, const PointwiseNcx& pointwise, const void* packed, const void* src,
         void* dst, void* workspace);

void describe(const Context& context, const PointwiseNcx& pointwise, std::ostream& out);

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_POINTWISE_PLAN_H_
