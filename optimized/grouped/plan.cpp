// SPDX-License-Identifier: Apache-2.0
#include "optimized/grouped/plan.h"

#include <algorithm>
#include <bit>
#include <ostream>

#include "optimized/describe.h"
#include "optimized/layout/stage.h"
#include "optimized/runtime/kernel_table.h"
#include "optimized/shape/view.h"

namespace concord::optimized {
namespace {

// Rows of a task, so that a task is some ten thousand products.
constexpr Extent kTaskOutputs = 4096;
// Products of vectors, so that handing out a task costs little.
constexpr double kTaskProducts = 1 << 13;
// Tasks of a thread, so that all threads end together.
constexpr Extent kTasksOfThread = 4;

// Rows of a call of bands share most of their inputs while these are in the first-level cache: in
// those of its sets where pixels lie that are as far apart. Another way or two hold the weights.
constexpr Extent kMostBandRows = 8;
constexpr Extent kFewBandRows = 2;
constexpr Extent kWaysOfWeights = 2;
constexpr Extent kBandPixels = 14;

// A src of more than so many second levels comes from memory.
constexpr Extent kSecondLevelsOfMemory = 7;

constexpr Extent kTilePixels = 8;

GroupedShape shape_of(const Shape& s) {
  if (s.D[2] != 1) return kAnyWidth;
  if (s.K[2] == 3 && s.S[2] == 1) return kWidth3Stride1;
  return s.K[2] == 3 && s.S[2] == 2 ? kWidth3Stride2 : kAnyWidth;
}

bool is_narrow(const Shape& s, const GroupedFamily& family) {
  const Extent width = s.ICG();
  return s.G > 1 && width == s.OCG() && width >= 1 && width <= family.lanes &&
         width < Extent{1} << kGroupWidths &&
         std::has_single_bit(static_cast<std::uint64_t>(width));
}

// The kernel that computes a row of outputs.
GroupedKernel kernel_of(const Shape& s, const GroupedFamily& family) {
  const auto& kernels = family.kernels[std::countr_zero(static_cast<std::uint64_t>(s.ICG()))];
  const GroupedKernel kernel = kernels[shape_of(s)];
  return kernel != nullptr ? kernel : kernels[kAnyWidth];
}

// The kernel of patches, if it suits the shape: no row of outputs may see more than one input of
// padding on either side.
GroupedKernel patches_of(const Shape& s, const GroupedFamily& family) {
  for (const std::size_t axis : {1U, 2U}) {
    if (s.K[axis] != 3 || s.D[axis] != 1) return nullptr;
  }
  const Extent stride = s.S[2];
  if (s.ICG() != 1 || s.K[0] != 1 || s.S[1] != stride || stride > 2) return nullptr;
  const Extent after = (s.O[2] - 1) * stride + 3 - s.P[2] - s.I[2];
  if (s.P[2] > 1 || after > 1) return nullptr;
  const bool fits = s.O[1] >= family.patch_rows - 1 && s.O[2] >= family.patch_pixels;
  return fits ? family.patches[stride - 1] : nullptr;
}

// The kernel of bands, if it suits the shape. Offsets of its taps are worked out before it is known
// which of them meet padding, so that their extent is bounded.
GroupedKernel bands_of(const Shape& s, const GroupedFamily& family, const Core& core) {
  constexpr Extent kMostReach = Extent{1} << 20;
  if (s.S[2] > 2 || (s.S[2] == 2 && s.D[2] != 1)) return nullptr;
  const bool is_half = s.ICG() != 1 && 2 * s.ICG() == family.lanes;
  if (s.ICG() != 1 && !is_half) return nullptr;
  // Where half a vector takes as long as a whole one, unrolled kernels are not slower.
  const bool has_unrolled = is_half && shape_of(s) == kWidth3Stride1 && kernel_of(s, family);
  if (has_unrolled && core.half_vector == 1) return nullptr;
  for (const std::size_t axis : {1U, 2U}) {
    if (s.D[axis] > kMostReach / s.K[axis]) return nullptr;
  }
  return (is_half ? family.half_bands : family.bands)[s.S[2] - 1];
}

// In how many places of the first-level cache the pixels of a row lie, each of so many ways.
Extent places_of_pixels(const Grouping& g, const Target& target) {
  const Extent apart = multiply(multiply(g.view.D[2], g.view.src.spatial[2]), g.element_bytes());
  return std::min(target.first.sets, target.set_period() / target.places_apart(apart));
}

// Whether the target says how bands are cut: of f32, where that was measured.
bool has_bands_of_target(const Grouping& g, const Target& target) {
  return target.core.band_vectors > 0 && g.view.dtype == Dtype::kF32;
}

// Whether kernels of patches and bands read several vectors of a pixel together, which are a line.
bool reads_lines_by_rows(const Grouping& g) {
  return g.width == 1 && g.family->vectors_together > 1;
}

// Whether kernels read less than a line of a pixel at once.
bool reads_parts(const Grouping& g, const Target& target) {
  const GroupedFamily& family = *g.family;
  return family.vectors_together * family.lanes * g.element_bytes() < target.line_bytes;
}

Extent src_bytes(const Grouping& g) { return multiply(src_elements(g.view), g.element_bytes()); }

bool comes_from_memory(const Grouping& g, const Target& target) {
  return src_bytes(g) > multiply(kSecondLevelsOfMemory, target.second.bytes);
}

// Dilated rows share few inputs: wide tiles of one vector take a tenth to a quarter less time than
// narrow ones of two, where src comes from memory.
Extent vectors_of_target(const Grouping& g, const Target& target) {
  return g.view.D[2] > 1 && comes_from_memory(g, target) ? 1 : target.core.band_vectors;
}

// In how many places of the first-level cache the pixels of a row may lie where copying them is
// worth its time. Each row is copied once and read as often as the kernel has rows. Where vectors
// are parts of a line, the other parts are gone when it is their turn: with AVX2 on Zen 4, 3x3 taps
// take half to nine tenths of the time where pixels lie in one or two places, and 5x5 and 7x7 where
// they lie in four. Whole lines of 5x5 and 7x7 taps, in depthwise layers with AVX-512, take half to
// two thirds of the time in one place, and in f32 with stride 1 up to a tenth less in two.
Extent most_places_of_copies(const Grouping& g, const Target& target) {
  constexpr Extent kFewRows = 3, kManyRows = 5;
  const Extent rows = g.view.K[1];
  const bool has_many = rows >= kManyRows;
  if (reads_parts(g, target)) return has_many ? 4 : (rows >= kFewRows ? 2 : 0);
  if (!has_many || g.width != 1 || has_bands_of_target(g, target)) return 0;
  return g.family->element == kSingle && g.view.S[1] == 1 ? 2 : 1;
}

// Whether the rows of src that a row of outputs sees push one another out of the first-level cache,
// so that copying them is worth its time.
bool crowds(const Grouping& g, const Target& target) {
  const Extent places = places_of_pixels(g, target);
  return places <= most_places_of_copies(g, target) &&
         multiply(std::min(g.view.K[1], g.view.I[1]), g.view.I[2]) > places * target.first.ways;
}

// Whether vectors that are parts of a line are read together, so that nothing has to be copied: 3x3
// taps of stride 2 read most pixels once or twice. Four halves of two lines at once, row by row,
// take 0.4 to 0.9 of the time with AVX2 on Zen 3 where pixels lie in one or two places.
bool reads_parts_together(const Grouping& g, const Target& target) {
  constexpr Extent kFewTaps = 3;
  const Shape& v = g.view;
  const bool shares_few = v.S[1] == 2 && v.S[2] == 2 && v.K[1] <= kFewTaps && v.K[2] <= kFewTaps;
  const bool is_as_it_lies = g.element_bytes() == g.sum_bytes() && !g.stages_by_task;
  return g.width == 1 && shares_few && is_as_it_lies && reads_parts(g, target) && crowds(g, target);
}

// Where the pixels of a row lie in one or two places, they push one another out of the first-level
// cache, and what it fetched of their next vectors with them. Neighbouring vectors come from the
// second level together if they are read one directly after the other: on Zen 4 a row of 14 pixels
// that are 2048 bytes apart in half the time by two, and of 4096 in less than half by four. Of rows
// of very few outputs and taps a call takes as long as the sums: 2x2 and 3x3 outputs of 3x3 taps
// take a tenth to a third less time by four.
Extent vectors_at_once(const Grouping& g, const Target& target) {
  constexpr Extent kVeryFew = 3;
  if (reads_parts_together(g, target)) return 4;
  // Single vectors whose weights stay in registers take a tenth less time with AVX2 on Zen 3 where
  // the lines of src are still there for the next vector, and else up to three times as much.
  if (reads_lines_by_rows(g)) {
    const Extent stride = std::min<Extent>(g.view.S[2], 2);  // of bands
    const Extent columns = std::min((kTilePixels - 1) * stride + g.view.K[2], g.view.I[2]);
    const Extent lines = places_of_pixels(g, target) * target.first.ways;
    const bool is_crowded = g.spread_pixel == 0 && multiply(g.view.K[1], columns) > lines;
    const bool is_narrow = g.view.O[2] <= kVeryFew;
    return is_narrow || is_crowded ? g.family->vectors_together : 1;
  }
  if (g.width != 1 || g.family->lanes * g.sum_bytes() != target.line_bytes) return 1;
  if (has_bands_of_target(g, target)) return vectors_of_target(g, target);
  if (g.view.O[2] <= kVeryFew && g.view.K[2] <= kVeryFew) return 4;
  const bool reads_lines = g.element_bytes() == g.sum_bytes();
  if (!reads_lines || g.spread_pixel > 0) return 1;
  const Extent places = places_of_pixels(g, target);
  if (places > 2) return 1;
  // Windows of stride 2 share few inputs, which more vectors need not read again.
  const bool shares_few = g.view.S[2] == 2 && g.view.K[2] <= 3;
  return shares_few || places == 1 ? 4 : 2;
}

// Dilated rows share few inputs: where src comes from far, calls that read few rows of it take up
// to a third less time.
Extent rows_of_target(const Grouping& g, const Target& target) {
  const bool is_far = src_bytes(g) > target.second.bytes * 3 / 4;
  return g.view.D[1] > 1 && is_far ? kFewBandRows : target.core.band_rows;
}

// Kernels that read whole lines in patches of one row compute two rows of stride 1 where the lines
// that these read and write are still there for the next part of them. Two rows of stride 2 are one
// after the other, for which a call takes less time, but not what is prefetched for it: of far src
// calls of one row take up to a third less.
//
// Where vectors are parts of a line, the lines that a patch reads should still be there for the
// next part: where pixels lie in four places, 3x3 taps of stride 2 take three quarters of the time
// in patches of one row, with AVX2 on Zen 4. Patches of three rows were not measured, and with two
// a band of one row would be computed as two.
Extent rows_of_patch(const Grouping& g, const Target& target) {
  const Extent rows = g.family->patch_rows;
  const bool lies_apart = g.stages_by_task || g.spread_pixel > 0;
  if (rows != 2 || lies_apart) return rows;
  const Extent stride = g.view.S[2];
  const Extent width = parts_of(g.view.O[2], parts_of(g.view.O[2], g.family->widest_patch));
  const Extent lines = places_of_pixels(g, target) * target.first.ways;
  const auto inputs = [&](Extent r) { return ((r - 1) * stride + 3) * ((width - 1) * stride + 3); };
  if (reads_lines_by_rows(g)) {
    const bool is_far = src_bytes(g) > target.core.far_src.of_stride(stride);
    if (stride == 2) return is_far ? 1 : rows;
    return inputs(2) + 2 * width > lines ? 1 : 2;
  }
  return reads_parts(g, target) && inputs(2) > lines && inputs(1) <= lines ? 1 : 2;
}

Extent rows_of_band(const Grouping& g, const Target& target) {
  if (reads_parts_together(g, target)) return 1;
  if (has_bands_of_target(g, target)) return rows_of_target(g, target);
  const Shape& v = g.view;
  const Extent sets = places_of_pixels(g, target);
  const Extent ways = target.first.ways - kWaysOfWeights;
  const Extent columns = (std::min(v.O[2], kBandPixels) - 1) * v.S[2] + v.K[2];
  // In one place, rows share nothing while it is there: on Zen 4 1024 channels of stride 2 take a
  // sixth less time row by row.
  const Extent fewest = sets == 1 && g.width == 1 ? 1 : kFewBandRows;
  Extent rows = kMostBandRows;
  const auto inputs = [&] {
    return std::min((rows - 1) * std::min(v.S[1], v.I[1]) + v.K[1], v.I[1]) *
           std::min(columns, v.I[2]);
  };
  while (rows > fewest && inputs() > ways * sets) rows /= 2;
  return rows;
}

// Of a task: pieces of pixels as large as this are copied fast.
Extent spread_channels(const Grouping& g) {
  constexpr Extent kBytes = 512;
  return std::min(kBytes / g.element_bytes(), g.padded_channels());
}

// Rows in calls of as many as a core's own cache holds of what they read, and in the workspace as
// many as it holds, so that few are copied again for the next calls.
void spread_src(const Target& target, Grouping* g) {
  if (g->stages_by_task || !(g->by_patches || g->by_bands) || !crowds(*g, target)) return;
  if (reads_parts_together(*g, target)) return;
  Grouping spread = *g;
  spread.spread_pixel = spread_channels(*g) + target.line_bytes / g->element_bytes();
  if (g->by_bands) spread.rows_per_call = kMostBandRows;
  const auto bytes = [&](Extent rows) {
    spread.spread_rows = rows;
    return multiply(spread.spread_src(), g->element_bytes());
  };
  while (g->by_bands && spread.rows_per_call > kFewBandRows &&
         bytes(spread.rows_read()) > target.blocks.src) {
    spread.rows_per_call /= 2;
  }
  const Extent fewest = spread.rows_read();
  if (bytes(fewest) > target.second.bytes) return;
  const Extent most = target.blocks.src / std::max<Extent>(bytes(1), 1);
  spread.spread_rows = std::clamp(most, fewest, std::max(fewest, g->view.I[1]));
  *g = spread;
}

// Fewer rows a call, where otherwise some threads would compute a band more than others, of few.
void share_rows(int threads, Grouping* g) {
  const auto is_even = [&] {
    return g->bands() % threads == 0 || g->bands() >= kTasksOfThread * threads;
  };
  while (g->rows_per_call > kFewBandRows && !is_even()) --g->rows_per_call;
}

// Smaller tasks, where threads would be more than there is work for, but of so much that handing
// one out costs little.
void share_bands(int threads, Grouping* g) {
  const Extent lanes = g->family->lanes;
  const auto vectors = [&] { return g->chunk / lanes; };
  const auto products = [&] {  // of vectors
    return static_cast<double>(g->bands_per_task * g->rows_per_call * vectors()) *
           static_cast<double>(g->view.O[2] * g->taps() * g->tap_products());
  };
  while (g->tasks() < kTasksOfThread * threads && products() > kTaskProducts) {
    if (g->bands_per_task > 1) {
      g->bands_per_task = (g->bands_per_task + 1) / 2;
    } else if (vectors() > 1) {
      g->chunk = (vectors() + 1) / 2 * lanes;
    } else {
      return;
    }
  }
}

Extent raw_product_of(const Shape& s, const Grouping& g) {
  const bool has_type = g.element_bytes() == static_cast<Extent>(size_of(s.dtype));
  if (!has_type || s.weights.outer != 1) return 0;
  const auto step = tap_step(s);
  if (g.width == 1) return step.value_or(0);
  return step && *step == g.width * s.weights.channel ? s.weights.channel : 0;
}

bool prefetches_src(const Grouping& g, const Blocks& blocks) {
  if (g.width != 1 || g.by_patches || g.by_bands || g.view.O[2] <= kTilePixels) return false;
  const double pixels = static_cast<double>(kTilePixels) * static_cast<double>(g.view.S[2]) *
                        static_cast<double>(std::min(g.view.S[1], g.view.K[1]));
  return pixels * static_cast<double>(g.chunk * g.element_bytes()) <=
         static_cast<double>(blocks.prefetched_src);
}

// Times a core's own cache: what is transposed of smaller tensors comes soon enough by itself.
constexpr double kFar = 4;

// Tasks stage the chunks of images that they read, if an image of some channels fits a core's own
// cache with its outputs: what is transposed does then not go to memory and back.
void stage_by_task(const Context& context, Grouping* g) {
  const Shape& v = g->view;
  const auto inputs =
      static_cast<double>(v.I[0]) * static_cast<double>(v.I[1]) * static_cast<double>(v.I[2]);
  const auto outputs = static_cast<double>(v.O[1]) * static_cast<double>(v.O[2]);
  const double room =
      static_cast<double>(context.target->blocks.src_box) / static_cast<double>(g->sum_bytes());
  const Extent lanes = g->family->lanes;
  const Extent vectors = g->padded_channels() / lanes;
  Grouping part = *g;
  part.stages_by_task = true;
  const auto fits = [&](Extent chunk) {
    part.chunk = chunk;
    return static_cast<double>(part.part_pixel()) * inputs + static_cast<double>(chunk) * outputs <=
           room;
  };
  const double most = room / ((inputs + outputs) * static_cast<double>(lanes));
  Extent of_chunk = most < static_cast<double>(vectors) ? static_cast<Extent>(most) : vectors;
  if (context.threads() > 1) {
    const Extent tasks = kTasksOfThread * context.threads();
    of_chunk = std::min(of_chunk, std::max<Extent>(multiply(vectors, v.N) / tasks, 1));
  }
  while (of_chunk > 0 && !fits(of_chunk * lanes)) --of_chunk;
  if (of_chunk == 0) return;
  use_staged_src(part.part_pixel(), &part.view);
  part.view.src.outer = part.view.src.channel = 0;  // of the part that a task has
  part.reads_ahead =
      bytes_of_tensors(context.shape) > kFar * static_cast<double>(context.target->second.bytes);
  *g = part;
}

void choose_tasks(const Context& context, Grouping* g) {
  if (g->stages_by_task) {
    g->bands_per_task = g->view.O[0] * g->plane_bands();
    return;
  }
  const Blocks& blocks = context.target->blocks;
  const Extent lanes = g->family->lanes;
  // A row without inputs has outputs all the same, of padding.
  const Extent columns = std::max<Extent>(g->view.I[2], 1);
  const Extent vector_bytes = g->view.K[1] * columns * lanes * g->sum_bytes();
  // Rows of src under one row of outputs stay in a core's own cache for the next row. Narrower
  // chunks would fit the first-level cache, but touch a few lines of each pixel only, which costs
  // more where src comes from memory.
  const Extent vectors = std::max<Extent>(1, blocks.near_rows / vector_bytes);
  g->chunk = std::min(vectors * lanes, g->padded_channels());
  const Extent rows = kTaskOutputs / g->view.O[2] * lanes / g->chunk;
  g->bands_per_task = context.threads() == 1 ? g->bands() : rows / g->rows_per_call;
  g->bands_per_task = std::clamp<Extent>(g->bands_per_task, 1, g->bands());
  if (context.threads() > 1) share_bands(context.threads(), g);
  g->prefetches_src = prefetches_src(*g, blocks);
  const Extent src = src_bytes(*g);
  // Prefetching the next band is worth its time only for what comes from far, and not for patches
  // whose pixels lie in one place, where it takes up to a quarter longer, unless they are copied.
  const Core& core = context.target->core;
  const bool crowds = g->spread_pixel == 0 && places_of_pixels(*g, *context.target) == 1;
  const Extent stride = g->view.S[2];
  const bool of_patches = src > core.far_src.of_stride(stride) && !crowds;
  const bool of_bands = src > core.far_src_of_bands.of_stride(stride);
  g->prefetches_bands =
      !g->stages_src && ((g->by_patches && of_patches) || (g->by_bands && of_bands));
}

// Patches read all taps of a vector, all of whose channels must be there. Taps a multiple of this
// apart, and with as many channels the pixels of src too, would push one another out of the
// first-level cache. Kernels in assembly read packed ones: to gather them for each patch takes
// longer than to pack.
bool reads_raw(const Grouping& g, const Target& target) {
  if (reads_lines_by_rows(g)) return false;
  const Extent crowded_bytes = target.set_period() / 2;
  return g.by_patches && g.has_whole_vectors() &&
         g.raw_product * g.element_bytes() % crowded_bytes != 0;
}

// Patches compute one vector at once. Those of stride 1 share so many inputs that it does not
// matter; where src comes from memory, all is bound by that, and patches of stride 2 take a tenth
// to a third less time than bands of four vectors.
bool suits_patches(const Grouping& g, const Target& target) {
  return reads_lines_by_rows(g) || has_bands_of_target(g, target) || g.vectors_at_once == 1 ||
         g.view.S[2] == 1 || (comes_from_memory(g, target) && !reads_parts(g, target));
}

std::optional<Grouping> make_grouping(const Context& context, const GroupedFamily& family) {
  const Shape& shape = context.shape;
  if (!is_narrow(shape, family)) return std::nullopt;
  Grouping g;
  g.family = &family;
  g.function = kernel_of(shape, family);
  g.width = shape.ICG();
  g.view = shape;
  const bool widens = g.element_bytes() != static_cast<Extent>(size_of(shape.dtype));
  g.stages_src = widens || shape.src.channel != 1;
  g.stages_dst = widens || shape.dst.channel != 1;
  if (g.stages_src) {
    use_staged_src(shape.IC, &g.view);
    stage_by_task(context, &g);
  }
  g.vectors_at_once = vectors_at_once(g, *context.target);
  const GroupedKernel patches = patches_of(shape, family);
  if (patches != nullptr && suits_patches(g, *context.target)) {
    g.function = patches;
    g.by_patches = true;
    g.rows_per_call = family.patch_rows;
  } else if (const GroupedKernel bands = bands_of(shape, family, context.target->core)) {
    g.function = bands;
    g.by_bands = true;
  }
  if (g.function == nullptr) return std::nullopt;
  g.raw_product = raw_product_of(shape, g);
  g.reads_raw = reads_raw(g, *context.target);
  if (g.by_bands) g.rows_per_call = rows_of_band(g, *context.target);
  spread_src(*context.target, &g);
  if (g.by_patches) g.rows_per_call = rows_of_patch(g, *context.target);
  if (g.spread_pixel > 0) g.vectors_at_once = vectors_at_once(g, *context.target);
  if (g.by_bands) share_rows(context.threads(), &g);
  choose_tasks(context, &g);
  g.call_channels = g.spread_pixel > 0 ? std::min(g.chunk, spread_channels(g)) : g.chunk;
  return g;
}

}  // namespace

Extent Grouping::padded_channels() const {
  return (view.OC + family->lanes - 1) / family->lanes * family->lanes;
}

Extent Grouping::staged_src() const {
  return stages_src && !stages_by_task ? view.N * view.IC * view.I[0] * view.I[1] * view.I[2] : 0;
}

std::optional<Grouping> Grouping::make(const Context& context, const Options&) {
  const Shape& shape = context.shape;
  const bool channels_last = shape.src.channel == 1 && shape.dst.channel == 1;
  const Dtype read = channels_last ? shape.dtype : computed_in(shape.dtype);
  std::optional<Grouping> grouping;
  if (const GroupedFamily* pairs = paired_groups_for(context.isa, read)) {
    grouping = make_grouping(context, *pairs);
  }
  if (grouping) return grouping;
  return make_grouping(context, groups_for(context.isa, read));
}

void describe(const Context& context, const Grouping& g, std::ostream& out) {
  out << "kernels   " << g.family->name << ", groups of " << g.width << ", "
      << g.family->lanes / g.width << " a vector\n";
  out << "tasks     " << g.tasks() << ": " << g.bands_per_task << " of " << g.bands()
      << " bands by " << g.chunk << " of " << g.view.OC << " channels\n";
  out << "calls     a band of " << g.rows_per_call << " rows at most, in "
      << (g.by_patches ? "patches" : (g.by_bands ? "bands" : "tiles")) << "\n";
  out << "packing   [" << g.padded_channels() / g.family->lanes
      << " vectors of output channels][kd][kh][kw][channel of the group][" << g.family->lanes
      << "], " << g.packed_weights() << " elements of " << g.sum_bytes() << " bytes"
      << (g.reads_raw ? "; where weights come as they are, read in place" : "") << "\n";
  out << "src       " << (g.stages_src ? "staged, channels last" : "read in place")
      << (g.stages_by_task ? ", by each task what it reads" : "")
      << (g.reads_ahead ? ", ahead" : "")
      << (g.spread_pixel > 0 ? "; what a call reads is copied first" : "") << "\n";
  out << "dst       " << (g.stages_dst ? "staged, then converted" : "written in place") << "\n";
  describe_bound(context, operations_of(context.shape), vector_operations(context, g.family->lanes),
                 out);
}

}  // namespace concord::optimized
