// SPDX-License-Identifier: Apache-2.0
// What follows from a tiling, and what it says to people.
#include <algorithm>
#include <ostream>

#include "optimized/describe.h"
#include "optimized/direct/on_the_fly.h"
#include "optimized/direct/pack.h"
#include "optimized/direct/src_box.h"

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

}  // namespace

int Tiling::vectors_of(Extent p) const {
  if (p + 1 < panels) return vectors;
  const Extent rest = view.OCG() - p * panel_width();
  return static_cast<int>((rest + lanes() - 1) / lanes());
}

bool Tiling::has_half_vector() const {
  const Extent rest = view.OCG() % lanes();
  return family->halves && rest != 0 && 2 * rest <= lanes();
}

int Tiling::largest_tile() const {
  int most = 0;
  for (const Segment& segment : segments) most = std::max(most, segment.pixels);
  return most;
}

Extent Tiling::padded_ocg() const { return (view.OCG() + lanes() - 1) / lanes() * lanes(); }

Extent Tiling::channel_blocks() const {
  // Without input channels one block of none still gives every output its bias.
  if (view.ICG() == 0) return 1;
  return (view.ICG() + channel_block - 1) / channel_block;
}

Extent Tiling::packed_offset(Extent g, Extent p) const {
  return (g * padded_ocg() + p * panel_width()) * taps() * view.ICG();
}

Extent Tiling::strip_tasks() const {
  const std::array<Extent, 4> all = {view.N, view.O[0], view.O[1], strips_before.back()};
  Extent tasks = 1;
  for (std::size_t level = 0; level < 4; ++level) {
    tasks *= parts_of(all[level], task[level]);
  }
  return tasks;
}

Extent Tiling::pixels_of_row_part() const {
  Extent row = 0;
  for (const Segment& segment : segments) {
    row = std::max(row, segment.pixels * std::min(segment.tiles, tiles_per_strip));
  }
  return task[3] == strips_before.back() ? view.O[2] : std::min(row * task[3], view.O[2]);
}

Extent Tiling::staged_src() const {
  if (!stages_src) return 0;
  return stages_by_task ? slots * largest_box(*this).elements()
                        : view.G * whole_src(*this).elements();
}

void describe(const Context& context, const Tiling& t, std::ostream& out) {
  out << "kernels   " << t.family->name << ", panels of " << t.vectors << " vectors of "
      << t.lanes() << "\n";
  out << "rows      " << t.rows() << " rows of " << t.view.O[2] << " outputs"
      << (t.is_turned ? ", which are columns of the image" : "")
      << (t.is_of_images ? ", which are one pixel of all images" : "") << "\n";
  describe_segments(t, out);
  out << "blocks    " << t.channel_block << " input channels a pass, " << t.channel_blocks()
      << " passes\n";
  out << "tasks     " << t.tasks() << ": " << t.strips_per_task() << " of " << t.strips()
      << " strips by " << t.panels_per_task << " of " << t.panels << " panels, " << t.view.G
      << " groups\n";
  out << "packing   [group][panel][channel block][kd][kh][kw][channel][" << t.panel_width()
      << " output channels], " << t.packed_weights() << " elements of " << t.element_bytes()
      << " bytes"
      << (lie_as_packed(context, t) ? "; weights that come as they are lie so already"
          : packs_by_task(context, t)
              ? "; where weights come as they are, by each task what it reads"
              : "")
      << "\n";
  const std::string staged =
      t.reads_pairs()
          ? "staged as pairs of bf16"
          : "staged to " + std::string(to_string(computed_in(t.view.dtype))) + ", channels last";
  const char* const in_src = t.reads_pairs() ? "pairs read in place" : "read in place";
  out << "src       " << (t.stages_src ? staged : in_src)
      << (t.stages_by_task ? ", by each task what it reads" : "") << "\n";
  const char* in_place = t.rounds_dst ? "rounded and written in place" : "written in place";
  out << "dst       " << (t.stages_dst ? "staged, then converted" : in_place)
      << (t.non_temporal_dst ? ", past the caches" : "") << "\n";
  describe_bound(context, operations_of(context.shape), vector_operations(context, t.lanes()), out);
}

}  // namespace concord::optimized
