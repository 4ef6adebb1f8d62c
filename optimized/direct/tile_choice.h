// SPDX-License-Identifier: Apache-2.0
// Which register tiles compute a shape fastest, by a model of a core: limits, and costs on top of
// them that targets/ holds.
#ifndef CONCORD_OPTIMIZED_DIRECT_TILE_CHOICE_H_
#define CONCORD_OPTIMIZED_DIRECT_TILE_CHOICE_H_

#include "optimized/direct/plan.h"

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

/// Sets the vectors and panels of `tiling`, and the segments of a row. A kernel of one row has all
/// of its taps along a row of outputs, which is cut wherever the taps change in the padding; the
/// outputs of a column read the same taps. Where that is faster, the last two axes of the view are
/// exchanged, if they may be: its rows are columns then.
void choose_tile(const Target& target, bool may_turn, Tiling* tiling);

/// The same with panels of so many vectors, whatever the model says: for measuring. False, and
/// nothing is set, if there are no such tiles, or too few output channels.
bool use_vectors(const Target& target, int vectors, Tiling* tiling);

/// Plans like Tiling::make(), with panels of so many vectors.
std::optional<Tiling> tiling_of_vectors(const Context& context, int vectors);

/// The model of all of a plan.
CostTerms terms_of(const Target& target, const Tiling& tiling);

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_DIRECT_TILE_CHOICE_H_
