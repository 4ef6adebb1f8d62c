// SPDX-License-Identifier: Apache-2.0
// Direct convolution in register tiles: how it is cut into tiles, panels and tasks; packs and runs.
#ifndef CONCORD_OPTIMIZED_DIRECT_PLAN_H_
#define CONCORD_OPTIMIZED_DIRECT_PLAN_H_

#include <array>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "optimized/context.h"
#include "optimized/direct/planned_call.h"
#include "optimized/direct/row_tiles.h"
#include "optimized/kernels/direct/kernel.h"
#include "optimized/shape/view.h"

namespace concord::optimized {

/// Up to this many tiles of a segment are one strip, the unit of work.
inline constexpr Extent kMostTilesPerStrip = 16;

/// Direct convolution in register tiles of pixels by output channels: everything that no other
/// algorithm takes.
struct Tiling {
  static constexpr const char* kName = "tiles";
  const TileFamily* family = nullptr;
  /// The shape as the kernels see it: strides of the staged src where it is staged, axes that can
  /// be walked as one joined into the last, and for kernels of bf16 IC and strides of src in pairs.
  Shape view{};
  bool is_turned = false;         ///< rows of the view are columns of the image
  bool is_of_images = false;      ///< or the same pixel of all images, read and written in place
  int vectors = 0;                ///< of output channels, in every panel of a group but its last
  Extent panels = 0;              ///< of a group
  Extent channel_block = 0;       ///< input channels of the view that a kernel call sums over
  bool stages_src = false;        ///< src is copied into the workspace, channels last,
  bool stages_by_task = false;    ///< in the parts that the tasks read, or else before they run
  bool stages_dst = false;        ///< tiles go to the workspace, and from there to dst
  bool rounds_dst = false;        ///< tiles go to dst, which is of bf16
  bool non_temporal_dst = false;  ///< what is staged is written with non-temporal stores
  bool halves = false;            ///< kernels compute half a vector where no more is needed
  bool prefetches_src = false;    ///< a row of outputs early, or a tile
  bool prefetches_dst = false;    ///< a tile early
  /// Some runs leave out pixels, which may be read where they lie between elements of src: there
  /// are no gaps.
  bool reads_left_out = false;
  /// Where src is staged: what is staged of it, axes not joined, and its strides in elements of the
  /// tensor as it lies. Pointwise axes are staged without what their stride leaves out.
  Spatial staged_extents{};
  Strides staged_from{};
  Extent staged_pixel = 0;          ///< elements from one staged pixel to the next
  std::vector<Segment> segments{};  ///< of a row of outputs
  /// For each segment: its taps as runs, for full channel blocks and for the last one.
  std::vector<std::vector<Run>> runs[2]{};
  Extent tiles_per_strip = kMostTilesPerStrip;
  std::vector<Extent> strips_before{};  ///< of the row before each segment, and in all
  /// Images, planes of outputs, their rows and strips of a row that a task computes: more than one
  /// only of what is otherwise whole.
  std::array<Extent, 4> task{1, 1, 1, 1};
  Extent panels_per_task = 0;
  /// Tasks of all groups follow one another, then those of the next strips: where pixels hold many
  /// groups, whose channels share cache lines and pages.
  bool groups_inside = false;
  int slots = 1;  ///< tasks at the same time
  /// The calls of all tasks, and how many are before each, where they are few: of a small problem
  /// they take longer to find than the tiles to compute.
  std::vector<PlannedCall> calls{};
  std::vector<std::ptrdiff_t> calls_before{};

  /// Cuts a shape that is not empty into the best register tiles that compute in its dtype, and
  /// into tasks for the threads.
  /// Numeric  which products are summed in which order depends on the shape and the family alone
  static std::optional<Tiling> make(const Context& context, const Options& options);

  const char* kernel() const { return family->name; }
  bool flushes_subnormals() const { return reads_pairs(); }
  /// Channel blocks come before taps.
  std::string sums() const {
    return std::string(kernel()) + ", passes of " + std::to_string(channel_block) + " channels";
  }
  Extent lanes() const { return family->lanes; }
  bool reads_pairs() const { return family->channels == 2; }
  /// Bytes of an element of packed weights, of src as kernels see it, and of a sum.
  Extent element_bytes() const { return family->element_bytes; }
  Extent bytes(Extent elements) const { return multiply(elements, element_bytes()); }
  /// Bytes of what a tile stores.
  Extent stored_bytes(Extent elements) const {
    return rounds_dst ? multiply(elements, static_cast<Extent>(size_of(view.dtype)))
                      : bytes(elements);
  }
  Extent panel_width() const { return vectors * lanes(); }
  /// Vectors of panel `p`: the last one may be narrower.
  int vectors_of(Extent p) const;
  /// True if kernels can compute the last vector of a group as half a one.
  bool has_half_vector() const;
  /// Pixels of the largest tile.
  int largest_tile() const;
  /// Output channels of a group, padded to whole vectors.
  Extent padded_ocg() const;
  Extent channel_blocks() const;
  Extent rows() const { return view.N * view.O[0] * view.O[1]; }
  Extent strips() const { return rows() * strips_before.back(); }
  Extent strips_per_task() const { return task[0] * task[1] * task[2] * task[3]; }
  Extent panel_tasks() const { return parts_of(panels, panels_per_task); }
  Extent strip_tasks() const;
  Extent tasks() const { return view.G * panel_tasks() * strip_tasks(); }
  /// Which strips a task computes, and which panels, counted through all groups.
  Extent strips_of(Extent index) const {
    return groups_inside ? divide(index, view.G * panel_tasks()).whole
                         : divide(index, strip_tasks()).rest;
  }
  Extent panels_of(Extent index) const {
    return groups_inside ? divide(index, view.G * panel_tasks()).rest
                         : divide(index, strip_tasks()).whole;
  }
  /// The most outputs of a channel that a task computes, and those in one row.
  Extent pixels_of_row_part() const;
  Extent pixels_per_task() const { return task[0] * task[1] * task[2] * pixels_of_row_part(); }
  /// Elements that a task needs for tiles that do not go straight to dst.
  Extent staged_dst() const { return stages_dst ? pixels_per_task() * panel_width() : 0; }
  Extent taps() const { return view.K[0] * view.K[1] * view.K[2]; }
  /// Elements of packed weights before panel `p` of group `g`, and of all groups together.
  Extent packed_offset(Extent g, Extent p) const;
  Extent packed_weights() const { return packed_offset(view.G, 0); }
  Extent packed_elements() const { return packed_weights() + view.G * padded_ocg(); }
  /// Elements of the staged src: of all of it, or of the tasks' parts.
  Extent staged_src() const;
};

/// Writes weights, one group after the other, each panel as
/// [channel block][kd][kh][kw][channel][output channel padded to vectors], then the bias. Kernels
/// of bf16 get pairs of channels for channels, each two elements in the place of one f32.
void pack(const Context& context, const Tiling& tiling, const void* weights, const void* bias,
          void* to);

/// Plans the calls of a tiling that is otherwise complete, if they are few and nothing is staged.
void plan_calls(const Context& context, Tiling* tiling);

/// Computes dst from src and packed weights. `workspace` holds the staged src, then for each thread
/// the tiles of a task that are on their way to dst.
void run(const Context& context, const Tiling& tiling, const void* packed, const void* src,
         void* dst, void* workspace);
/// The same with weights as they lie, which tasks pack where that is better; `packed` is memory as
/// large as packed weights are.
void run_unpacked(const Context& context, const Tiling& tiling, const void* weights,
                  const void* bias, void* packed, const void* src, void* dst, void* workspace);

void describe(const Context& context, const Tiling& tiling, std::ostream& out);

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_DIRECT_PLAN_H_
