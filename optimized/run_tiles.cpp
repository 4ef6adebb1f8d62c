// SPDX-License-Identifier: Apache-2.0
#include "optimized/run_tiles.h"

#include <algorithm>

#include "optimized/stage.h"
#include "optimized/view.h"

namespace concord::optimized {
namespace {

// Strips of one segment in one row of outputs.
struct Strip {
  Extent n, od, oh, ow;
  std::size_t segment;
  Extent tiles;
};

Strip strip_at(const Tiling& t, Extent index) {
  const Extent per_row = t.strips_before.back();
  const Extent row = index / per_row;
  const Extent in_row = index % per_row;
  const auto after = std::upper_bound(t.strips_before.begin(), t.strips_before.end(), in_row);
  const auto at = static_cast<std::size_t>(after - t.strips_before.begin()) - 1;
  const Segment& segment = t.segments[at];
  const Extent first = (in_row - t.strips_before[at]) * kTilesPerStrip;
  return {.n = row / t.view.O[1] / t.view.O[0],
          .od = row / t.view.O[1] % t.view.O[0],
          .oh = row % t.view.O[1],
          .ow = segment.begin + first * segment.pixels,
          .segment = at,
          .tiles = std::min(segment.tiles - first, kTilesPerStrip)};
}

class TileRunner {
 public:
  TileRunner(const Plan& plan, const float* packed, const float* src, void* dst, float* scratch)
      : plan_(plan), t_(plan.tiling), packed_(packed), src_(src), dst_(dst), scratch_(scratch) {}

  void run(Extent task, int slot) const {
    const Extent strip_task = task % t_.strip_tasks();
    const Extent panel_task = task / t_.strip_tasks() % t_.panel_tasks();
    Work work;
    work.g = task / t_.strip_tasks() / t_.panel_tasks();
    work.first_panel = panel_task * t_.panels_per_task;
    work.last_panel = std::min(work.first_panel + t_.panels_per_task, t_.panels);
    work.first_strip = strip_task * t_.strips_per_task;
    work.last_strip = std::min(work.first_strip + t_.strips_per_task, t_.strips());
    work.scratch = t_.stages_dst ? scratch_ + slot * t_.staged_dst() : nullptr;
    for (Extent block = 0; block < t_.channel_blocks(); ++block) {
      for (Extent p = work.first_panel; p < work.last_panel; ++p) run_panel(work, block, p);
    }
    if (t_.stages_dst) store(work);
  }

 private:
  // A task: the panels of output channels and the strips of pixels that it computes.
  struct Work {
    Extent g, first_panel, last_panel, first_strip, last_strip;
    float* scratch;
  };

  // Where the strip's first pixel and the panel's first channel lie in the task's scratch.
  float* scratch_at(const Work& work, Extent strip, Extent p) const {
    const Extent pixels = t_.staged_dst() / t_.strips_per_task;
    return work.scratch + (strip - work.first_strip) * pixels +
           (p - work.first_panel) * t_.panel_width();
  }
  Extent scratch_pixel() const { return t_.panels_per_task * t_.panel_width(); }

  void run_panel(const Work& work, Extent block, Extent p) const {
    const Extent first_channel = block * t_.channel_block;
    const Extent channels = std::min(t_.channel_block, t_.view.ICG() - first_channel);
    const int vectors = t_.vectors_of(p);
    const Extent width = vectors * t_.lanes();
    TileCall call{};
    call.src = src_;
    call.src_pixel = sum_of_products({{t_.view.S[2], t_.view.src.spatial[2]}});
    call.src_depth_tap = sum_of_products({{t_.view.D[0], t_.view.src.spatial[0]}});
    call.src_row_tap = sum_of_products({{t_.view.D[1], t_.view.src.spatial[1]}});
    call.weights_row_tap = t_.view.K[2] * channels;
    call.weights_depth_tap = t_.view.K[1] * call.weights_row_tap;
    call.bias = packed_ + t_.packed_weights() + work.g * t_.padded_ocg() + p * t_.panel_width();
    call.channels = std::min(width, t_.view.OCG() - p * t_.panel_width());
    call.accumulate = block > 0 ? 1 : 0;
    call.dst_pixel = t_.stages_dst ? scratch_pixel() : t_.view.dst.spatial[2];
    const float* weights =
        packed_ + t_.packed_offset(work.g, p) + first_channel * t_.taps() * width;
    const Extent next = distance_to_next(work, block, p);
    for (Extent index = work.first_strip; index < work.last_strip; ++index) {
      const Strip strip = strip_at(t_, index);
      // Each of the first strips brings one vector of each product of the next weights.
      const Extent lane = index - work.first_strip;
      call.ahead = next != 0 && lane < vectors ? next + lane * t_.lanes() : 0;
      const Segment& segment = t_.segments[strip.segment];
      const auto& runs = t_.runs[block + 1 == t_.channel_blocks() ? 1 : 0][strip.segment];
      const Extent first_tap = place(work, strip, first_channel, &call);
      call.weights = weights + first_tap * channels * width;
      call.runs = runs.data();
      call.run_count = static_cast<std::int64_t>(runs.size());
      call.src_tile = segment.pixels * call.src_pixel;
      call.dst_tile = segment.pixels * call.dst_pixel;
      call.tiles = strip.tiles;
      call.dst = t_.stages_dst ? scratch_at(work, index, p) : dst_at(work, strip, p);
      t_.family->kernels[vectors][segment.pixels](call);
    }
  }

  // From the weights of this block and panel to those that the task uses next; 0 for none.
  Extent distance_to_next(const Work& work, Extent block, Extent p) const {
    const bool ends_block = p + 1 == work.last_panel;
    if (ends_block && block + 1 == t_.channel_blocks()) return 0;
    const auto place = [&](Extent b, Extent panel) {
      return t_.packed_offset(work.g, panel) +
             b * t_.channel_block * t_.taps() * t_.vectors_of(panel) * t_.lanes();
    };
    const Extent next = ends_block ? place(block + 1, work.first_panel) : place(block, p + 1);
    return next - place(block, p);
  }

  // Sets the source of the strip, and how many planes and rows of taps read it; returns the first
  // of these taps.
  Extent place(const Work& work, const Strip& strip, Extent first_channel, TileCall* call) const {
    const Shape& v = t_.view;
    const Axis::Range kd = axis(0).taps_of(strip.od);
    const Axis::Range kh = axis(1).taps_of(strip.oh);
    call->depth_taps = kd.end - kd.begin;
    call->row_taps = kh.end - kh.begin;
    call->src_offset =
        sum_of_products({{strip.n, v.src.outer},
                         {work.g * v.ICG() + first_channel, v.src.channel},
                         {strip.od * v.S[0] + kd.begin * v.D[0] - v.P[0], v.src.spatial[0]},
                         {strip.oh * v.S[1] + kh.begin * v.D[1] - v.P[1], v.src.spatial[1]},
                         {strip.ow * v.S[2] - v.P[2], v.src.spatial[2]}});
    return (kd.begin * v.K[1] + kh.begin) * v.K[2];
  }

  Axis axis(std::size_t at) const {
    const Shape& v = t_.view;
    return {.I = v.I[at], .O = v.O[at], .K = v.K[at], .S = v.S[at], .D = v.D[at], .P = v.P[at]};
  }

  float* dst_at(const Work& work, const Strip& strip, Extent p) const {
    const Strides& dst = t_.view.dst;
    return static_cast<float*>(dst_) +
           sum_of_products({{strip.n, dst.outer},
                            {work.g * t_.view.OCG() + p * t_.panel_width(), dst.channel},
                            {strip.od, dst.spatial[0]},
                            {strip.oh, dst.spatial[1]},
                            {strip.ow, dst.spatial[2]}});
  }

  // Takes the task's finished tiles to dst.
  void store(const Work& work) const {
    for (Extent index = work.first_strip; index < work.last_strip; ++index) {
      const Strip strip = strip_at(t_, index);
      const Extent first = work.first_panel * t_.panel_width();
      const Extent last = std::min(work.last_panel * t_.panel_width(), t_.view.OCG());
      store_dst(plan_, t_.view.dst,
                {.n = strip.n,
                 .od = strip.od,
                 .oh = strip.oh,
                 .ow = strip.ow,
                 .pixels = strip.tiles * t_.segments[strip.segment].pixels,
                 .oc = work.g * t_.view.OCG() + first,
                 .channels = last - first},
                scratch_at(work, index, work.first_panel), scratch_pixel(), dst_);
    }
  }

  const Plan& plan_;
  const Tiling& t_;
  const float* packed_;
  const float* src_;
  void* dst_;
  float* scratch_;
};

}  // namespace

void run_tiles(const Plan& plan, const float* packed, const void* src, void* dst,
               float* workspace) {
  const Tiling& t = plan.tiling;
  const float* from = static_cast<const float*>(src);
  if (t.stages_src) {
    stage_src(plan, src, workspace);
    from = workspace;
  }
  const TileRunner runner(plan, packed, from, dst, workspace + t.staged_src());
  plan.team->run(t.tasks(), [&](Extent task, int slot) { runner.run(task, slot); });
}

}  // namespace concord::optimized
