// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "optimized/amx/plan.h"
#include "optimized/direct/row_tiles.h"
#include "optimized/layout/pairs.h"
#include "optimized/layout/stage.h"
#include "optimized/shape/view.h"

namespace concord::optimized {
namespace {

constexpr Extent kBytes = 2;

// A task: some rows (or tiles, in place) of a plane of outputs, and some panels.
struct Work {
  Extent n, g, od;
  Extent first_row, last_row, first_panel, last_panel;
  std::uint16_t* slab;
  float* sums;
};

// One tile of outputs, and the taps that it needs.
struct Tile {
  Extent oh, ow;
  Axis::Range kh;
};

struct Pair {
  Tile tiles[2];  // twice the same where there is one
  Extent count;
};

// Pairs of tiles one after the other, of as many tiles each and with the same taps.
struct PairRun {
  AmxBlock blocks[AmxPlan::kMostBlocks];
  Extent count = 0;
  Pair first{};
  Extent first_step = 0;  // of the weights that the taps need
};

class AmxRunner {
 public:
  AmxRunner(const Context& context, const AmxPlan& b, const float* packed, const void* src,
            void* dst, float* workspace)
      : context_(context),
        b_(b),
        v_(b.view),
        packed_(packed),
        src_(static_cast<const std::uint16_t*>(src)),
        dst_(dst),
        workspace_(workspace) {
    // Copied rows have zeros for padding, which a weight that is not finite would turn into NaN:
    // then all padding is multiplied, so that all outputs are alike.
    const float* infinite = packed + b_.packed_weights() + b_.packed_bias();
    const bool finite =
        std::count(infinite, infinite + v_.G * b_.panels(), 0.0F) == v_.G * b_.panels();
    leaves_out_ = finite || b_.in_place;
    for (Extent oh = 0; oh < v_.O[1]; ++oh) row_taps_.push_back(taps(1, oh));
    for (Extent p = 0; p < b_.panels(); ++p) {
      panels_.push_back(
          {.tiles = b_.tiles_of(p),
           .weights = b_.packed_offset(0, p),
           .channels = std::min(AmxPlan::kPanelWidth, v_.OCG() - p * AmxPlan::kPanelWidth)});
    }
  }

  void run(Extent task, int slot) const {
    const Work work = work_of(task, slot);
    if (!b_.in_place) fill_slab(work);
    // Weights that stay in the second-level cache are traversed for every few pairs of tiles, whose
    // outputs are then written together; others once for all of the task's tiles.
    const Extent together = b_.by_pixels ? work.last_panel - work.first_panel : 1;
    for (Extent p = work.first_panel; p < work.last_panel; p += together) {
      run_panels(work, p, p + together);
    }
    b_.family->release();
  }

 private:
  Work work_of(Extent task, int slot) const {
    Work work{};
    const Extent row_task = task % b_.row_tasks();
    task /= b_.row_tasks();
    work.od = task % v_.O[0];
    task /= v_.O[0];
    const Extent panel_task = task % b_.panel_tasks();
    task /= b_.panel_tasks();
    work.g = task % v_.G;
    work.n = task / v_.G;
    work.first_row = row_task * b_.rows_per_task;
    work.last_row = std::min(work.first_row + b_.rows_per_task, b_.rows());
    work.first_panel = panel_task * b_.panels_per_task;
    work.last_panel = std::min(work.first_panel + b_.panels_per_task, b_.panels());
    const auto address = reinterpret_cast<std::uintptr_t>(workspace_);
    constexpr std::uintptr_t kLine = 64;
    float* own =
        workspace_ + (kLine - address % kLine) % kLine / sizeof(float) + slot * b_.staged_dst();
    work.sums = own;
    work.slab = reinterpret_cast<std::uint16_t*>(own + Extent{2} * kBlockSums);
    return work;
  }

  Axis::Range taps(std::size_t axis, Extent o) const {
    if (!leaves_out_) return {0, v_.K[axis]};
    return axis_of(v_, axis).taps_of(o);
  }

  void fill_slab(const Work& work) const {
    const Axis::Range kd = taps(0, work.od);
    for (Extent k = kd.begin; k < kd.end; ++k) {
      const Extent id = work.od * v_.S[0] + k * v_.D[0] - v_.P[0];
      const Extent rows =
          (work.last_row - work.first_row - 1) * v_.S[1] + (v_.K[1] - 1) * v_.D[1] + 1;
      for (Extent r = 0; r < rows; ++r) {
        const Extent ih = work.first_row * v_.S[1] - v_.P[1] + r;
        std::uint16_t* to = work.slab + (k * b_.slab_rows() + r) * b_.slab_row();
        const bool exists = id >= 0 && id < v_.I[0] && ih >= 0 && ih < v_.I[1];
        if (exists) {
          fill_row(work, id, ih, to);
        } else if (!leaves_out_) {
          std::fill(to, to + b_.slab_row(), std::uint16_t{0});
        }
      }
    }
  }

  // One row of src between the zeros that stand for padding.
  void fill_row(const Work& work, Extent id, Extent ih, std::uint16_t* to) const {
    const Extent columns = b_.slab_row() / b_.channels;
    const Extent before = std::min(v_.P[2], columns);
    const Extent count = std::clamp<Extent>(columns - before, 0, v_.I[2]);
    std::uint16_t* at = to + before * b_.channels;
    const bool pads_channels = b_.channels > v_.ICG() + v_.ICG() % 2 || v_.ICG() == 0;
    std::fill(to, pads_channels ? to + b_.slab_row() : at, std::uint16_t{0});
    std::fill(at + count * b_.channels, to + b_.slab_row(), std::uint16_t{0});
    copy_pairs(*context_.reorders,
               {.from = src_ + sum_of_products({{work.n, v_.src.outer},
                                                {work.g * v_.ICG(), v_.src.channel},
                                                {id, v_.src.spatial[0]},
                                                {ih, v_.src.spatial[1]}}),
                .count = count,
                .step = v_.src.spatial[2],
                .groups = 1,
                .channels = v_.ICG(),
                .channel_step = v_.src.channel},
               at, b_.channels);
  }

  const void* src_of(const Work& work, const Tile& tile, Extent kd) const {
    if (b_.in_place) {
      const Extent at = sum_of_products(
          {{work.n, v_.src.outer},
           {work.g * v_.ICG(), 1},
           {work.od * v_.S[0] + kd * v_.D[0] - v_.P[0], v_.src.spatial[0]},
           {tile.oh * v_.S[1] + tile.kh.begin * v_.D[1] - v_.P[1], v_.src.spatial[1]},
           {tile.ow * v_.S[2] - v_.P[2], v_.src.spatial[2]}});
      return src_ + at;
    }
    const Extent row = (tile.oh - work.first_row) * v_.S[1] + tile.kh.begin * v_.D[1];
    return work.slab + (kd * b_.slab_rows() + row) * b_.slab_row() +
           tile.ow * v_.S[2] * b_.channels;
  }

  // Of the group's first channel.
  std::byte* dst_of(const Work& work, const Tile& tile) const {
    return static_cast<std::byte*>(dst_) +
           kBytes * sum_of_products({{work.n, v_.dst.outer},
                                     {work.g * v_.OCG(), v_.dst.channel},
                                     {work.od, v_.dst.spatial[0]},
                                     {tile.oh, v_.dst.spatial[1]},
                                     {tile.ow, v_.dst.spatial[2]}});
  }

  // What all calls of a task have in common.
  AmxCall begin_call(const Work& work) const {
    const bool dense = b_.in_place;
    const Axis::Range kd = taps(0, work.od);
    AmxCall call{};
    call.src_pixel = kBytes * multiply(v_.S[2], dense ? v_.src.spatial[2] : b_.channels);
    call.src_row_tap = kBytes * multiply(v_.D[1], dense ? v_.src.spatial[1] : b_.slab_row());
    call.src_depth_tap =
        kBytes * (dense ? multiply(v_.D[0], v_.src.spatial[0]) : b_.slab_rows() * b_.slab_row());
    call.weights_row_tap = b_.steps;
    call.weights_depth_tap = v_.K[1] * b_.steps;
    call.depth_taps = kd.end - kd.begin;
    call.chunk = b_.chunk;
    call.sums = work.sums;
    call.writes_dst = b_.stages_dst ? 0 : 1;
    call.dst_pixel = kBytes * v_.dst.spatial[2];
    call.non_temporal = b_.non_temporal_dst ? 1 : 0;
    return call;
  }

  void run_panels(const Work& work, Extent first_panel, Extent last_panel) const {
    AmxCall call = begin_call(work);
    Extent before = 0;
    for (const AmxSegment& segment : b_.segments[leaves_out_ ? 0 : 1]) {
      call.pixels = segment.pixels;
      call.steps = segment.steps.data();
      call.step_count = static_cast<std::int64_t>(segment.steps.size());
      // Tiles are counted segment by segment, row by row.
      const Extent tiles = segment.tiles * v_.O[1];
      Extent first = b_.in_place ? work.first_row - before : work.first_row * segment.tiles;
      Extent last = b_.in_place ? work.last_row - before : work.last_row * segment.tiles;
      first = std::clamp<Extent>(first, 0, tiles);
      last = std::clamp<Extent>(last, 0, tiles);
      before += tiles;
      if (first >= last) continue;
      b_.family->configure(segment.pixels, b_.chunk);
      while (first < last) {
        const PairRun run = take_run(work, segment, last, &first);
        for (Extent p = first_panel; p < last_panel; ++p) run_blocks(work, p, run, &call);
      }
    }
  }

  Tile tile_at(const AmxSegment& segment, Extent index) const {
    const Extent oh = index / segment.tiles;
    return {oh, segment.begin + index % segment.tiles * segment.pixels,
            row_taps_[static_cast<std::size_t>(oh)]};
  }

  // Two tiles at a time where they have the same taps.
  Pair pair_at(const AmxSegment& segment, Extent first, Extent last) const {
    const Tile tile = tile_at(segment, first);
    const Tile next = first + 1 < last ? tile_at(segment, first + 1) : tile;
    const bool same = next.kh.begin == tile.kh.begin && next.kh.end == tile.kh.end;
    return {{tile, next}, first + 1 < last && same ? 2 : 1};
  }

  PairRun take_run(const Work& work, const AmxSegment& segment, Extent last, Extent* next) const {
    const Extent kd = taps(0, work.od).begin;
    PairRun run;
    run.first = pair_at(segment, *next, last);
    const Axis::Range kh = run.first.tiles[0].kh;
    run.first_step = (kd * v_.K[1] + kh.begin) * b_.steps;
    for (Pair pair = run.first; pair.count == run.first.count && pair.tiles[0].kh == kh;
         pair = pair_at(segment, *next, last)) {
      AmxBlock& block = run.blocks[run.count++];
      for (std::size_t i = 0; i < 2; ++i) {
        block.src[i] = src_of(work, pair.tiles[i], kd);
        block.dst[i] = dst_of(work, pair.tiles[i]);
      }
      *next += pair.count;
      if (*next == last || run.count == b_.blocks_at_once) break;
    }
    return run;
  }

  void run_blocks(const Work& work, Extent p, const PairRun& run, AmxCall* call) const {
    const Panel& panel = panels_[static_cast<std::size_t>(p)];
    const Axis::Range kh = run.first.tiles[0].kh;
    call->blocks = run.blocks;
    call->block_count = run.count;
    call->row_taps = kh.end - kh.begin;
    call->weights = reinterpret_cast<const std::uint16_t*>(packed_) + b_.packed_offset(work.g, 0) +
                    panel.weights + run.first_step * b_.chunk * kBlockChannels * panel.tiles;
    call->bias =
        packed_ + b_.packed_weights() + work.g * b_.padded_ocg() + p * AmxPlan::kPanelWidth;
    call->channels = panel.channels;
    call->dst_channel = multiply(p * AmxPlan::kPanelWidth * kBytes, v_.dst.channel);
    b_.family->kernels[run.first.count][panel.tiles](*call);
    if (b_.stages_dst) store_sums(work, p, run.first, *call);
  }

  void store_sums(const Work& work, Extent p, const Pair& pair, const AmxCall& call) const {
    for (Extent i = 0; i < pair.count; ++i) {
      const Tile& tile = pair.tiles[i];
      store_dst(context_, v_.dst,
                {.n = work.n,
                 .od = work.od,
                 .oh = tile.oh,
                 .ow = tile.ow,
                 .pixels = call.pixels,
                 .oc = work.g * v_.OCG() + p * AmxPlan::kPanelWidth,
                 .channels = call.channels},
                work.sums + i * kBlockPixels * AmxPlan::kPanelWidth, AmxPlan::kPanelWidth, dst_);
    }
  }

  struct Panel {
    Extent tiles, weights, channels;
  };

  const Context& context_;
  const AmxPlan& b_;
  const Shape& v_;
  const float* packed_;
  const std::uint16_t* src_;
  void* dst_;
  float* workspace_;
  bool leaves_out_;
  // Of each row of outputs and of each panel, what would be divisions in every block.
  std::vector<Axis::Range> row_taps_{};
  std::vector<Panel> panels_{};
};

}  // namespace

void run(const Context& context, const AmxPlan& b, const void* packed, const void* src, void* dst,
         void* workspace) {
  const AmxRunner runner(context, b, static_cast<const float*>(packed), src, dst,
                         static_cast<float*>(workspace));
  context.thread_pool->run(b.tasks(), [&](Extent task, int slot) { runner.run(task, slot); });
}

}  // namespace concord::optimized
