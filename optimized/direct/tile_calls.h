// SPDX-License-Identifier: Apache-2.0
// The calls that a task makes of register tiles' kernels: what each computes, where its tensors lie
// and what it prefetches of them, as offsets.
#ifndef CONCORD_OPTIMIZED_DIRECT_TILE_CALLS_H_
#define CONCORD_OPTIMIZED_DIRECT_TILE_CALLS_H_

#include <algorithm>
#include <optional>

#include "optimized/direct/pack.h"
#include "optimized/direct/src_box.h"

namespace concord::optimized {

/// The panels of output channels and the outputs that a task computes, and what it reads.
struct Work {
  Extent task;
  Outputs outputs;
  Extent g, first_panel, last_panel;
  Extent src_begin = 0;     ///< bytes of src before the group's
  Extent src_elements = 0;  ///< from there on, where kernels read what runs leave out
  Strides strides{};        ///< of src
  /// The pixel where src begins, if the task has brought its own part.
  Extent first_image = 0;
  Spatial begin{};
};

/// The call of a panel, of which strips set the rest.
struct PanelCall {
  TileCall call{};
  Places places{};
  int vectors = 0;
  bool reads_ahead = false;  ///< strips prefetch src
  Extent most_rows = 1;      ///< of a call: rows that read the same taps
};

/// Sets the runs of a strip of the segment.
inline void set_runs(const Tiling& t, bool of_last_block, std::size_t segment, TileCall* call) {
  const auto& runs = t.runs[of_last_block ? 1 : 0][segment];
  call->runs = runs.data();
  call->run_count = static_cast<std::int64_t>(runs.size());
}

class TileCalls {
 public:
  TileCalls(const Context& context, const Tiling& t);

  /// A task whose src lies in place, or staged as a whole.
  Work work_of(Extent task) const;

  /// Calls use(block) with the blocks of weights that a task computes with: where dst is staged all
  /// of a panel come one after the other.
  template <class Use>
  void for_blocks(const Work& work, const Use& use) const {
    WeightBlock at{work.g, work.first_panel, 0};
    for (use(at); !ends(work, at); use(at)) at = *block_after(work, at);
  }
  /// The block that is used next. The next task, too, is a thread's own, unless another one has
  /// taken it meanwhile.
  std::optional<WeightBlock> block_after(const Work& work, const WeightBlock& at) const;
  /// True for the last block of a panel, and of a task.
  bool ends_panel(const WeightBlock& at) const { return at.block + 1 == sizes_.blocks; }
  bool ends(const Work& work, const WeightBlock& at) const {
    return at.panel + 1 == work.last_panel && ends_panel(at);
  }

  /// A panel whose weights are packed, or are packed meanwhile.
  PanelCall panel_of(const Work& work, const WeightBlock& at, bool packs) const;

  /// Calls use(strip, panel) with each strip of a task and its call; `stays(strip)` is true for
  /// those to which no others are joined.
  template <class Stays, class Use>
  void for_strips(const Work& work, const WeightBlock& at, PanelCall panel, const Stays& stays,
                  const Use& use) const {
    TileCall& call = panel.call;
    Places& places = panel.places;
    const Extent first_weights = places.weights;
    const Outputs& o = work.outputs;
    for (Extent row = o.first_strip; row < o.last_strip; row += call.rows * o.count[3]) {
      const Extent row_end = row + o.count[3];
      for (Extent index = row; index < row_end;) {
        Strip strip = strip_at(t_, index);
        if (index == row) {
          call.rows = rows_alike(strip.oh, o.first[2] + o.count[2], panel.most_rows);
        }
        if (!stays(strip)) strip.tiles = tiles_from(t_, strip, index, row_end);
        index += parts_of(strip.tiles, t_.tiles_per_strip);
        places.weights = first_weights + set_strip(work, at, strip, &call);
        places.dst = dst_of(work, strip, at.panel);
        if (panel.reads_ahead) places.ahead = prefetched_src(work, strip, call);
        use(strip, panel);
        places.ahead = {};
      }
    }
  }

  TileKernel kernel_of(int vectors, const Strip& strip) const {
    return t_.family->kernels[vectors][t_.segments[strip.segment].pixels];
  }

  /// Where an output of the view lies in the task's scratch, bytes: those that follow one another
  /// in a plane of the image do so there.
  Extent scratch_at(const Work& work, Extent n, Extent od, Extent oh, Extent ow) const;

 private:
  static Extent rows_that_prefetch(const Target& target, const Tiling& t, bool keeps_planes);

  // What calls need of a tiling, each of which is a division or more.
  struct Sizes {
    Sizes(const Target& target, const Tiling& t)
        : ICG(t.view.ICG()),
          OCG(t.view.OCG()),
          taps(t.taps()),
          blocks(t.channel_blocks()),
          panel_width(t.panel_width()),
          padded_ocg(t.padded_ocg()),
          packed_weights(t.packed_weights()),
          row_part(t.pixels_of_row_part()),
          pixels(t.pixels_per_task()),
          tiles(std::max<Extent>(pixels / t.largest_tile(), 1)),
          last_vectors(t.vectors_of(t.panels - 1)),
          keeps_planes(t.bytes(multiply(t.view.K[0] + t.view.S[0], t.view.src.spatial[0])) <=
                       target.blocks.src),
          rows_ahead(rows_that_prefetch(target, t, keeps_planes)) {}

    Extent ICG, OCG, taps, blocks, panel_width, padded_ocg, packed_weights, row_part;
    Extent pixels, tiles;  // of a task
    int last_vectors;
    bool keeps_planes;  // of src under an output, and under the next
    Extent rows_ahead;  // of a call that prefetches src
  };

  TileCall call_of(const WeightBlock& at, const Work& work) const;
  Extent scratch_pixel(const Work& work) const;
  Extent scratch_row() const;
  Extent channels_of(Extent block) const;
  int vectors_of(Extent p) const;
  bool prefetches_src(const Work& work, const WeightBlock& at, const Places::Ahead& weights) const;
  Extent set_strip(const Work& work, const WeightBlock& at, const Strip& strip,
                   TileCall* call) const;
  Extent rows_alike(Extent oh, Extent end, Extent most) const;
  WeightBlock first_of(Extent task) const;
  Extent place(const WeightBlock& at) const;
  Places::Ahead prefetched_weights(const Work& work, const WeightBlock& at) const;
  bool is_near_stream() const;
  Places::Ahead prefetched_src(const Work& work, const Strip& strip, const TileCall& call) const;
  Extent place(const Work& work, const Strip& strip, Extent first_channel, TileCall* call) const;
  Extent dst_of(const Work& work, const Strip& strip, Extent p) const;

  const Target& target_;
  const Tiling& t_;
  const Sizes sizes_;
};

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_DIRECT_TILE_CALLS_H_
