// SPDX-License-Identifier: Apache-2.0
#include "optimized/plan.h"

#include <algorithm>

#include "optimized/direct/src_box.h"
#include "spec/check.h"

namespace concord::optimized {

std::string_view to_string(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::kNothing:
      return "nothing";
    case Algorithm::kTiles:
      return "tiles";
    case Algorithm::kGroups:
      return "groups";
    case Algorithm::kWinograd:
      return "winograd";
    case Algorithm::kAmx:
      return "amx";
    case Algorithm::kPointwiseNcx:
      return "pointwise_ncx";
    case Algorithm::kLoops:
      return "loops";
  }
  CONCORD_CHECK(false) << "algorithm " << static_cast<int>(algorithm);
  return {};
}

int Tiling::vectors_of(Extent p) const {
  if (p + 1 < panels) return vectors;
  const Extent rest = view.OCG() - p * panel_width();
  return static_cast<int>((rest + lanes() - 1) / lanes());
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
    tasks *= (all[level] + task[level] - 1) / task[level];
  }
  return tasks;
}

Extent Tiling::pixels_of_row_part() const {
  Extent row = 0;
  for (const Segment& segment : segments) {
    row = std::max(row, segment.pixels * std::min(segment.tiles, kTilesPerStrip));
  }
  return task[3] == strips_before.back() ? view.O[2] : std::min(row * task[3], view.O[2]);
}

Extent Tiling::staged_src() const {
  if (!stages_src) return 0;
  return stages_by_task ? slots * largest_box(*this).elements()
                        : view.G * whole_src(*this).elements();
}

std::string Plan::kernel() const {
  if (algorithm == Algorithm::kTiles) return tiling.family->name;
  if (algorithm == Algorithm::kWinograd) return winograd.family->name;
  if (algorithm == Algorithm::kAmx) return amx.family->name;
  if (algorithm == Algorithm::kPointwiseNcx) return pointwise_ncx.family->name;
  if (algorithm == Algorithm::kLoops) return "loops";
  return algorithm == Algorithm::kGroups ? grouping.family->name : "none";
}

}  // namespace concord::optimized
