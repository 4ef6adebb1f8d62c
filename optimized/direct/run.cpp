// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "optimized/direct/on_the_fly.h"
#include "optimized/direct/tile_calls.h"
#include "optimized/layout/stage.h"
#include "optimized/shape/view.h"

namespace concord::optimized {
namespace {

constexpr Extent kLine = 64;  // bytes

// Runs tasks: brings what they read of src, packs weights, computes, and takes what is staged to
// dst.
class TileRunner {
 public:
  TileRunner(const Context& context, const Tiling& t, const Addresses& tensors, void* workspace)
      : context_(context),
        t_(t),
        calls_(context, t),
        tensors_(tensors),
        staged_(static_cast<std::byte*>(workspace)),
        scratch_(staged_ + t.bytes(t_.staged_src())) {}

  /// Tasks pack the weights that they use, into parts of `packed` of their own.
  void pack_from(const void* weights, void* packed) {
    for (int slot = 0; slot < t_.slots; ++slot) {
      packers_.emplace_back(
          context_, t_, weights,
          static_cast<std::byte*>(packed) + t_.bytes(slot * OnTheFlyPacker::buffers(t_)));
    }
  }

  void run(Extent task, int slot) {
    Work work = calls_.work_of(task);
    Addresses at = tensors_;
    if (t_.stages_by_task) {
      at.src = bring_src(slot, &work);
    } else if (t_.stages_src) {
      at.src = staged_;
    }
    if (t_.stages_dst) at.dst = scratch_ + t_.bytes(slot * t_.staged_dst());
    OnTheFlyPacker* const packer =
        packers_.empty() ? nullptr : &packers_[static_cast<std::size_t>(slot)];
    if (packer != nullptr) packer->begin(work.outputs);
    calls_.for_blocks(work, [&](const WeightBlock& block) {
      run_panel(work, block, packer, &at);
      if (t_.stages_dst && calls_.ends_panel(block)) store(work, block.panel, at.dst);
    });
  }

 private:
  // Copies what the task reads; returns where it lies.
  const std::byte* bring_src(int slot, Work* work) const {
    const SrcBox box = src_box(t_, work->outputs);
    std::byte* const staged = staged_ + t_.bytes(slot * largest_box(t_).elements());
    stage_box(context_, t_, tensors_.src, work->g, box, staged);
    work->first_image = box.first_image;
    work->begin = box.begin;
    work->src_begin = 0;
    work->src_elements = box.elements();
    work->strides = strides_of(t_, box);
    // The runs count on it that what is never multiplied by anything but zero is zero.
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (t_.view.I[axis] == 1) work->strides.spatial[axis] = 0;
    }
    return staged;
  }

  void run_panel(const Work& work, const WeightBlock& block, OnTheFlyPacker* packer,
                 Addresses* at) const {
    PanelCall first = calls_.panel_of(work, block, packer != nullptr);
    if (packer != nullptr) {
      at->weights = static_cast<const std::byte*>(packer->take(block));
      expect_after(work, block, packer);
      first.call.pack_job = packer->job();
    }
    PrefetchRange range{};
    const auto packs = [&](const Strip& strip) {
      return packer != nullptr && packer->packs_during(strip);
    };
    calls_.for_strips(work, block, first, packs, [&](const Strip& strip, PanelCall& panel) {
      panel.places.set(*at, &panel.call, &range);
      if (packs(strip)) pack_by_tiles(*packer, strip, panel.vectors, &panel.call);
      if (panel.call.tiles > 0) calls_.kernel_of(panel.vectors, strip)(panel.call);
    });
  }

  // Packing kernels compute tiles as long as rows are left to pack: the other kernels are faster.
  void pack_by_tiles(const OnTheFlyPacker& packer, const Strip& strip, int vectors,
                     TileCall* call) const {
    const TileKernel kernel = t_.family->packing[vectors][t_.segments[strip.segment].pixels];
    const std::int64_t tiles = std::exchange(call->tiles, 1);
    std::int64_t done = 0;
    for (; done < tiles && packer.packs_during(strip); ++done) {
      kernel(*call);
      call->src_offset = sum_of_products({{1, call->src_offset}, {1, call->src_tile}});
      if (call->dst != nullptr) {
        call->dst = static_cast<std::byte*>(call->dst) + t_.bytes(call->dst_tile);
      }
      if (call->rounded_dst != nullptr) call->rounded_dst += call->dst_tile;
    }
    call->tiles = tiles - done;
  }

  // No hint beyond the next task's first block.
  void expect_after(const Work& work, const WeightBlock& at, OnTheFlyPacker* packer) const {
    const auto next = calls_.block_after(work, at);
    if (!next) return;
    const auto after = calls_.ends(work, at) ? std::nullopt : calls_.block_after(work, *next);
    packer->expect(at, *next, after);
  }

  // Takes a finished panel to dst: whole rows of the image at once, or planes where they have no
  // gaps.
  void store(const Work& work, Extent p, const std::byte* staged) const {
    const Shape& v = t_.view;
    const Outputs& o = work.outputs;
    const bool is_whole = o.count[3] == t_.strips_before.back();
    const Strip last = strip_at(t_, o.last_strip - 1);
    const Extent begin = is_whole ? 0 : strip_at(t_, o.first_strip).ow;
    const Extent end = last.ow + last.tiles * t_.segments[last.segment].pixels;
    const Spatial first = in_image(t_, {0, o.first[2], begin});
    Spatial count = in_image(t_, {0, o.count[2], end - begin});
    Strides dst = v.dst;
    dst.spatial = in_image(t_, dst.spatial);
    const Extent width = in_image(t_, t_.view.O)[2];
    if (width == 1) dst.spatial[2] = dst.spatial[1];  // rows of one pixel are pixels of one row
    if (count[2] == width && dst.spatial[1] == multiply(width, dst.spatial[2])) {
      count[2] *= std::exchange(count[1], 1);
    }
    StagedRow row{};
    row.ow = first[2];
    row.pixels = count[2];
    row.oc = work.g * v.OCG() + p * t_.panel_width();
    row.channels = std::min(t_.panel_width(), v.OCG() - p * t_.panel_width());
    row.non_temporal = t_.non_temporal_dst;
    for (row.n = o.first[0]; row.n < o.first[0] + o.count[0]; ++row.n) {
      for (row.od = o.first[1]; row.od < o.first[1] + o.count[1]; ++row.od) {
        for (row.oh = first[1]; row.oh < first[1] + count[1]; ++row.oh) {
          const Spatial at = in_image(t_, {row.od, row.oh, row.ow});
          store_dst(context_, dst, row,
                    staged + calls_.scratch_at(work, row.n, at[0], at[1], at[2]), t_.panel_width(),
                    tensors_.dst);
        }
      }
    }
  }

  const Context& context_;
  const Tiling& t_;
  const TileCalls calls_;
  const Addresses tensors_;
  std::byte* const staged_;
  std::byte* const scratch_;
  std::vector<OnTheFlyPacker> packers_{};  // of each slot, where tasks pack the weights
};

// `weights` are packed, or lie as if they were; the bias is that behind packed ones.
Addresses addresses_of(const Tiling& t, const void* weights, const void* packed, const void* src,
                       void* dst) {
  return {.weights = static_cast<const std::byte*>(weights),
          .bias = static_cast<const std::byte*>(packed) + t.packed_weights() * t.element_bytes(),
          .src = static_cast<const std::byte*>(src),
          .dst = static_cast<std::byte*>(dst)};
}

void run_all(const Context& context, TileRunner runner, const Tiling& t, const void* src,
             void* workspace) {
  if (t.stages_src && !t.stages_by_task) stage_whole(context, t, src, workspace);
  context.thread_pool->run(t.tasks(), [&](Extent task, int slot) { runner.run(task, slot); });
}

// Tasks whose calls are planned.
void run_planned(const Context& context, const Tiling& t, const Addresses& tensors) {
  context.thread_pool->run(t.tasks(), [&](Extent task, int) {
    const auto first = t.calls.begin() + t.calls_before[static_cast<std::size_t>(task)];
    const auto last = t.calls.begin() + t.calls_before[static_cast<std::size_t>(task) + 1];
    PrefetchRange range{};
    for (auto planned = first; planned != last; ++planned) {
      TileCall call = planned->call;
      set_runs(t, planned->of_last_block, planned->segment, &call);
      planned->places.set(tensors, &call, &range);
      planned->kernel(call);
    }
  });
}

void run_tensors(const Context& context, const Tiling& t, const Addresses& tensors,
                 void* workspace) {
  if (!t.calls.empty()) return run_planned(context, t, tensors);
  run_all(context, TileRunner(context, t, tensors, workspace), t, tensors.src, workspace);
}

}  // namespace

void run(const Context& context, const Tiling& t, const void* packed, const void* src, void* dst,
         void* workspace) {
  run_tensors(context, t, addresses_of(t, packed, packed, src, dst), workspace);
}

void run_unpacked(const Context& context, const Tiling& t, const void* weights, const void* bias,
                  void* packed, const void* src, void* dst, void* workspace) {
  // No vector of weights that begin a cache line lies in two.
  const bool packs_nothing =
      lie_as_packed(context, t) && reinterpret_cast<std::uintptr_t>(weights) % kLine == 0;
  if (!packs_nothing && !packs_by_task(context, t)) {
    pack(context, t, weights, bias, packed);
    return run(context, t, packed, src, dst, workspace);
  }
  pack_bias(context, t, bias, packed);
  const Addresses tensors = addresses_of(t, weights, packed, src, dst);
  if (packs_nothing) return run_tensors(context, t, tensors, workspace);
  TileRunner runner(context, t, tensors, workspace);
  runner.pack_from(weights, packed);
  run_all(context, std::move(runner), t, src, workspace);
}

}  // namespace concord::optimized
