// SPDX-License-Identifier: Apache-2.0
// Direct convolutions of bf16 on AMX.
#ifndef CONCORD_OPTIMIZED_AMX_PLAN_H_
#define CONCORD_OPTIMIZED_AMX_PLAN_H_

#include <iosfwd>
#include <optional>
#include <vector>

#include "optimized/context.h"
#include "optimized/kernels/amx/kernel.h"

namespace concord::optimized {

/// Tiles of a row of outputs side by side, of equal size and equal steps.
struct AmxSegment {
  Extent begin = 0;  ///< the first output
  Extent pixels = 0;
  Extent tiles = 0;
  std::vector<AmxStep> steps{};
};

/// Direct convolution in matrix tiles. A task computes some rows of one plane of outputs of one
/// group. It reads src in place, if no tile meets padding, or copies the rows that it needs into a
/// slab of its own: zeros around them, channels last and padded so that equal chunks divide them.
struct AmxPlan {
  static constexpr const char* kName = "amx";
  const AmxFamily* family = nullptr;
  Shape view{};  ///< axes that can be walked as one are joined into the last
  bool in_place = false;
  bool stages_dst = false;  ///< channels are not next to one another: sums are stored apart
  Extent channels = 0;      ///< input channels of a group, padded
  Extent chunk = 0;         ///< channels, across neighbouring taps, that a step takes
  Extent steps = 0;         ///< of a kernel row
  /// Of a row of outputs: leaving out taps that touch only padding, and with all of them.
  std::vector<AmxSegment> segments[2]{};
  /// Of a plane of outputs: rows; or tiles, where src is read in place.
  Extent rows_per_task = 0;
  Extent panels_per_task = 0;
  bool by_pixels = false;         ///< all panels of a group fit a core's own cache
  Extent blocks_at_once = 1;      ///< pairs of tiles that a panel is used for before the next one
  bool non_temporal_dst = false;  ///< whole lines of dst are written with non-temporal stores

  /// Plans a shape that is not empty; nothing if there are no matrix tiles for its dtype, or they
  /// do not suit it.
  /// Numeric  which products are summed in which order depends on the shape alone
  static std::optional<AmxPlan> make(const Context& context, const Options& options);

  const char* kernel() const { return family->name; }
  bool flushes_subnormals() const { return true; }

  static constexpr Extent kMostBlocks = 32;
  static constexpr Extent kPanelWidth = Extent{2} * kBlockChannels;
  Extent panels() const { return (view.OCG() + kPanelWidth - 1) / kPanelWidth; }
  /// Tiles of output channels of panel `p`: 1 or 2.
  Extent tiles_of(Extent p) const;
  Extent padded_ocg() const;
  Extent rows() const;
  Extent row_tasks() const { return (rows() + rows_per_task - 1) / rows_per_task; }
  Extent panel_tasks() const { return (panels() + panels_per_task - 1) / panels_per_task; }
  Extent tasks() const { return view.N * view.G * view.O[0] * row_tasks() * panel_tasks(); }
  /// Of the slab: elements of a row, rows of a plane, elements in all.
  Extent slab_row() const;
  Extent slab_rows() const;
  Extent slab() const { return in_place ? 0 : view.K[0] * slab_rows() * slab_row(); }

  /// Elements of bf16 of the packed weights before panel `p` of group `g`.
  Extent packed_offset(Extent g, Extent p) const;
  /// Elements of four bytes: weights, bias, and for each panel whether all weights are finite.
  Extent packed_weights() const { return packed_offset(view.G, 0) / 2; }
  Extent packed_bias() const { return view.G * padded_ocg(); }
  Extent packed_elements() const { return packed_weights() + packed_bias() + view.G * panels(); }
  /// Elements of four bytes of the workspace: what aligns it, and what each thread needs.
  Extent staged_src() const { return 16; }
  Extent staged_dst() const;
};

/// Writes weights, one group after the other, each panel as
/// [kd][kh][step][tile of 16 channels][chunk / 2][output channel][2], then the bias in f32, then
/// for each panel 1 if one of its weights is not finite, else 0.
void pack(const Context& context, const AmxPlan& amx, const void* weights, const void* bias,
          void* to);

/// Computes dst from src and packed weights. `workspace` holds for each thread the rows of src that
/// its task needs and the sums of two blocks.
/// Numeric  padding is either left out or, where it is not the same, multiplied as zeros: if a
///          weight is not finite, all of it that meets copied rows is multiplied
void run(const Context& context, const AmxPlan& amx, const void* packed, const void* src, void* dst,
         void* workspace);

void describe(const Context& context, const AmxPlan& amx, std::ostream& out);

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_AMX_PLAN_H_
