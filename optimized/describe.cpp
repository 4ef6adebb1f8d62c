// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <sstream>

#include "optimized/direct/on_the_fly.h"
#include "optimized/engine.h"
#include "spec/dtype.h"

namespace concord::optimized {
namespace {

void describe_segments(const Tiling& t, std::ostream& out) {
  for (const Segment& segment : t.segments) {
    out << "  outputs " << segment.begin << ".." << segment.begin + segment.pixels * segment.tiles
        << " of a row: " << segment.tiles << " tiles of " << segment.pixels << " pixels x "
        << t.panel_width() << " channels, " << segment.taps.size() << " of " << t.view.K[2]
        << " taps a kernel row\n";
  }
}

void describe_tiling(const Plan& plan, std::ostream& out) {
  const Tiling& t = plan.tiling;
  out << "kernels   " << t.family->name << ", panels of " << t.vectors << " vectors of "
      << t.lanes() << "\n";
  out << "rows      " << t.rows() << " rows of " << t.view.O[2] << " outputs\n";
  describe_segments(t, out);
  out << "blocks    " << t.channel_block << " input channels a pass, " << t.channel_blocks()
      << " passes\n";
  out << "tasks     " << t.tasks() << ": " << t.strips_per_task() << " of " << t.strips()
      << " strips by " << t.panels_per_task << " of " << t.panels << " panels, " << t.view.G
      << " groups\n";
  out << "packing   [group][panel][channel block][kd][kh][kw][channel][" << t.panel_width()
      << " output channels], " << t.packed_weights() << " elements of four bytes"
      << (packs_by_task(plan) ? "; where weights come as they are, by each task what it reads" : "")
      << "\n";
  out << "src       "
      << (t.reads_pairs() ? (t.stages_src ? "staged as pairs of bf16" : "pairs read in place")
                          : (t.stages_src ? "staged to f32, channels last" : "read in place"))
      << (t.stages_by_task ? ", by each task what it reads" : "") << "\n";
  const char* in_place = t.rounds_dst ? "rounded and written in place" : "written in place";
  out << "dst       " << (t.stages_dst ? "staged, then converted" : in_place)
      << (t.non_temporal_dst ? ", past the caches" : "") << "\n";
}

void describe_grouping(const Grouping& g, std::ostream& out) {
  out << "kernels   " << g.family->name << ", groups of " << g.width << ", "
      << g.family->lanes / g.width << " a vector\n";
  out << "tasks     " << g.tasks() << ": " << g.bands_per_task << " of " << g.bands()
      << " bands by " << g.chunk << " of " << g.view.OC << " channels\n";
  out << "calls     a band of " << g.rows_per_call << " rows at most, in "
      << (g.by_patches ? "patches" : "tiles") << "\n";
  out << "packing   [" << g.padded_channels() / g.family->lanes
      << " vectors of output channels][kd][kh][kw][channel of the group][" << g.family->lanes
      << "], " << g.packed_weights() << " elements of f32"
      << (g.reads_raw() ? "; where weights come as they are, read in place" : "") << "\n";
  out << "src       " << (g.stages_src ? "staged to f32, channels last" : "read in place") << "\n";
  out << "dst       " << (g.stages_dst ? "staged, then converted" : "written in place") << "\n";
}

void describe_winograd(const Winograd& w, std::ostream& out) {
  out << "kernels   " << w.family->name << " F(" << w.outputs << "x" << w.outputs << ", 3x3), then "
      << w.points() << " products by " << w.product->tiling.family->name << ", panels of "
      << w.product->tiling.vectors << " vectors\n";
  out << "tasks     " << w.tasks() << ": " << w.tiles_per_task << " of " << w.tiles() << " tiles\n";
  out << "packing   [point], each as a pointwise layer's weights, " << w.packed_weights()
      << " elements of f32\n";
  out << "dst       written in place" << (w.non_temporal_dst ? ", past the caches" : "") << "\n";
}

// Multiply-adds count as two. Taps that read padding are counted, too.
double operations_of(const Plan& plan) {
  const Shape& s = plan.shape;
  double products = static_cast<double>(s.N) * static_cast<double>(s.OC) *
                    static_cast<double>(s.ICG()) * static_cast<double>(s.K[0] * s.K[1] * s.K[2]);
  for (const Extent extent : s.O) products *= static_cast<double>(extent);
  if (plan.algorithm != Algorithm::kWinograd) return 2 * products;
  const Winograd& w = plan.winograd;
  return 2.0 * static_cast<double>(w.points() * w.tiles()) * static_cast<double>(s.IC) *
         static_cast<double>(s.OC);
}

// src, weights and dst, each once.
double bytes_of(const Shape& s) {
  double src = static_cast<double>(s.N) * static_cast<double>(s.IC);
  double weights = static_cast<double>(s.OC) * static_cast<double>(s.ICG());
  double dst = static_cast<double>(s.N) * static_cast<double>(s.OC);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    src *= static_cast<double>(s.I[axis]);
    weights *= static_cast<double>(s.K[axis]);
    dst *= static_cast<double>(s.O[axis]);
  }
  return (src + weights + dst) * static_cast<double>(size_of(s.dtype));
}

Extent lanes_of(const Plan& plan) {
  if (plan.algorithm == Algorithm::kTiles) return plan.tiling.family->lanes;
  if (plan.algorithm == Algorithm::kPointwiseNcx) return plan.pointwise_ncx.family->lanes;
  return plan.algorithm == Algorithm::kGroups ? plan.grouping.family->lanes
                                              : plan.winograd.family->lanes;
}

// Operations a cycle, as two multiply-adds of a vector are issued, or one dot product of pairs; a
// product of 16x32 by 32x16 elements on matrix tiles takes 16 cycles.
double operations_a_cycle(const Plan& plan) {
  constexpr double kMatrixOperations = 2.0 * 16 * 16 * 32 / 16;
  if (plan.algorithm == Algorithm::kAmx) return kMatrixOperations;
  return 4.0 * static_cast<double>(lanes_of(plan));
}

// Which limit of a core the plan meets first: its arithmetic or memory.
void describe_bound(const Plan& plan, std::ostream& out) {
  // Bytes a cycle from and to memory: a core non_temporal 20 to 30 GB/s at 3 to 4 GHz.
  constexpr double kMemoryBytes = 8;
  const double peak = operations_a_cycle(plan);
  const double adds = operations_of(plan) / peak;
  const double moves = bytes_of(plan.shape) / kMemoryBytes;
  out << "bound     " << (adds >= moves ? "compute" : "memory") << ": " << operations_of(plan)
      << " operations at " << peak << " a cycle, " << bytes_of(plan.shape) << " bytes at "
      << kMemoryBytes << " a cycle if all come from memory; a core's least is "
      << std::max(adds, moves) << " cycles\n";
}

void describe_amx(const AmxPlan& b, std::ostream& out) {
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
}

void describe_pointwise_ncx(const PointwiseNcx& p, std::ostream& out) {
  out << "kernels   " << p.family->name << ", " << p.panels << " panels of up to " << p.vectors
      << " vectors of pixels, of " << p.pixels << " pixels a plane\n";
  out << "tasks     " << p.tasks() << ": " << p.panels_per_task << " of " << p.panels
      << " panels by " << p.channels_per_task << " of " << p.view.OCG() << " channels\n";
  out << "packing   [output channel][" << p.products() << " products], " << p.packed_elements()
      << " elements of f32\n";
  out << "src       copied, the pixels of a task\n";
  out << "dst       written in place\n";
}

void describe_loops(const Shape& s, std::ostream& out) {
  Extent taps = s.ICG() * s.K[0] * s.K[1] * s.K[2];
  for (const OuterAxis& x : s.outer) taps *= x.K;
  out << "axes      " << s.outer.size() + 3 << " that mean something; rows of " << s.O[2]
      << " outputs, one task each, " << taps << " products an output\n";
  out << "packing   [output channel][" << taps << " products], f32\n";
}

}  // namespace

std::string describe(const Plan& plan) {
  std::ostringstream out;
  out << "dst       " << to_string(plan.shape.dst_tensor) << "\n";
  out << "algorithm " << to_string(plan.algorithm) << ", " << to_string(plan.isa) << ", "
      << plan.thread_pool->threads() << " threads\n";
  if (plan.algorithm == Algorithm::kTiles) describe_tiling(plan, out);
  if (plan.algorithm == Algorithm::kGroups) describe_grouping(plan.grouping, out);
  if (plan.algorithm == Algorithm::kWinograd) describe_winograd(plan.winograd, out);
  if (plan.algorithm == Algorithm::kAmx) describe_amx(plan.amx, out);
  if (plan.algorithm == Algorithm::kPointwiseNcx) describe_pointwise_ncx(plan.pointwise_ncx, out);
  if (plan.algorithm == Algorithm::kLoops) describe_loops(plan.shape, out);
  if (plan.algorithm != Algorithm::kNothing && plan.algorithm != Algorithm::kLoops) {
    describe_bound(plan, out);
  }
  out << "memory    " << plan.packed_bytes << " bytes packed, " << plan.workspace_bytes
      << " bytes workspace (" << plan.one_shot_workspace_bytes << " when packing on the way)\n";
  return out.str();
}

}  // namespace concord::optimized
