// SPDX-License-Identifier: Apache-2.0
#include <sstream>

#include "optimized/engine.h"

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

void describe_tiling(const Tiling& t, std::ostream& out) {
  out << "kernels   " << t.family->name << ", panels of " << t.vectors << " vectors of "
      << t.lanes() << "\n";
  out << "rows      " << t.rows() << " rows of " << t.view.O[2] << " outputs\n";
  describe_segments(t, out);
  out << "blocks    " << t.channel_block << " input channels a pass, " << t.channel_blocks()
      << " passes\n";
  out << "tasks     " << t.tasks() << ": " << t.strips_per_task << " of " << t.strips()
      << " strips by " << t.panels_per_task << " of " << t.panels << " panels, " << t.view.G
      << " groups\n";
  out << "src       "
      << (t.reads_pairs() ? (t.stages_src ? "staged as pairs of bf16" : "pairs read in place")
                          : (t.stages_src ? "staged to f32, channels last" : "read in place"))
      << "\n";
  out << "dst       " << (t.stages_dst ? "staged, then converted" : "written in place") << "\n";
}

void describe_grouping(const Grouping& g, std::ostream& out) {
  out << "kernels   " << g.family->name << ", groups of " << g.width << ", "
      << g.family->lanes / g.width << " a vector\n";
  out << "tasks     " << g.tasks() << ": " << g.rows_per_task << " of " << g.rows() << " rows by "
      << g.chunk << " of " << g.view.OC << " channels\n";
  out << "src       " << (g.stages_src ? "staged to f32, channels last" : "read in place") << "\n";
  out << "dst       " << (g.stages_dst ? "staged, then converted" : "written in place") << "\n";
}

void describe_winograd(const Winograd& w, std::ostream& out) {
  out << "kernels   " << w.family->name << " F(" << w.outputs << "x" << w.outputs << ", 3x3), then "
      << w.points() << " products by " << w.product->tiling.family->name << ", panels of "
      << w.product->tiling.vectors << " vectors\n";
  out << "tasks     " << w.tasks() << ": " << w.tiles_per_task << " of " << w.tiles() << " tiles\n";
}

void describe_blocking(const Blocking& b, std::ostream& out) {
  out << "kernels   " << b.family->name << ", " << b.panels() << " panels of " << b.kPanelWidth
      << " channels, steps of " << b.chunk << " products, " << b.steps << " a kernel row\n";
  for (const BlockSegment& segment : b.segments[0]) {
    out << "  outputs " << segment.begin << ".." << segment.begin + segment.pixels * segment.tiles
        << " of a row: " << segment.tiles << " tiles of " << segment.pixels << " pixels, "
        << segment.steps.size() << " of " << b.steps << " steps a kernel row\n";
  }
  out << "tasks     " << b.tasks() << ": " << b.rows_per_task << " of " << b.rows()
      << (b.in_place ? " tiles" : " rows") << " of a plane by " << b.panels_per_task << " of "
      << b.panels() << " panels\n";
  out << "src       "
      << (b.in_place ? "read in place" : "copied, the rows of a task, between zeros") << "\n";
  out << "dst       " << (b.stages_dst ? "staged, then converted" : "written in place") << "\n";
}

}  // namespace

std::string describe(const Plan& plan) {
  std::ostringstream out;
  out << "dst       " << to_string(plan.shape.dst_tensor) << "\n";
  out << "algorithm " << to_string(plan.algorithm) << ", " << to_string(plan.isa) << ", "
      << plan.team->threads() << " threads\n";
  if (plan.algorithm == Algorithm::kTiles) describe_tiling(plan.tiling, out);
  if (plan.algorithm == Algorithm::kGroups) describe_grouping(plan.grouping, out);
  if (plan.algorithm == Algorithm::kWinograd) describe_winograd(plan.winograd, out);
  if (plan.algorithm == Algorithm::kBlocks) describe_blocking(plan.blocking, out);
  out << "memory    " << plan.packed_bytes << " bytes packed, " << plan.workspace_bytes
      << " bytes workspace (" << plan.one_shot_workspace_bytes << " when packing on the way)\n";
  return out.str();
}

}  // namespace concord::optimized
