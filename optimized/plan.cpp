// SPDX-License-Identifier: Apache-2.0
#include "optimized/plan.h"

#include <algorithm>

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
    case Algorithm::kBlocks:
      return "blocks";
  }
  CONCORD_CHECK(false) << "algorithm " << static_cast<int>(algorithm);
  return {};
}

int Tiling::vectors_of(Extent p) const {
  if (p + 1 < panels) return vectors;
  const Extent rest = view.OCG() - p * panel_width();
  return static_cast<int>((rest + lanes() - 1) / lanes());
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

Extent Tiling::staged_src() const {
  return stages_src ? view.N * view.IC * view.I[0] * view.I[1] * view.I[2] : 0;
}

Extent Tiling::staged_dst() const {
  if (!stages_dst) return 0;
  Extent pixels = 0;
  for (const Segment& segment : segments) {
    pixels = std::max(pixels, segment.pixels * std::min(segment.tiles, kTilesPerStrip));
  }
  return strips_per_task * pixels * panels_per_task * panel_width();
}

std::string Plan::kernel() const {
  if (algorithm == Algorithm::kTiles) return tiling.family->name;
  if (algorithm == Algorithm::kWinograd) return winograd.family->name;
  if (algorithm == Algorithm::kBlocks) return blocking.family->name;
  return algorithm == Algorithm::kGroups ? grouping.family->name : "none";
}

}  // namespace concord::optimized
