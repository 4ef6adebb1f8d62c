// SPDX-License-Identifier: Apache-2.0
// What planners decide by a model of the processor, and a measurement may decide better.
#ifndef CONCORD_OPTIMIZED_TUNING_CHOICE_H_
#define CONCORD_OPTIMIZED_TUNING_CHOICE_H_

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "spec/tensor.h"
#include "spec/words.h"

namespace concord::optimized {

/// What a row of register tiles is: a row of the image, a column, or the same pixel of all images.
enum class TileRows { kRows, kColumns, kImages };

/// How register tiles cut a shape.
struct TileChoice {
  int vectors = 0;  ///< of output channels, in every panel of a group but its last
  int pixels = 0;   ///< at most, of a tile
  TileRows rows = TileRows::kRows;
  bool operator==(const TileChoice&) const = default;
};

/// A plan of one of several that serve a shape. One that serves no longer, or not this shape, is
/// passed over: the planners decide then.
struct PlanChoice {
  std::string algorithm{};  ///< Plan::name(); empty: as the planners decide
  TileChoice tile{};        ///< of register tiles
  Extent channels = 0;      ///< of register tiles: a channel block; 0: as the planner decides
  bool operator==(const PlanChoice&) const = default;
};

/// "tiles vectors=3 pixels=14 rows=columns channels=256", "groups" or "model".
std::string to_string(const PlanChoice& choice);
/// What to_string() writes; nothing for any other text.
std::optional<PlanChoice> parse_choice(std::string_view text);

}  // namespace concord::optimized

namespace concord {
template <>
inline constexpr std::array kWords<optimized::TileRows> =
    std::to_array<std::string_view>({"rows", "columns", "images"});
}  // namespace concord

#endif  // CONCORD_OPTIMIZED_TUNING_CHOICE_H_
