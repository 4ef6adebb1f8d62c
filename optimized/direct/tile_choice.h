// SPDX-License-Identifier: Apache-2.0
// Which register tiles compute a shape fastest, by a model of a core: limits, and costs on top of
// them that targets/ holds.
#ifndef CONCORD_OPTIMIZED_DIRECT_TILE_CHOICE_H_
#define CONCORD_OPTIMIZED_DIRECT_TILE_CHOICE_H_

#include <vector>

#include "optimized/direct/plan.h"
#include "optimized/tuning/choice.h"

namespace concord::optimized {

/// The costs by which cycles depend linearly, each with its name in a target's file.
struct NamedCost {
  const char* name;
  double TileCosts::*member;
};
inline constexpr NamedCost kTileCosts[] = {{"pixel_byte", &TileCosts::pixel_byte},
                                           {"kept_byte", &TileCosts::kept_byte},
                                           {"far_byte", &TileCosts::far_byte},
                                           {"loop", &TileCosts::loop},
                                           {"part", &TileCosts::part},
                                           {"reload", &TileCosts::reload},
                                           {"crowded_reload", &TileCosts::crowded_reload},
                                           {"tile", &TileCosts::tile},
                                           {"store", &TileCosts::store},
                                           {"store_of_part", &TileCosts::store_of_part}};

/// The model of some work: cycles by the limits of a core, and how often each cost comes on top.
struct CostTerms {
  double limit = 0;
  TileCosts counts{.turning = 0};

  void add(const CostTerms& terms, double times);
  double cycles(const TileCosts& costs) const;
};

/// Tiles, and the cycles that the model expects of a plan of them.
struct RankedTile {
  TileChoice choice{};
  double cycles = 0;
};

/// The tiles that may compute `tiling`, which has none yet; the best ones first. A kernel of one
/// row has all of its taps along a row of outputs, which is cut wherever the taps change in the
/// padding; the outputs of a column read the same taps. So rows may be columns of the image, or the
/// same pixel of all images, if `may_turn`, and where the last axes of the view may be exchanged.
std::vector<RankedTile> rank_tiles(const Target& target, bool may_turn, const Tiling& tiling);

/// Sets the vectors and panels of a tiling that has none yet, and the segments of a row; exchanges
/// axes of its view as `choice` says.
void use_tile(const TileChoice& choice, Tiling* tiling);

/// The same for what Tiling::make() plans.
std::vector<RankedTile> rank_tiles(const Context& context);

/// Plans like Tiling::make(), with panels of so many vectors; nothing if no such tiles serve.
std::optional<Tiling> tiling_of_vectors(const Context& context, int vectors);

/// The model of all of a plan.
CostTerms terms_of(const Target& target, const Tiling& tiling);

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_DIRECT_TILE_CHOICE_H_
