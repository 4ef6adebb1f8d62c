// SPDX-License-Identifier: Apache-2.0
#include "conformance/power/search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "conformance/arithmetic/arithmetic.h"
#include "conformance/fill/xoshiro.h"
#include "conformance/judge/judge_lone.h"
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
  EXPECT_EQ(tiles.size(), 23U);
  for (const TileReach& tile : tiles) {
    EXPECT_LE(tile.interval, 1) << tile.name;
    EXPECT_LE(tile.lone, 1) << tile.name;
  }
}

// The same product of tiles whose rows are scaled, as a library is free to do.
WinogradTile scaled(WinogradTile tile, const std::vector<double>& factors) {
  const auto n = static_cast<std::size_t>(tile.n());
  for (std::size_t k = 0; k < n; ++k) {
    for (double& constant : tile.B[k]) constant *= factors[k];
    for (double& constant : tile.G[k]) constant *= factors[n + k];
    for (auto& row : tile.A) row[k] /= factors[k] * factors[n + k];
  }
  return tile;
}

// One product of ones, transformed and then demoted: the largest share of its bound that scaled
// rows reach. Wider tiles are not derived.
double reach_of_demoted(const char* declared, const SimulatedInput& input) {
  const double allowed = lone_product_error(Dtype::kF32, *parse_arithmetic(declared), 2);
  Xoshiro random(1, 1);
  double most = 0;
  for (const WinogradTile& tile : winograd_tiles()) {
    if (tile.n() > 6) continue;
    const Extent i = random.below(tile.m), j = random.below(tile.m);
    const Extent tap = random.below(tile.taps * tile.taps);
    std::vector<double> best(2 * static_cast<std::size_t>(tile.n()), 1);
    double reached = 0;
    for (int step = 0; step < 2000; ++step) {
      std::vector<double> next = best;
      next[static_cast<std::size_t>(random.below(std::ssize(next)))] = 1 + random.unit();
      const auto got = lone_outputs(scaled(tile, next), {i + tap / tile.taps, j + tap % tile.taps},
                                    tap, {}, input);
      const double off = std::fabs(got[static_cast<std::size_t>(i * tile.m + j)] - 1);
      if (off >= reached) reached = off, best = next;
    }
    most = std::max(most, reached / allowed);
  }
  return most;
}

TEST(SearchTiles, OfDemotedInputsComeCloseToTheBoundOfOneProduct) {
  const struct {
    const char* declared;
    SimulatedInput input;
    double least;
  } rows[] = {{"bilinear,tf32", {11, Rounding::kZero, false}, 0.2},
              {"bilinear,bf16", {8, Rounding::kZero, false}, 0.2},
              {"bilinear,bf16x3", {8, Rounding::kZero, true}, 0.1}};
  for (const auto& row : rows) {
    const double reached = reach_of_demoted(row.declared, row.input);
    EXPECT_LE(reached, 1) << row.declared;
    EXPECT_GT(reached, row.least) << row.declared;
  }
}

TEST(Search, CutsOffAlignedTermsInFaithfulClassesOnly) {
  EXPECT_TRUE(is_legal(simulation("f32 aligned"), Summation::kAligned));
  EXPECT_FALSE(is_legal(simulation("f32 chain"), Summation::kAligned));
}

}  // namespace
}  // namespace concord::conformance
