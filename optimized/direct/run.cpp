// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "optimized/direct/on_the_fly.h"
#include "optimized/direct/pack.h"
#include "optimized/direct/src_box.h"
#include "optimized/layout/stage.h"
#include "optimized/shape/view.h"

namespace concord::optimized {
namespace {

constexpr Extent kLine = 64;  // bytes
// Calls that are planned, and strips that planning goes through to find them: more take longer than
// what is saved.
constexpr std::size_t kMostPlannedCalls = 256;
constexpr double kMostPlannedStrips = 4096;

// What calls need of a tiling, each of which is a division or more.
struct Sizes {
  explicit Sizes(const Tiling& t)
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
        last_vectors(t.vectors_of(t.panels - 1)) {}

  Extent ICG, OCG, taps, blocks, panel_width, padded_ocg, packed_weights, row_part;
  Extent pixels, tiles;  // of a task
  int last_vectors;
};

void set_runs(const Tiling& t, bool of_last_block, std::size_t segment, TileCall* call) {
  const auto& runs = t.runs[of_last_block ? 1 : 0][segment];
  call->runs = runs.data();
  call->run_count = static_cast<std::int64_t>(runs.size());
}

class TileRunner {
 public:
  TileRunner(const Context& context, const Tiling& t, const Addresses& tensors, void* workspace)
      : context_(context),
        t_(t),
        sizes_(t),
        tensors_(tensors),
        staged_(static_cast<std::byte*>(workspace)),
        scratch_(staged_ + bytes(t_.staged_src())) {}
  /// One whose tasks add their calls to `planned`: none of them may be staged.
  TileRunner(const Context& context, const Tiling& t, std::vector<PlannedCall>* planned)
      : context_(context), t_(t), sizes_(t), planned_(planned) {}

  /// Tasks pack the weights that they use, into parts of `packed` of their own.
  void pack_from(const void* weights, void* packed) {
    for (int slot = 0; slot < t_.slots; ++slot) {
      packers_.emplace_back(
          context_, t_, weights,
          static_cast<std::byte*>(packed) + bytes(slot * OnTheFlyPacker::buffers(t_)));
    }
  }

  void run(Extent task, int slot) {
    const WeightBlock first = first_of(task);
    Work work{.task = task,
              .outputs = outputs_of_task(t_, t_.strips_of(task)),
              .slot = slot,
              .g = first.g,
              .first_panel = first.panel,
              .last_panel = std::min(first.panel + t_.panels_per_task, t_.panels),
              .at = tensors_,
              .src_begin = 0,
              .src_elements = 0,
              .strides = t_.view.src,
              .first_image = 0,
              .begin = {}};
    set_src(slot, &work);
    if (!packers_.empty()) packers_[static_cast<std::size_t>(slot)].begin(work.outputs);
    if (!t_.stages_dst) {
      for (Extent block = 0; block < sizes_.blocks; ++block) {
        for (Extent p = work.first_panel; p < work.last_panel; ++p) {
          run_panel({work.g, p, block}, work);
        }
      }
      return;
    }
    work.at.dst = scratch_ + bytes(slot * t_.staged_dst());
    for (Extent p = work.first_panel; p < work.last_panel; ++p) {
      for (Extent block = 0; block < sizes_.blocks; ++block) {
        run_panel({work.g, p, block}, work);
      }
      store(work, p);
    }
  }

 private:
  // A task: the panels of output channels and the outputs that it computes, what it reads and where
  // its tiles go. The element of src at `src_begin` is that of a pixel `begin` of image
  // `first_image`, which need not be where a tensor is not staged.
  struct Work {
    Extent task;
    Outputs outputs;
    int slot;
    Extent g, first_panel, last_panel;
    Addresses at;
    Extent src_begin;     // bytes
    Extent src_elements;  // from there on, where kernels read what runs leave out
    Strides strides;
    Extent first_image;
    Spatial begin;
  };

  Extent bytes(Extent elements) const { return multiply(elements, t_.element_bytes()); }

  void set_src(int slot, Work* work) const {
    if (t_.stages_by_task) {
      const SrcBox box = src_box(t_, work->outputs);
      work->first_image = box.first_image;
      work->begin = box.begin;
      std::byte* staged = staged_ + bytes(slot * largest_box(t_).elements());
      stage_box(context_, t_, tensors_.src, work->g, box, staged);
      work->at.src = staged;
      work->src_elements = box.elements();
      work->strides = strides_of(t_, box);
      // The runs count on it that what is never multiplied by anything but zero is zero.
      for (std::size_t axis = 0; axis < 3; ++axis) {
        if (t_.view.I[axis] == 1) work->strides.spatial[axis] = 0;
      }
    } else if (t_.stages_src) {
      work->src_elements = whole_src(t_).elements();
      work->at.src = staged_;
      work->src_begin = bytes(work->g * work->src_elements);
    } else {
      const Shape& v = t_.view;
      work->src_begin = bytes(multiply(work->g * sizes_.ICG, v.src.channel));
      if (t_.reads_left_out) {  // src is dense
        work->src_elements = (v.N * v.I[0] * v.I[1] * v.I[2] * v.G - work->g) * sizes_.ICG;
      }
    }
  }

  // Where an output of the view lies in the task's scratch: those that follow one another in a
  // plane of the image do so there.
  Extent scratch_at(const Work& work, Extent n, Extent od, Extent oh, Extent ow) const {
    const Outputs& o = work.outputs;
    const Extent plane = (n - o.first[0]) * o.count[1] + od - o.first[1];
    const Extent first = o.count[3] == t_.strips_before.back() ? 0 : strip_at(t_, o.first_strip).ow;
    return bytes(sum_of_products({{plane * o.count[2], sizes_.row_part * sizes_.panel_width},
                                  {oh - o.first[2], scratch_row()},
                                  {ow - first, scratch_pixel(work)}}));
  }

  // Elements from an output to the next of a row of the view, and to the one in the next row.
  Extent scratch_pixel(const Work& work) const {
    return sizes_.panel_width * (t_.is_turned ? work.outputs.count[2] : 1);
  }
  Extent scratch_row() const { return sizes_.panel_width * (t_.is_turned ? 1 : sizes_.row_part); }

  // What all calls of a panel have in common.
  TileCall call_of(const WeightBlock& at, const Work& work) const {
    const Extent channels = channels_of(at.block);
    const Extent first_channel = at.panel * sizes_.panel_width;
    return {.src_pixel = multiply(t_.view.S[2], work.strides.spatial[2]),
            .src_depth_tap = multiply(t_.view.D[0], work.strides.spatial[0]),
            .weights_depth_tap = t_.view.K[1] * t_.view.K[2] * channels,
            .src_row_tap = multiply(t_.view.D[1], work.strides.spatial[1]),
            .weights_row_tap = t_.view.K[2] * channels,
            .dst_pixel = t_.stages_dst ? scratch_pixel(work) : t_.view.dst.spatial[2],
            .src_row = multiply(t_.view.S[1], work.strides.spatial[1]),
            .dst_row = t_.stages_dst ? scratch_row() : t_.view.dst.spatial[1],
            .channels = std::min(vectors_of(at.panel) * t_.lanes(), sizes_.OCG - first_channel),
            .accumulate = at.block > 0 ? 1 : 0,
            .halves = t_.halves ? 1 : 0,
            .whole_stores = context_.target->core.whole_stores ? 1 : 0,
            .prefetches_dst = t_.prefetches_dst ? 1 : 0};
  }

  // Input channels that a block has.
  Extent channels_of(Extent block) const {
    return std::min(t_.channel_block, sizes_.ICG - block * t_.channel_block);
  }

  int vectors_of(Extent p) const { return p + 1 < t_.panels ? t_.vectors : sizes_.last_vectors; }

  void run_panel(const WeightBlock& at, Work& work) {
    const int vectors = vectors_of(at.panel);
    TileCall call = call_of(at, work);
    Places places{.weights = bytes(place(at)),
                  .bias = bytes(at.g * sizes_.padded_ocg + at.panel * sizes_.panel_width),
                  .src = work.src_begin,
                  .rounds = t_.rounds_dst};
    OnTheFlyPacker* const packer =
        packers_.empty() ? nullptr : &packers_[static_cast<std::size_t>(work.slot)];
    if (packer != nullptr) {
      places.weights = 0;
      work.at.weights = static_cast<const std::byte*>(packer->take(at));
      expect_after(work, at, packer);
      call.pack_job = packer->job();
    } else {
      places.ahead = prefetched_weights(work, at);
    }
    const bool reads_ahead = packer == nullptr && prefetches_src(work, at, places.ahead);
    places.prefetches = places.ahead.step > 0 || reads_ahead;
    const Extent first_weights = places.weights;
    const bool joins_rows = packer == nullptr && !reads_ahead;
    PrefetchRange range{};
    const Outputs& o = work.outputs;
    for (Extent row = o.first_strip; row < o.last_strip; row += call.rows * o.count[3]) {
      const Extent row_end = row + o.count[3];
      for (Extent index = row; index < row_end;) {
        Strip strip = strip_at(t_, index);
        if (index == row) call.rows = joins_rows ? rows_alike(work, strip.oh) : 1;
        const bool packs = packer != nullptr && packer->packs_during(strip);
        if (!packs) strip.tiles = tiles_from(t_, strip, index, row_end);
        index += (strip.tiles + kTilesPerStrip - 1) / kTilesPerStrip;
        places.weights = first_weights + set_strip(work, at, strip, &call);
        places.dst = dst_of(work, strip, at.panel);
        if (reads_ahead) places.ahead = prefetched_src(work, strip, call);
        const TileKernel kernel = t_.family->kernels[vectors][t_.segments[strip.segment].pixels];
        if (planned_ != nullptr) {
          planned_->push_back({call, kernel, places, ends_blocks(at), strip.segment});
        } else {
          places.set(work.at, &call, &range);
          compute(kernel, packs ? packer : nullptr, strip, vectors, &call);
        }
        places.ahead = {};
      }
    }
  }

  // Panels after the first one find src in the cache.
  bool prefetches_src(const Work& work, const WeightBlock& at, const Places::Ahead& weights) const {
    return t_.prefetches_src && at.panel == work.first_panel &&
           (weights.step == 0 || bytes(sizes_.packed_weights) <= context_.target->blocks.panel);
  }

  // Computes a strip, with packing kernels as long as `packer` has something to do, if given.
  void compute(TileKernel kernel, const OnTheFlyPacker* packer, const Strip& strip, int vectors,
               TileCall* call) const {
    if (packer != nullptr) pack_by_tiles(*packer, strip, vectors, call);
    if (call->tiles > 0) kernel(*call);
  }

  bool ends_blocks(const WeightBlock& at) const { return at.block + 1 == sizes_.blocks; }

  // Sets what a strip's call has of its own; returns where its weights begin, from the block's.
  Extent set_strip(const Work& work, const WeightBlock& at, const Strip& strip,
                   TileCall* call) const {
    const Segment& segment = t_.segments[strip.segment];
    set_runs(t_, ends_blocks(at), strip.segment, call);
    const Extent first_tap = place(work, strip, at.block * t_.channel_block, call);
    call->src_tile = segment.pixels * call->src_pixel;
    call->dst_tile = segment.pixels * call->dst_pixel;
    call->tiles = strip.tiles;
    call->is_inside = t_.reads_left_out && lies_in_src(work, *call) ? 1 : 0;
    return bytes(first_tap * channels_of(at.block) * vectors_of(at.panel) * t_.lanes());
  }

  // Rows of a task's plane, from row `oh` on, that read the same taps.
  Extent rows_alike(const Work& work, Extent oh) const {
    const Extent end = work.outputs.first[2] + work.outputs.count[2];
    if (oh + 1 == end) return 1;
    const Axis axis = axis_of(t_.view, 1);
    const Axis::Range taps = axis.taps_of(oh);
    Extent next = oh + 1;
    while (next < end && axis.taps_of(next) == taps) ++next;
    return next - oh;
  }

  // True if src has all that the call's runs are about, pixels that they leave out among it.
  static bool lies_in_src(const Work& work, const TileCall& call) {
    Extent end = 0;
    for (std::int64_t r = 0; r < call.run_count; ++r) {
      end = std::max(end, call.runs[r].src + call.runs[r].length);
    }
    end += sum_of_products({{call.rows - 1, call.src_row},
                            {call.tiles, call.src_tile},
                            {-1, call.src_pixel},
                            {call.depth_taps - 1, call.src_depth_tap},
                            {call.row_taps - 1, call.src_row_tap}});
    return call.src_offset >= 0 && call.src_offset + end <= work.src_elements;
  }

  // Packing kernels compute tiles as long as rows are left to pack: the other kernels are faster.
  void pack_by_tiles(const OnTheFlyPacker& packer, const Strip& strip, int vectors,
                     TileCall* call) const {
    const TileKernel kernel = t_.family->packing[vectors][t_.segments[strip.segment].pixels];
    const std::int64_t tiles = std::exchange(call->tiles, 1);
    std::int64_t done = 0;
    for (; done < tiles && packer.packs_during(strip); ++done) {
      kernel(*call);
      call->src_offset += call->src_tile;
      if (call->dst != nullptr) {
        call->dst = static_cast<std::byte*>(call->dst) + bytes(call->dst_tile);
      }
      if (call->rounded_dst != nullptr) call->rounded_dst += call->dst_tile;
    }
    call->tiles = tiles - done;
  }

  // No hint beyond the next task's first block.
  void expect_after(const Work& work, const WeightBlock& at, OnTheFlyPacker* packer) const {
    const auto next = block_after(work, at);
    if (!next) return;
    const auto after = ends(work, at) ? std::nullopt : block_after(work, *next);
    packer->expect(at, *next, after);
  }

  // True for the last block of a task.
  bool ends(const Work& work, const WeightBlock& at) const {
    return at.panel + 1 == work.last_panel && ends_blocks(at);
  }

  WeightBlock first_of(Extent task) const {
    const Extent panel_task = t_.panels_of(task);
    const auto [g, part] = divide(panel_task, t_.panel_tasks());
    return {g, part * t_.panels_per_task, 0};
  }

  // The block that is used next: where dst is staged all of a panel come one after the other. The
  // next task, too, is a thread's own, unless another one has taken it meanwhile.
  std::optional<WeightBlock> block_after(const Work& work, const WeightBlock& at) const {
    const bool ends_panels = at.panel + 1 == work.last_panel;
    if (ends(work, at)) {
      if (work.task + 1 == t_.tasks()) return std::nullopt;
      return first_of(work.task + 1);
    }
    if (t_.stages_dst ? ends_blocks(at) : !ends_panels) {
      return WeightBlock{at.g, at.panel + 1, t_.stages_dst ? 0 : at.block};
    }
    return WeightBlock{at.g, t_.stages_dst ? at.panel : work.first_panel, at.block + 1};
  }

  // Where a block lies in packed weights.
  Extent place(const WeightBlock& at) const {
    const Extent channels = at.g * sizes_.padded_ocg + at.panel * sizes_.panel_width;
    return sizes_.taps * (channels * sizes_.ICG +
                          at.block * t_.channel_block * vectors_of(at.panel) * t_.lanes());
  }

  // The weights used after this block: its tiles prefetch them, a little per product, a quarter
  // faster than necessary, since tiles at an edge have fewer products.
  Places::Ahead prefetched_weights(const Work& work, const WeightBlock& at) const {
    if (is_near_stream()) return {};
    const auto next = block_after(work, at);
    if (!next || place(*next) == place(at)) return {};
    const Extent first = bytes(place(*next));
    const Extent product = bytes(vectors_of(next->panel) * t_.lanes());
    const Extent channels = channels_of(next->block);
    return {Places::Ahead::kWeights, first, first + channels * sizes_.taps * product,
            std::clamp<Extent>(product * 5 / 4 / sizes_.tiles, 1, kLine)};
  }

  // True for the weights of a single pixel that do not come from memory: the hardware foresees the
  // one stream that they are, and prefetching takes a tenth of its time.
  bool is_near_stream() const {
    constexpr Extent kSecondLevels = 4;
    return sizes_.pixels == 1 &&
           bytes(sizes_.packed_weights) <= multiply(kSecondLevels, context_.target->second.bytes);
  }

  // What the next row of outputs reads first of src, as far as it belongs to these tiles; or, where
  // all rows are one, the next tiles.
  Places::Ahead prefetched_src(const Work& work, const Strip& strip, const TileCall& call) const {
    const Shape& v = t_.view;
    Extent first = call.src_offset + call.src_tile;
    Extent tile = call.src_tile;
    if (v.O[1] > 1) {
      const Extent new_rows = std::min(v.S[1], v.K[1]);
      const Extent row = (strip.oh + 1) * v.S[1] + (v.K[1] - 1) * v.D[1] - v.P[1] + 1 - new_rows;
      first = sum_of_products({{strip.n, work.strides.outer},
                               {row, work.strides.spatial[1]},
                               {new_rows, strip.ow * call.src_pixel}});
      tile = new_rows * call.src_tile;
    }
    Extent products = 0;
    for (std::int64_t r = 0; r < call.run_count; ++r) products += call.runs[r].length;
    products *= call.depth_taps * call.row_taps;
    const Extent from = work.src_begin + bytes(first);
    if (t_.segments[strip.segment].pixels > kMaxPixelsOfLongSums) products *= 2;
    const Extent step = products == 0 ? 0 : (bytes(tile) + products - 1) / products;
    return {Places::Ahead::kSrc, from, from + bytes(strip.tiles * tile), std::min(step, kLine)};
  }

  // Sets the source of the strip, and how many planes and rows of taps read it; returns the first
  // of these taps.
  Extent place(const Work& work, const Strip& strip, Extent first_channel, TileCall* call) const {
    const Shape& v = t_.view;
    const Axis::Range kd = axis_of(v, 0).taps_of(strip.od);
    const Axis::Range kh = axis_of(v, 1).taps_of(strip.oh);
    call->depth_taps = kd.end - kd.begin;
    call->row_taps = kh.end - kh.begin;
    const Spatial first = {strip.od * v.S[0] + kd.begin * v.D[0] - v.P[0],
                           strip.oh * v.S[1] + kh.begin * v.D[1] - v.P[1],
                           strip.ow * v.S[2] - v.P[2]};
    call->src_offset = sum_of_products({{strip.n - work.first_image, work.strides.outer},
                                        {first_channel, work.strides.channel},
                                        {first[0] - work.begin[0], work.strides.spatial[0]},
                                        {first[1] - work.begin[1], work.strides.spatial[1]},
                                        {first[2] - work.begin[2], work.strides.spatial[2]}});
    return (kd.begin * v.K[1] + kh.begin) * v.K[2];
  }

  // Where a strip's first output is.
  Extent dst_of(const Work& work, const Strip& strip, Extent p) const {
    if (t_.stages_dst) return scratch_at(work, strip.n, strip.od, strip.oh, strip.ow);
    const Strides& dst = t_.view.dst;
    const Extent at = sum_of_products({{strip.n, dst.outer},
                                       {work.g * sizes_.OCG + p * sizes_.panel_width, dst.channel},
                                       {strip.od, dst.spatial[0]},
                                       {strip.oh, dst.spatial[1]},
                                       {strip.ow, dst.spatial[2]}});
    return t_.rounds_dst ? multiply(at, static_cast<Extent>(size_of(t_.view.dtype))) : bytes(at);
  }

  // Takes a finished panel to dst: whole rows of the image at once, or planes where they have no
  // gaps.
  void store(const Work& work, Extent p) const {
    const Outputs& o = work.outputs;
    const bool is_whole = o.count[3] == t_.strips_before.back();
    const Strip last = strip_at(t_, o.last_strip - 1);
    const Extent begin = is_whole ? 0 : strip_at(t_, o.first_strip).ow;
    const Extent end = last.ow + last.tiles * t_.segments[last.segment].pixels;
    const Spatial first = in_image(t_, {0, o.first[2], begin});
    Spatial count = in_image(t_, {0, o.count[2], end - begin});
    Strides dst = t_.view.dst;
    dst.spatial = in_image(t_, dst.spatial);
    const Extent width = in_image(t_, t_.view.O)[2];
    if (width == 1) dst.spatial[2] = dst.spatial[1];  // rows of one pixel are pixels of one row
    if (count[2] == width && dst.spatial[1] == multiply(width, dst.spatial[2])) {
      count[2] *= std::exchange(count[1], 1);
    }
    StagedRow row{};
    row.ow = first[2];
    row.pixels = count[2];
    row.oc = work.g * sizes_.OCG + p * sizes_.panel_width;
    row.channels = std::min(sizes_.panel_width, sizes_.OCG - p * sizes_.panel_width);
    row.non_temporal = t_.non_temporal_dst;
    for (row.n = o.first[0]; row.n < o.first[0] + o.count[0]; ++row.n) {
      for (row.od = o.first[1]; row.od < o.first[1] + o.count[1]; ++row.od) {
        for (row.oh = first[1]; row.oh < first[1] + count[1]; ++row.oh) {
          const Spatial at = in_image(t_, {row.od, row.oh, row.ow});
          store_dst(context_, dst, row, work.at.dst + scratch_at(work, row.n, at[0], at[1], at[2]),
                    sizes_.panel_width, tensors_.dst);
        }
      }
    }
  }

  const Context& context_;
  const Tiling& t_;
  const Sizes sizes_;
  Addresses tensors_{};
  std::byte* staged_ = nullptr;
  std::byte* scratch_ = nullptr;
  std::vector<OnTheFlyPacker> packers_{};  // of each slot, where tasks pack the weights
  std::vector<PlannedCall>* planned_ = nullptr;
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

void Places::set(const Addresses& at, TileCall* call, PrefetchRange* range) const {
  call->weights = at.weights + weights;
  call->bias = at.bias + bias;
  call->src = at.src + src;
  if (rounds) {
    call->rounded_dst = reinterpret_cast<std::uint16_t*>(at.dst + dst);
  } else {
    call->dst = at.dst + dst;
  }
  call->ahead = prefetches ? range : nullptr;
  if (ahead.of == Ahead::kNone) return;
  const std::byte* const from = ahead.of == Ahead::kWeights ? at.weights : at.src;
  const auto* const chars = reinterpret_cast<const char*>(from);
  *range = {chars + ahead.first, chars + ahead.end, ahead.step};
}

void plan_calls(const Context& context, Tiling* t) {
  if (t->stages_src || t->stages_dst) return;
  const double strips = static_cast<double>(t->view.G) * static_cast<double>(t->strips()) *
                        static_cast<double>(t->panels * t->channel_blocks());
  if (strips > kMostPlannedStrips) return;
  TileRunner runner(context, *t, &t->calls);
  t->calls_before.push_back(0);
  for (Extent task = 0; task < t->tasks() && t->calls.size() <= kMostPlannedCalls; ++task) {
    runner.run(task, 0);
    t->calls_before.push_back(static_cast<std::ptrdiff_t>(t->calls.size()));
  }
  if (t->calls.size() > kMostPlannedCalls) {
    t->calls.clear();
    t->calls_before.clear();
  }
  t->calls.shrink_to_fit();
}

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
