// SPDX-License-Identifier: Apache-2.0
#include "optimized/amx/plan.h"

#include <algorithm>
#include <limits>
#include <ostream>

#include "optimized/describe.h"
#include "optimized/direct/row_tiles.h"
#include "optimized/layout/stage.h"
#include "optimized/runtime/kernel_table.h"
#include "optimized/shape/view.h"

namespace concord::optimized {
namespace {

constexpr Extent kMostChunk = 32;
constexpr Extent kBytes = 2;  // of an element
// Outputs of a task, where threads must share them.
constexpr Extent kTaskTiles = 32;

bool meets_padding(const Axis& axis) {
  for (const Extent k : {Extent{0}, axis.K - 1}) {
    const Axis::Range range = axis.outputs_of(k);
    if (range.begin != 0 || range.end != axis.O) return true;
  }
  return false;
}

// Elements of the widest row of a slab: what a row of outputs reads, padding included.
double slab_row_bytes(const Shape& s, Extent channels) {
  const double columns = static_cast<double>(s.O[2] - 1) * static_cast<double>(s.S[2]) +
                         static_cast<double>(s.K[2] - 1) * static_cast<double>(s.D[2]) + 1;
  return columns * static_cast<double>(channels * kBytes);
}

// One way to compute the shape.
struct Way {
  bool in_place;
  bool exact;   // no tile has taps that touch padding for some of its pixels
  bool merges;  // the taps of a kernel row are one run
  Extent channels = 0, chunk = 0, steps = 0;
};

// Chooses the channels of a group, padded, and an even chunk of at most 32 that divides a run of
// them, for the fewest steps.
void choose_chunk(const Shape& s, Way* way) {
  const Extent taps = way->merges ? s.K[2] : 1;
  const Extent least = s.ICG() + s.ICG() % 2;
  const Extent most = way->in_place ? least : least + kMostChunk;
  Extent fewest = std::numeric_limits<Extent>::max();
  for (Extent channels = least; channels <= most; channels += 2) {
    const Extent run = taps * channels;
    Extent chunk = std::min(kMostChunk, run);
    while (run % chunk != 0) chunk -= 2;
    const Extent steps = run / chunk * (s.K[2] / taps);
    if (steps >= fewest) continue;
    fewest = steps;
    way->channels = channels;
    way->chunk = chunk;
    way->steps = steps;
  }
}

struct Zone {
  Extent begin, end;
};

// The outputs between which the set of taps changes.
std::vector<Zone> zones_of(const Axis& axis, bool exact) {
  std::vector<Extent> cuts = {0, axis.O};
  for (Extent k = 0; exact && k < axis.K; ++k) {
    const Axis::Range range = axis.outputs_of(k);
    if (range.begin >= range.end) continue;
    cuts.push_back(range.begin);
    cuts.push_back(range.end);
  }
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  std::vector<Zone> zones;
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) zones.push_back({cuts[i], cuts[i + 1]});
  return zones;
}

// The steps of a zone; `column` is the bytes from one tap to the next.
std::vector<AmxStep> steps_of(const Way& way, const Axis& axis, const Zone& zone, Extent column,
                              bool leaves_out) {
  std::vector<AmxStep> steps;
  if (way.merges) {
    for (Extent i = 0; i < way.steps; ++i) steps.push_back({i * way.chunk * kBytes, i});
    return steps;
  }
  const Extent per_tap = way.channels / way.chunk;
  for (Extent k = 0; k < axis.K; ++k) {
    const Axis::Range range = axis.outputs_of(k);
    const bool reads = std::max(range.begin, zone.begin) < std::min(range.end, zone.end);
    if (leaves_out && !reads) continue;
    for (Extent i = 0; i < per_tap; ++i) {
      steps.push_back({multiply(k, column) + i * way.chunk * kBytes, k * per_tap + i});
    }
  }
  return steps;
}

std::vector<AmxSegment> cut(const Way& way, const Axis& axis, Extent column, bool leaves_out) {
  std::vector<AmxSegment> segments;
  for (const Zone& zone : zones_of(axis, way.exact)) {
    const auto steps = steps_of(way, axis, zone, column, leaves_out);
    const Extent length = zone.end - zone.begin;
    const Extent tiles = (length + kBlockPixels - 1) / kBlockPixels;
    const Extent pixels = length / tiles;
    const Extent larger = length % tiles;
    if (larger > 0) segments.push_back({zone.begin, pixels + 1, larger, steps});
    segments.push_back({zone.begin + larger * (pixels + 1), pixels, tiles - larger, steps});
  }
  return segments;
}

// Cycles for a row of outputs: a step of a tile by two tiles of channels takes a time for each
// pixel, but no less than loading the weights; copying src comes on top.
double cost_of(const Shape& s, const Way& way, const std::vector<AmxSegment>& segments,
               Extent panels, const MatrixCosts& costs) {
  double cost = 0;
  for (const AmxSegment& segment : segments) {
    const double step =
        std::max(costs.pixel * static_cast<double>(segment.pixels), costs.least_step);
    cost += static_cast<double>(segment.tiles) *
            (step * static_cast<double>(segment.steps.size() * static_cast<std::size_t>(s.K[1])) +
             costs.tile);
  }
  cost *= static_cast<double>(panels * s.K[0]);
  const double copied =
      slab_row_bytes(s, way.channels) / costs.copied_bytes * static_cast<double>(s.K[0] * s.S[1]);
  return cost + (way.in_place ? 0.0 : copied);
}

bool can_read_in_place(const Shape& s) { return s.src.channel == 1 && s.ICG() % 2 == 0; }

// True if reading in place takes steps of more than half of what a copy's would have.
bool has_large_chunks_in_place(const Shape& s) {
  if (s.ICG() == 0 || !can_read_in_place(s)) return false;
  Way way = {.in_place = true, .exact = false, .merges = false};
  choose_chunk(s, &way);
  return 2 * way.chunk > std::min(kMostChunk, way.channels);
}

// True if this candidate is possible; sets its remaining fields.
bool complete(const Shape& s, const Blocks& blocks, Way* way) {
  if (s.ICG() == 0) return false;
  const Axis axis = axis_of(s, 2);
  const bool meets = meets_padding(axis);
  if (way->in_place) {
    if (!can_read_in_place(s)) return false;
    if (meets && !way->exact) return false;
  }
  if (way->exact && !meets) return false;
  const bool is_dense = !way->in_place || (s.src.spatial[2] == s.ICG());
  way->merges = s.D[2] == 1 && s.K[2] > 1 && !way->exact && is_dense;
  choose_chunk(s, way);
  return way->in_place ||
         slab_row_bytes(s, way->channels) * static_cast<double>(s.K[0]) *
                 (static_cast<double>(s.K[1] - 1) * static_cast<double>(s.D[1]) + 1) <=
             static_cast<double>(blocks.matrix_row);
}

Extent column_bytes(const Shape& s, const Way& way) {
  const Extent pixel = way.in_place ? s.src.spatial[2] : way.channels;
  return multiply(multiply(s.D[2], pixel), kBytes);
}

// A panel is used for several pairs of tiles at once, if the next one finds what they read and
// write in the first-level cache.
Extent choose_blocks(const AmxPlan& b, Extent near_bytes) {
  if (b.stages_dst) return 1;
  if (!b.by_pixels || b.panels() == 1) return AmxPlan::kMostBlocks;
  const auto taps = static_cast<double>(b.view.K[0] * b.view.K[1]);
  const double pixel = (static_cast<double>(b.view.S[2]) * static_cast<double>(b.channels) * taps +
                        static_cast<double>(b.view.OCG())) *
                       kBytes;
  const double panel =
      taps * static_cast<double>(b.steps * b.chunk * AmxPlan::kPanelWidth * kBytes);
  const double blocks = (static_cast<double>(near_bytes) - panel) / (2 * kBlockPixels * pixel);
  return static_cast<Extent>(std::clamp(blocks, 1.0, double{AmxPlan::kMostBlocks}));
}

void choose_tasks(const Blocks& blocks, AmxPlan* b, int threads) {
  b->panels_per_task = b->panels();
  b->rows_per_task = b->rows();
  if (b->in_place) {
    const double tile_bytes = static_cast<double>(b->view.S[2]) *
                              static_cast<double>(kBlockPixels * b->channels * kBytes);
    b->rows_per_task = std::clamp<Extent>(
        static_cast<Extent>(static_cast<double>(blocks.matrix_slab) / tile_bytes), 2, b->rows());
  }
  while (!b->in_place && b->rows_per_task > 1 && b->slab() * kBytes > blocks.matrix_slab) {
    b->rows_per_task = (b->rows_per_task + 1) / 2;
  }
  if (threads == 1) return;
  const Extent wanted = 4 * static_cast<Extent>(threads);
  const Extent least =
      b->in_place ? 4 : std::max<Extent>(1, kTaskTiles * kBlockPixels / b->view.O[2] / 8);
  while (b->tasks() < wanted && b->rows_per_task > least) {
    b->rows_per_task = (b->rows_per_task + 1) / 2;
  }
  while (b->tasks() < wanted && b->panels_per_task > 1) {
    b->panels_per_task = (b->panels_per_task + 1) / 2;
  }
}

}  // namespace

Extent AmxPlan::tiles_of(Extent p) const {
  const Extent rest = view.OCG() - p * kPanelWidth;
  return rest > kBlockChannels ? 2 : 1;
}

Extent AmxPlan::padded_ocg() const {
  return (view.OCG() + kBlockChannels - 1) / kBlockChannels * kBlockChannels;
}

Extent AmxPlan::rows() const {
  if (!in_place) return view.O[1];
  Extent tiles = 0;
  for (const AmxSegment& segment : segments[0]) tiles += segment.tiles;
  return tiles * view.O[1];
}

Extent AmxPlan::slab_row() const {
  return ((view.O[2] - 1) * view.S[2] + (view.K[2] - 1) * view.D[2] + 1) * channels;
}

Extent AmxPlan::slab_rows() const {
  return (rows_per_task - 1) * view.S[1] + (view.K[1] - 1) * view.D[1] + 1;
}

Extent AmxPlan::packed_offset(Extent g, Extent p) const {
  const Extent taps = view.K[0] * view.K[1];
  return (g * padded_ocg() + p * kPanelWidth) * taps * steps * chunk;
}

Extent AmxPlan::staged_dst() const {
  const Extent line = 16;  // elements of four bytes, to which parts are aligned
  const Extent sums = Extent{2} * kBlockSums;
  return (slab() / 2 + 1 + line - 1) / line * line + sums;
}

std::optional<AmxPlan> AmxPlan::make(const Context& context, const Options&) {
  AmxPlan b;
  b.family = amx_for(context.isa, context.shape.dtype);
  if (b.family == nullptr) return std::nullopt;
  b.view = context.shape;
  clear_unused_strides(&b.view);
  join_axes(&b.view);
  const Extent rows = b.view.O[2];
  if (has_large_chunks_in_place(b.view)) join_windows(&b.view);
  // A slab of joined rows could not be divided.
  const bool may_copy = b.view.O[2] == rows;
  double least = std::numeric_limits<double>::infinity();
  for (const bool in_place : {true, false}) {
    if (!in_place && !may_copy) continue;
    for (const bool exact : {false, true}) {
      Way way = {.in_place = in_place, .exact = exact, .merges = false};
      if (!complete(b.view, context.target->blocks, &way)) continue;
      const Axis axis = axis_of(b.view, 2);
      const Extent column = column_bytes(b.view, way);
      auto segments = cut(way, axis, column, true);
      const double cost = cost_of(b.view, way, segments, b.panels(), context.target->matrix);
      if (cost >= least) continue;
      least = cost;
      b.in_place = in_place;
      b.channels = way.channels;
      b.chunk = way.chunk;
      b.steps = way.steps;
      b.segments[0] = std::move(segments);
      b.segments[1] = in_place ? b.segments[0] : cut(way, axis, column, false);
    }
  }
  if (b.segments[0].empty()) return std::nullopt;
  b.stages_dst = b.view.dst.channel != 1 && b.view.OCG() > 1;
  b.by_pixels = b.packed_offset(1, 0) * kBytes <= context.target->blocks.matrix_weights;
  b.blocks_at_once = choose_blocks(b, context.target->blocks.matrix_panels);
  b.non_temporal_dst = is_non_temporal(
      context, b.view.N * b.view.O[0] * b.view.O[1] * b.view.O[2] * b.view.G * b.view.OCG());
  choose_tasks(context.target->blocks, &b, context.threads());
  return b;
}

void describe(const Context& context, const AmxPlan& b, std::ostream& out) {
  out << "kernels   " << b.family->name << ", " << b.panels() << " panels of " << b.kPanelWidth
      << " channels, steps of " << b.chunk << " products, " << b.steps << " a kernel row\n";
  for (const AmxSegment& segment : b.segments[0]) {
    out << "  outputs " << segment.begin << ".." << segment.begin + segment.pixels * segment.tiles
        << " of a row: " << segment.tiles << " tiles of " << segment.pixels << " pixels, "
        << segment.steps.size() << " of " << b.steps << " steps a kernel row\n";
  }
  out << "tasks     " << b.tasks() << ": " << b.rows_per_task << " of " << b.rows()
      << (b.in_place ? " tiles" : " rows") << " of a plane by " << b.panels_per_task << " of "
      << b.panels() << " panels\n";
  out << "packing   [group][panel] of matrix tiles, " << b.packed_weights()
      << " elements of four bytes\n";
  out << "src       "
      << (b.in_place ? "read in place" : "copied, the rows of a task, between zeros") << "\n";
  out << "dst       " << (b.stages_dst ? "staged, then converted" : "written in place") << "\n";
  const double matrix_operations = 2.0 * 16 * 16 * 32 / context.target->core.matrix_cycles;
  describe_bound(context, operations_of(context.shape), matrix_operations, out);
}

}  // namespace concord::optimized
