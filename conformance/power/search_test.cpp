// SPDX-License-Identifier: Apache-2.0
#include "conformance/power/search.h"

#include <gtest/gtest.h>

#include "conformance/power/search_tiles.h"

namespace concord::conformance {
namespace {

TEST(Search, FindsNoLegalSumBeyondTheBoundOfItsClass) {
  SearchTable table;
  search_bounds(table, 4000, 1);
  for (const SearchTable::Row& row : table.rows) {
    for (const Summation summation : kSummations) {
      const Reached& reached = row.reached.at(static_cast<std::size_t>(summation));
      EXPECT_LE(reached.ratio, 1) << row.name << ", " << to_string(summation);
    }
  }
}

// A bound that was wrong by a few per cent would be seen.
TEST(Search, ComesCloseToTheBound) {
  for (const char* name : {"f32 chain", "f32 toward zero", "f16 by f16", "f32 aligned"}) {
    EXPECT_GT(search_bound(simulation(name), Summation::kTree, 20'000, 1).ratio, 0.9) << name;
  }
  EXPECT_GT(search_bound(simulation("f32 aligned"), Summation::kAligned, 20'000, 1).ratio, 0.5);
}

// The bound of rounding to nearest is half of what rounding toward zero needs; that of strict sums
// does not know of demoted inputs.
TEST(Search, ExceedsABoundThatIsTooNarrow) {
  for (const char* name : {"f32 toward zero", "tf32", "bf16x3"}) {
    Simulation liar = simulation(name);
    liar.arithmetic = "strict";
    for (const Summation summation : kSummations) {
      if (!is_legal(liar, summation)) continue;
      EXPECT_GT(search_bound(liar, summation, 20'000, 1).ratio, 1)
          << name << ", " << to_string(summation);
    }
  }
}

// The bounds are of the largest tiles; small ones, and the largest of few taps, are far within.
TEST(SearchTiles, FindsNoTileBeyondABoundOfItsClass) {
  std::vector<TileReach> tiles;
  search_tiles(tiles, 100, 1);
  EXPECT_EQ(tiles.size(), 21U);
  for (const TileReach& tile : tiles) {
    EXPECT_LE(tile.interval, 1) << tile.name;
    EXPECT_LE(tile.lone, 1) << tile.name;
  }
}

TEST(Search, CutsOffAlignedTermsInFaithfulClassesOnly) {
  EXPECT_TRUE(is_legal(simulation("f32 aligned"), Summation::kAligned));
  EXPECT_FALSE(is_legal(simulation("f32 chain"), Summation::kAligned));
}

}  // namespace
}  // namespace concord::conformance
