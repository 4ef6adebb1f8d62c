// SPDX-License-Identifier: Apache-2.0
#include "optimized/direct/tile_calls.h"

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace concord::optimized {
namespace {

constexpr Extent kLine = 64;  // bytes
// Calls that are planned, and strips that planning goes through to find them: more take longer than
// what is saved.
constexpr std::size_t kMostPlannedCalls = 256;
constexpr double kMostPlannedStrips = 4096;

// True if src has all that the call's runs are about, pixels that they leave out among it.
bool lies_in_src(const Work& work, const TileCall& call) {
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

// What outputs read of an axis, or only what those before them have not come to.
Axis::Range inputs_of(const Axis& axis, const Axis::Range& outputs, bool only_new) {
  return only_new ? axis.new_inputs_of(outputs, {outputs.begin - 1, outputs.begin})
                  : axis.inputs_of(outputs);
}

// Prefetches the first line that each pixel has of the group, then the second one, and so on: as
// many as a pixel has that begins as late in a line as any.
void prefetch_lines(const Places::Ahead& ahead, PrefetchRange* range) {
  const auto in_line = static_cast<Extent>(reinterpret_cast<std::uintptr_t>(range->at) %
                                           static_cast<std::uintptr_t>(kLine));
  const Extent apart = std::gcd(ahead.step, kLine);
  const Extent last_begin = in_line % apart + kLine - apart;
  range->more = parts_of(last_begin + ahead.pixel, kLine) - 1;
  range->to_next = kLine;
}

// The strip that begins the row so many rows of outputs further on, or the next plane.
Strip next_row(const Shape& v, Strip strip, Extent rows) {
  strip.oh += rows;
  if (strip.oh < v.O[1]) return strip;
  strip.oh = 0;
  if (++strip.od < v.O[0]) return strip;
  strip.od = 0;
  ++strip.n;
  return strip;
}

}  // namespace

TileCalls::TileCalls(const Context& context, const Tiling& t)
    : target_(*context.target), t_(t), sizes_(target_, t) {}

Work TileCalls::work_of(Extent task) const {
  const WeightBlock first = first_of(task);
  Work work{.task = task,
            .outputs = outputs_of_task(t_, t_.strips_of(task)),
            .g = first.g,
            .first_panel = first.panel,
            .last_panel = std::min(first.panel + t_.panels_per_task, t_.panels),
            .strides = t_.view.src};
  if (t_.stages_src) {
    work.src_elements = whole_src(t_).elements();
    work.src_begin = t_.bytes(work.g * work.src_elements);
    return work;
  }
  const Shape& v = t_.view;
  work.src_begin = t_.bytes(multiply(work.g * sizes_.ICG, v.src.channel));
  if (t_.reads_left_out) {  // src is dense
    work.src_elements = (v.N * v.I[0] * v.I[1] * v.I[2] * v.G - work.g) * sizes_.ICG;
  }
  return work;
}

std::optional<WeightBlock> TileCalls::block_after(const Work& work, const WeightBlock& at) const {
  const bool ends_panels = at.panel + 1 == work.last_panel;
  if (ends(work, at)) {
    if (work.task + 1 == t_.tasks()) return std::nullopt;
    return first_of(work.task + 1);
  }
  if (t_.stages_dst ? ends_panel(at) : !ends_panels) {
    return WeightBlock{at.g, at.panel + 1, t_.stages_dst ? 0 : at.block};
  }
  return WeightBlock{at.g, t_.stages_dst ? at.panel : work.first_panel, at.block + 1};
}

PanelCall TileCalls::panel_of(const Work& work, const WeightBlock& at, bool packs) const {
  PanelCall panel{
      .call = call_of(at, work),
      .places = {.weights = t_.bytes(place(at)),
                 .bias = t_.bytes(at.g * sizes_.padded_ocg + at.panel * sizes_.panel_width),
                 .src = work.src_begin,
                 .rounds = t_.rounds_dst},
      .vectors = vectors_of(at.panel)};
  Places& places = panel.places;
  if (packs) {
    places.weights = 0;
    return panel;
  }
  places.ahead = prefetched_weights(work, at);
  panel.reads_ahead = prefetches_src(work, at, places.ahead);
  panel.most_rows = panel.reads_ahead ? sizes_.rows_ahead : t_.view.O[1];
  places.prefetches = places.ahead.step > 0 || panel.reads_ahead;
  return panel;
}

Extent TileCalls::scratch_at(const Work& work, Extent n, Extent od, Extent oh, Extent ow) const {
  const Outputs& o = work.outputs;
  const Extent plane = (n - o.first[0]) * o.count[1] + od - o.first[1];
  const Extent first = o.count[3] == t_.strips_before.back() ? 0 : strip_at(t_, o.first_strip).ow;
  return t_.bytes(sum_of_products({{plane * o.count[2], sizes_.row_part * sizes_.panel_width},
                                   {oh - o.first[2], scratch_row()},
                                   {ow - first, scratch_pixel(work)}}));
}

// Elements from an output to the next of a row of the view, and to the one in the next row.
Extent TileCalls::scratch_pixel(const Work& work) const {
  return sizes_.panel_width * (t_.is_turned ? work.outputs.count[2] : 1);
}

Extent TileCalls::scratch_row() const {
  return sizes_.panel_width * (t_.is_turned ? 1 : sizes_.row_part);
}

// What all calls of a panel have in common.
TileCall TileCalls::call_of(const WeightBlock& at, const Work& work) const {
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
          .whole_stores = target_.core.whole_stores ? 1 : 0,
          .prefetches_dst = t_.prefetches_dst ? 1 : 0};
}

// Input channels that a block has.
Extent TileCalls::channels_of(Extent block) const {
  return std::min(t_.channel_block, sizes_.ICG - block * t_.channel_block);
}

int TileCalls::vectors_of(Extent p) const {
  return p + 1 < t_.panels ? t_.vectors : sizes_.last_vectors;
}

// Panels after the first one find src in the cache. It comes before the weights of the next block
// where those of a group stay in the second level: they follow one another, which the hardware
// foresees, and what a group has of src does not.
bool TileCalls::prefetches_src(const Work& work, const WeightBlock& at,
                               const Places::Ahead& weights) const {
  return t_.prefetches_src && at.panel == work.first_panel &&
         (weights.step == 0 ||
          t_.bytes(sizes_.packed_weights / t_.view.G) <= target_.blocks.near_layer);
}

// Sets what a strip's call has of its own; returns where its weights begin, from the block's.
Extent TileCalls::set_strip(const Work& work, const WeightBlock& at, const Strip& strip,
                            TileCall* call) const {
  const Segment& segment = t_.segments[strip.segment];
  set_runs(t_, ends_panel(at), strip.segment, call);
  const Extent first_tap = place(work, strip, at.block * t_.channel_block, call);
  call->src_tile = multiply(segment.pixels, call->src_pixel);
  call->dst_tile = multiply(segment.pixels, call->dst_pixel);
  call->tiles = strip.tiles;
  call->is_inside = t_.reads_left_out && lies_in_src(work, *call) ? 1 : 0;
  return t_.bytes(first_tap * channels_of(at.block) * vectors_of(at.panel) * t_.lanes());
}

// Rows of a call that prefetches what the rows after it read: as many as make setting it up a few
// hundredths of its time, and as have room in a part of a core's own cache.
Extent TileCalls::rows_that_prefetch(const Target& target, const Tiling& t, bool keeps_planes) {
  constexpr double kProducts = 5e4;  // of vectors
  constexpr Extent kPart = 16;
  const Shape& v = t.view;
  const double products =
      static_cast<double>(v.O[2] * t.vectors) * static_cast<double>(t.taps() * t.channel_block);
  const Extent planes = keeps_planes ? std::min(v.S[0], v.I[0]) : v.K[0];
  const Extent lines = parts_of(t.bytes(v.ICG()), kLine);  // of a pixel of a group
  const Extent row = v.G == 1 ? t.bytes(v.src.spatial[1]) : multiply(v.I[2], lines * kLine);
  const Extent bytes = multiply(planes, multiply(std::min(v.S[1], v.I[1]), row));
  const auto rows = static_cast<Extent>(kProducts / std::max(products, 1.0));
  return std::clamp<Extent>(target.second.bytes / kPart / std::max<Extent>(bytes, 1), 1,
                            std::max<Extent>(rows, 1));
}

// Rows of a plane, from row `oh` to `end`, that read the same taps, at most so many.
Extent TileCalls::rows_alike(Extent oh, Extent end, Extent most) const {
  end = oh + std::min(end - oh, most);
  if (oh + 1 == end) return 1;
  const Axis axis = axis_of(t_.view, 1);
  const Axis::Range taps = axis.taps_of(oh);
  Extent next = oh + 1;
  while (next < end && axis.taps_of(next) == taps) ++next;
  return next - oh;
}

WeightBlock TileCalls::first_of(Extent task) const {
  const Extent panel_task = t_.panels_of(task);
  const auto [g, part] = divide(panel_task, t_.panel_tasks());
  return {g, part * t_.panels_per_task, 0};
}

// Where a block lies in packed weights.
Extent TileCalls::place(const WeightBlock& at) const {
  const Extent channels = at.g * sizes_.padded_ocg + at.panel * sizes_.panel_width;
  return sizes_.taps *
         (channels * sizes_.ICG + at.block * t_.channel_block * vectors_of(at.panel) * t_.lanes());
}

// The weights used after this block: its tiles prefetch them, a little per product, a quarter
// faster than necessary, since tiles at an edge have fewer products.
Places::Ahead TileCalls::prefetched_weights(const Work& work, const WeightBlock& at) const {
  if (is_near_stream()) return {};
  const auto next = block_after(work, at);
  if (!next || place(*next) == place(at)) return {};
  const Extent first = t_.bytes(place(*next));
  const Extent product = t_.bytes(vectors_of(next->panel) * t_.lanes());
  const Extent channels = channels_of(next->block);
  return {Places::Ahead::kWeights, first, first + channels * sizes_.taps * product,
          std::clamp<Extent>(product * 5 / 4 / sizes_.tiles, 1, kLine)};
}

// True for the weights of a single pixel that do not come from memory: the hardware foresees the
// one stream that they are, and prefetching takes a tenth of its time.
bool TileCalls::is_near_stream() const {
  constexpr Extent kSecondLevels = 4;
  return sizes_.pixels == 1 &&
         t_.bytes(sizes_.packed_weights) <= multiply(kSecondLevels, target_.second.bytes);
}

// What the rows of outputs of the next call are the first to read, as far as it belongs to these
// tiles: rows of the planes that are new to them, or of all, if those before are too large to be
// still in the cache. Where all rows are one, the next tiles, of the last plane.
Places::Ahead TileCalls::prefetched_src(const Work& work, const Strip& strip,
                                        const TileCall& call) const {
  const Shape& v = t_.view;
  Extent first = sum_of_products(
      {{1, call.src_offset}, {1, call.src_tile}, {call.depth_taps - 1, call.src_depth_tap}});
  Extent length = multiply(strip.tiles, call.src_tile);
  Extent pixel = work.strides.spatial[2];
  Extent count = 1;
  if (v.O[1] > 1) {
    const Strip next = next_row(v, strip, call.rows);
    const Axis::Range planes =
        inputs_of(axis_of(v, 0), {next.od, next.od + 1}, next.od > 0 && sizes_.keeps_planes);
    const Extent next_rows = rows_alike(next.oh, v.O[1], sizes_.rows_ahead);
    const Axis::Range rows = inputs_of(axis_of(v, 1), {next.oh, next.oh + next_rows}, next.oh > 0);
    const Extent new_rows = rows.end - rows.begin;
    count = planes.end - planes.begin;
    if (next.n == v.N || new_rows <= 0 || count <= 0) return {};
    // Of these rows, which lie one after the other, a strip has the part that it is of its own row.
    pixel = work.strides.spatial[1] / v.I[2];
    const Extent pixels = multiply(new_rows, v.I[2]);
    const auto before = [&](Extent ow) { return multiply(multiply(pixels, ow) / v.O[2], pixel); };
    first = sum_of_products({{next.n, work.strides.outer},
                             {planes.begin, work.strides.spatial[0]},
                             {rows.begin, work.strides.spatial[1]},
                             {1, before(strip.ow)}});
    const Extent outputs = strip.tiles * t_.segments[strip.segment].pixels;
    length = before(strip.ow + outputs) - before(strip.ow);
  }
  Extent of_run = 0;
  for (std::int64_t r = 0; r < call.run_count; ++r) of_run += call.runs[r].length;
  const Extent of_tile = multiply(of_run, call.depth_taps * call.row_taps);
  Extent products = multiply(of_tile, multiply(call.rows, strip.tiles));
  if (t_.segments[strip.segment].pixels > kMaxPixelsOfLongSums) products = multiply(products, 2);
  if (products == 0 || length <= 0) return {};
  const Extent from = sum_of_products({{1, work.src_begin}, {first, t_.element_bytes()}});
  const Extent end = sum_of_products({{1, from}, {length, t_.element_bytes()}});
  if (v.G > 1) {
    return {.of = Places::Ahead::kSrc,
            .first = from,
            .end = end,
            .step = t_.bytes(pixel),
            .pixel = t_.bytes(sizes_.ICG)};
  }
  const Extent bytes = t_.bytes(multiply(count, length));
  return {.of = Places::Ahead::kSrc,
          .first = from,
          .end = end,
          .step = bytes >= multiply(products, kLine) ? kLine : (bytes + products - 1) / products,
          .more = count - 1,
          .to_next = t_.bytes(work.strides.spatial[0])};
}

// Sets the source of the strip, and how many planes and rows of taps read it; returns the first
// of these taps.
Extent TileCalls::place(const Work& work, const Strip& strip, Extent first_channel,
                        TileCall* call) const {
  const Shape& v = t_.view;
  const Axis::Range kd = axis_of(v, 0).taps_of(strip.od);
  const Axis::Range kh = axis_of(v, 1).taps_of(strip.oh);
  call->depth_taps = kd.end - kd.begin;
  call->row_taps = kh.end - kh.begin;
  const auto from = [&](std::size_t axis, Extent output, Extent tap) {
    return sum_of_products({{output, v.S[axis]}, {tap, v.D[axis]}, {-1, v.P[axis]}});
  };
  const Spatial first = {from(0, strip.od, kd.begin), from(1, strip.oh, kh.begin),
                         from(2, strip.ow, 0)};
  call->src_offset = sum_of_products({{strip.n - work.first_image, work.strides.outer},
                                      {first_channel, work.strides.channel},
                                      {first[0] - work.begin[0], work.strides.spatial[0]},
                                      {first[1] - work.begin[1], work.strides.spatial[1]},
                                      {first[2] - work.begin[2], work.strides.spatial[2]}});
  return (kd.begin * v.K[1] + kh.begin) * v.K[2];
}

// Where a strip's first output is.
Extent TileCalls::dst_of(const Work& work, const Strip& strip, Extent p) const {
  if (t_.stages_dst) return scratch_at(work, strip.n, strip.od, strip.oh, strip.ow);
  const Strides& dst = t_.view.dst;
  const Extent at = sum_of_products({{strip.n, dst.outer},
                                     {work.g * sizes_.OCG + p * sizes_.panel_width, dst.channel},
                                     {strip.od, dst.spatial[0]},
                                     {strip.oh, dst.spatial[1]},
                                     {strip.ow, dst.spatial[2]}});
  return t_.stored_bytes(at);
}

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
  *range = {chars + ahead.first, chars + ahead.end,       ahead.step,
            ahead.more,          ahead.end - ahead.first, ahead.to_next};
  if (ahead.pixel > 0) prefetch_lines(ahead, range);
}

void plan_calls(const Context& context, Tiling* t) {
  if (t->stages_src || t->stages_dst) return;
  const double strips = static_cast<double>(t->view.G) * static_cast<double>(t->strips()) *
                        static_cast<double>(t->panels * t->channel_blocks());
  if (strips > kMostPlannedStrips) return;
  const TileCalls calls(context, *t);
  t->calls_before.push_back(0);
  for (Extent task = 0; task < t->tasks() && t->calls.size() <= kMostPlannedCalls; ++task) {
    const Work work = calls.work_of(task);
    calls.for_blocks(work, [&](const WeightBlock& at) {
      calls.for_strips(
          work, at, calls.panel_of(work, at, false), [](const Strip&) { return false; },
          [&](const Strip& strip, const PanelCall& panel) {
            t->calls.push_back({panel.call, calls.kernel_of(panel.vectors, strip), panel.places,
                                calls.ends_panel(at), strip.segment});
          });
    });
    t->calls_before.push_back(static_cast<std::ptrdiff_t>(t->calls.size()));
  }
  if (t->calls.size() > kMostPlannedCalls) {
    t->calls.clear();
    t->calls_before.clear();
  }
  t->calls.shrink_to_fit();
}

}  // namespace concord::optimized
