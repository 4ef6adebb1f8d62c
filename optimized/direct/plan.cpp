// SPDX-License-Identifier: Apache-2.0
#include "optimized/direct/plan.h"

#include <algorithm>

#include "optimized/direct/src_box.h"
#include "optimized/direct/tile_choice.h"
#include "optimized/layout/pairs.h"
#include "optimized/layout/stage.h"
#include "optimized/runtime/kernel_table.h"
#include "optimized/shape/view.h"

namespace concord::optimized {
namespace {

// How often the same pixels may be staged.
constexpr double kMostBrought = 1.5;
// So many tasks are wanted that threads do not wait long for the last one; of so many products that
// handing one out costs little.
constexpr Extent kTasksOfThread = 8;
constexpr double kTaskProducts = 1 << 17;
// Outputs of a task that may be halved to balance the last tasks.
constexpr Extent kManyPixels = 128;

// So many that a panel of weights stays in the cache beside the src of a strip: each pass reads and
// writes all sums again. Sums of bf16 that are cut are kept in f32, which costs more than src.
void choose_channel_block(const Blocks& shares, Tiling* t) {
  const Shape& v = t->view;
  const int of_tile = std::min(t->segments[0].pixels, kMaxPixelsOfLongSums);
  const Extent outputs = std::min<Extent>(v.O[2], kMostTilesPerStrip * of_tile);
  const double reach = static_cast<double>(v.K[2] - 1) * static_cast<double>(v.D[2]) + 1;
  const double inputs = std::min(static_cast<double>(v.S[2]), reach);  // of an output
  const double src = t->reads_pairs() ? 0 : static_cast<double>(outputs) * inputs;
  const auto weights = static_cast<double>(t->taps() * t->panel_width());
  const double bytes = (src + weights) * static_cast<double>(t->element_bytes());
  const auto fitting = static_cast<Extent>(static_cast<double>(shares.panel) / bytes);
  const Extent most = std::max<Extent>(fitting, 16);
  const Extent ICG = std::max<Extent>(t->view.ICG(), 1);
  const Extent blocks = (ICG + most - 1) / most;
  t->channel_block = (ICG + blocks - 1) / blocks;
}

// Sums go straight to dst where its channels lie together and it holds what has been summed up so
// far: of their own type, or bf16 where there is but one sum.
void choose_dst(const Context& context, Tiling* t) {
  const Dtype dtype = context.shape.dtype;
  const bool is_together = t->view.dst.channel == 1 || t->view.OCG() == 1;
  t->rounds_dst =
      dtype == Dtype::kBF16 && t->family->rounds && is_together && t->channel_blocks() == 1;
  t->stages_dst = !is_together || (dtype != computed_in(dtype) && !t->rounds_dst);
  // Kernel stores overlap with multiply-adds, which hides memory latency; staged outputs are
  // written all at once.
  t->non_temporal_dst =
      t->stages_dst && is_non_temporal(context, t->rows() * t->view.O[2] * t->view.OC);
}

// The taps of a segment as runs over `channels` channels: taps whose channels follow one another in
// memory are one run, for in packed weights they do too.
std::vector<Run> runs_of(const Tiling& t, const Segment& segment, Extent channels) {
  const Extent step = multiply(t.view.D[2], t.view.src.spatial[2]);
  std::vector<Run> runs;
  for (const TileTap& tap : segment.taps) {
    const Run run = {.src = multiply(tap.k, step),
                     .weights = tap.k * channels,
                     .length = channels,
                     .left_out = tap.left_out};
    if (!runs.empty()) {
      Run& last = runs.back();
      if (last.left_out == run.left_out && last.src + last.length == run.src &&
          last.weights + last.length == run.weights) {
        last.length += channels;
        continue;
      }
    }
    runs.push_back(run);
  }
  return runs;
}

void make_runs(Tiling* t) {
  const Extent last = t->view.ICG() - (t->channel_blocks() - 1) * t->channel_block;
  for (const Segment& segment : t->segments) {
    t->runs[0].push_back(runs_of(*t, segment, t->channel_block));
    t->runs[1].push_back(runs_of(*t, segment, last));
  }
}

void make_strips(Extent tiles, Tiling* t) {
  t->tiles_per_strip = tiles;
  t->strips_before = {0};
  for (const Segment& segment : t->segments) {
    t->strips_before.push_back(t->strips_before.back() + parts_of(segment.tiles, tiles));
  }
}

// Of fewer tiles than they may have, where threads would be more than there is work for.
void choose_strips(int threads, Tiling* t) {
  make_strips(kMostTilesPerStrip, t);
  if (threads == 1) return;
  const Extent wanted = kTasksOfThread * threads;
  const double products = static_cast<double>(t->largest_tile() * t->panel_width()) *
                          static_cast<double>(t->taps() * t->view.ICG());  // of a tile
  const auto has_too_few = [&] { return t->strips() * t->panels * t->view.G < wanted; };
  const auto may_halve = [&] {
    const Extent half = t->tiles_per_strip / 2;
    return static_cast<double>(half) * products >= kTaskProducts;
  };
  while (t->tiles_per_strip > 1 && has_too_few() && may_halve()) {
    make_strips(t->tiles_per_strip / 2, t);
  }
}

// Makes tasks of about `strips` strips: of parts of rows, or of whole rows of one plane, of whole
// planes of one image, or of whole images; as equal as can be.
void set_task(Tiling* t, Extent strips) {
  const std::array<Extent, 4> all = {t->view.N, t->view.O[0], t->view.O[1],
                                     t->strips_before.back()};
  for (std::size_t level = 4; level-- > 0;) {
    const Extent most = std::clamp<Extent>(strips, 1, all[level]);
    const Extent tasks = (all[level] + most - 1) / most;
    t->task[level] = (all[level] + tasks - 1) / tasks;
    strips = tasks > 1 ? 1 : strips / all[level];
  }
}

// A task brings its own part of src where little of it is brought more than once.
void choose_staging(const Blocks& shares, Tiling* t) {
  if (!t->stages_src) return;
  Tiling parts = *t;
  Extent strips = parts.strips_per_task();
  while (largest_box(parts).elements() > shares.src_box / t->element_bytes() && strips > 1) {
    strips = strips / 2;
    set_task(&parts, strips);
  }
  const auto box = static_cast<double>(largest_box(parts).elements());
  const double brought = box * static_cast<double>(parts.strip_tasks() * parts.panel_tasks());
  const auto whole = static_cast<double>(whole_src(*t).elements());
  if (box * static_cast<double>(t->element_bytes()) > static_cast<double>(shares.src_box) ||
      brought > kMostBrought * whole) {
    return;
  }
  *t = parts;
  t->stages_by_task = true;
}

void choose_tasks(const Blocks& shares, Tiling* t, int threads) {
  const Extent pixels = t->rows() * t->view.O[2] / t->strips();
  t->groups_inside = t->view.G > 1 && !t->stages_src && t->view.src.channel == 1 &&
                     multiply(t->packed_weights(), t->element_bytes()) <= shares.near_layer;
  const Extent groups = t->groups_inside ? t->view.G : 1;
  // Of other axes, what a stride leaves out is not read.
  const Extent inputs = multiply(
      t->view.S[2], std::min(t->view.S[1], t->view.K[1]) * std::min(t->view.S[0], t->view.K[0]));
  const Extent src_pixel = multiply(groups, multiply(inputs, t->channel_block));
  // Where all weights fit beside them, the outputs of a task are kept together, too: a page of dst
  // is then written at once.
  const Extent weights_bytes = t->channel_block * t->taps() * t->padded_ocg() * t->element_bytes();
  const bool keeps_dst = !t->stages_dst && weights_bytes <= shares.near_layer;
  const Extent dst_pixel = keeps_dst ? multiply(groups, t->padded_ocg()) : 1;
  const Extent pixel_bytes = std::max(t->bytes(src_pixel), t->stored_bytes(dst_pixel));
  const Extent strip_bytes = multiply(pixels, pixel_bytes);
  const Extent kept = t->groups_inside ? shares.kept_groups : shares.kept_dst;
  const Extent bytes = keeps_dst ? kept : shares.src;
  t->panels_per_task = t->panels;
  Extent strips = std::clamp<Extent>(bytes / std::max<Extent>(strip_bytes, 1), 1, t->strips());
  if (t->stages_dst) {
    const Extent panel_bytes = pixels * t->panel_width() * t->element_bytes();
    strips = std::clamp<Extent>(shares.staged_dst / panel_bytes, 1, strips);
  }
  set_task(t, strips);
  // Enough tasks that threads do not wait long for the last one. Tasks of fewer strips reread
  // weights, tasks of fewer panels reread src: the larger operand is kept together.
  if (threads == 1) return;
  const Extent wanted = kTasksOfThread * threads;
  const auto split_strips = [&](Extent tasks, Extent most_pixels) {
    while (t->tasks() < tasks && t->pixels_per_task() > most_pixels && strips > 1) {
      strips = (t->strips_per_task() + 1) / 2;
      set_task(t, strips);
    }
  };
  const auto split_panels = [&] {
    while (t->tasks() < wanted && t->panels_per_task > 1) {
      t->panels_per_task = (t->panels_per_task + 1) / 2;
    }
  };
  const Extent weights = t->taps() * t->padded_ocg();
  const Extent src = multiply(t->rows() * t->view.O[2], t->view.S[2]);
  if (weights > src) split_panels();
  split_strips(wanted, 0);
  split_panels();
  // And more where each has pixels enough for the weights that it reads.
  split_strips(2 * wanted, kManyPixels);
}

// Whether src has its channels last and no gaps.
bool is_dense(const Shape& v) {
  Extent dense = v.G * v.ICG();
  if (dense > 1 && v.src.channel != 1) return false;
  for (std::size_t at = 3; at-- > 0;) {
    if (v.I[at] > 1 && v.src.spatial[at] != dense) return false;
    dense = multiply(dense, v.I[at]);
  }
  return v.N == 1 || v.src.outer == dense;
}

// Whether kernels prefetch src: where it lies as they read it, row after row without gaps, and more
// than a core's own cache holds, which would find it again. A group's ranges go over the lines of
// its pixels, and so not over planes; where pixels have many, the hardware foresees the others.
bool prefetches_src(const Target& target, const Tiling& t) {
  const Shape& v = t.view;
  constexpr Extent kMostLines = 8;
  const bool skips_planes = v.K[0] > 1 && (v.D[0] > 1 || v.G > 1);
  const bool is_wide = v.G > 1 && t.bytes(v.ICG()) > kMostLines * target.line_bytes;
  if (t.stages_src || skips_planes || is_wide || !is_dense(v)) return false;
  return multiply(src_elements(v), t.element_bytes()) > target.second.bytes;
}

// Whether kernels prefetch dst: where they write to it, and a core's own cache holds little more.
bool prefetches_dst(const Target& target, const Tiling& t) {
  const Shape& v = t.view;
  const auto element = static_cast<Extent>(size_of(v.dtype));
  return !t.stages_dst && multiply(dst_elements(v), element) > target.second.bytes / 2;
}

bool has_left_out(const Segment& segment) {
  return std::any_of(segment.taps.begin(), segment.taps.end(),
                     [](const TileTap& tap) { return tap.left_out != 0; });
}

// Whether runs leave something out, and all that lies between elements of src, as kernels see it,
// is src or staged, and addresses of the padding are no larger than those of tensors.
bool reads_left_out(const Tiling& t) {
  if (std::none_of(t.segments.begin(), t.segments.end(), has_left_out)) return false;
  constexpr double kLargest = 1LL << 48;
  const Shape& v = t.view;
  const Axis axis = axis_of(v, 2);
  const double reach = static_cast<double>(axis.O) * static_cast<double>(axis.S) +
                       static_cast<double>(axis.K) * static_cast<double>(axis.D);
  const auto pixel = static_cast<double>(v.src.spatial[2]);
  return reach * std::max(pixel, 1.0) <= kLargest && (t.stages_src || is_dense(v));
}

// Elements from one staged pixel to the next. Where planes are transposed, pixels of whole lines
// lie an odd number of lines apart: they are then in all sets of a cache.
Extent staged_pixel_of(const Shape& shape, const Tiling& t) {
  constexpr Extent kLine = 64;  // bytes
  const Extent channels = std::max<Extent>(t.view.ICG(), 1);
  const bool is_crowded = multiply(channels, t.element_bytes()) % (2 * kLine) == 0;
  return shape.src.channel != 1 && is_crowded ? channels + kLine / t.element_bytes() : channels;
}

// Of a task's strips, what stride leaves out of a pointwise axis is not staged.
void stage_src_of(const Shape& shape, Tiling* t) {
  Shape& v = t->view;
  t->staged_from = shape.src;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (t->reads_pairs() || v.S[axis] == 1 || !is_pointwise(v, axis)) continue;
    t->staged_from.spatial[axis] = multiply(v.S[axis], shape.src.spatial[axis]);
    v.I[axis] = v.O[axis];
    v.S[axis] = 1;
  }
  t->staged_extents = v.I;
  t->staged_pixel = staged_pixel_of(shape, *t);
  v.src = strides_of(*t, whole_src(*t));
}

// The shape as the kernels see it.
Tiling view_of(const Context& context) {
  const Shape& shape = context.shape;
  const TileFamily& family = tiles_for(context.isa, shape.dtype);
  Tiling t;
  t.family = &family;
  t.view = shape;
  clear_unused_strides(&t.view);
  t.stages_src = family.channels == 2 ? !has_pairs_in_place(t.view)
                                      : shape.dtype != computed_in(shape.dtype) ||
                                            (t.view.src.channel != 1 && t.view.ICG() > 1);
  if (family.channels == 2) view_as_pairs(&t.view);
  if (t.stages_src) {
    stage_src_of(shape, &t);
    clear_unused_strides(&t.view);
  }
  join_axes(&t.view);
  return t;
}

// Makes strips and tasks for so many threads.
void share_out(const Blocks& blocks, int threads, Tiling* t) {
  t->slots = threads;
  t->stages_by_task = false;
  choose_strips(threads, t);
  choose_tasks(blocks, t, threads);
  choose_staging(blocks, t);
}

// All but the tiles. `channels` is a channel block to keep to, or 0.
void plan_work(const Context& context, Extent channels, Tiling* t) {
  const Blocks& blocks = context.target->blocks;
  choose_channel_block(blocks, t);
  if (channels != 0) t->channel_block = channels;
  choose_dst(context, t);
  make_runs(t);
  t->halves = t->family->halves && context.target->core.half_vector < 1;
  t->prefetches_src = prefetches_src(*context.target, *t);
  t->prefetches_dst = prefetches_dst(*context.target, *t);
  t->reads_left_out = reads_left_out(*t);
  share_out(blocks, context.threads(), t);
}

Tiling best_tiling(const Context& context, bool may_turn) {
  Tiling t = view_of(context);
  use_tile(rank_tiles(*context.target, may_turn, t).front().choice, &t);
  plan_work(context, 0, &t);
  return t;
}

// The tiling of the chosen tiles, if they serve the shape.
std::optional<Tiling> chosen_tiling(const Context& context, const PlanChoice& choice) {
  Tiling t = view_of(context);
  if (choice.channels > std::max<Extent>(t.view.ICG(), 1)) return std::nullopt;
  const auto ranked = rank_tiles(*context.target, true, t);
  const bool serves = std::any_of(ranked.begin(), ranked.end(), [&](const RankedTile& tile) {
    return tile.choice == choice.tile;
  });
  if (!serves) return std::nullopt;
  use_tile(choice.tile, &t);
  plan_work(context, choice.channels, &t);
  return t;
}

// True if tasks take so few columns of staged outputs to dst that they write parts of lines, or one
// pixel of all images. Those of one thread count: what is summed in which order follows from it.
bool stages_few_columns(const Blocks& blocks, Tiling t) {
  constexpr Extent kFewest = 4;
  if (!t.stages_dst || !(t.is_turned || t.is_of_images)) return false;
  share_out(blocks, 1, &t);
  return t.is_of_images || t.task[2] < std::min(t.view.O[1], kFewest);
}

}  // namespace

std::optional<Tiling> Tiling::make(const Context& context, const Options& options) {
  std::optional<Tiling> t;
  if (options.choice && options.choice->tile.vectors != 0) {
    t = chosen_tiling(context, *options.choice);
    if (!t) return std::nullopt;
  } else {
    t = best_tiling(context, true);
    if (stages_few_columns(context.target->blocks, *t)) t = best_tiling(context, false);
  }
  plan_calls(context, &*t);
  return t;
}

std::vector<RankedTile> rank_tiles(const Context& context) {
  return rank_tiles(*context.target, true, view_of(context));
}

std::optional<Tiling> tiling_of_vectors(const Context& context, int vectors) {
  Tiling t = view_of(context);
  for (const auto& [choice, cycles] : rank_tiles(*context.target, false, t)) {
    if (choice.vectors != vectors) continue;
    use_tile(choice, &t);
    plan_work(context, 0, &t);
    return t;
  }
  return std::nullopt;
}

}  // namespace concord::optimized
