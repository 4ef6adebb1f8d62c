// SPDX-License-Identifier: Apache-2.0
#include "conformance/run/shard.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

namespace concord::conformance {
namespace {

// Many cheap cases and a few that cost a thousand times as much, all at one end.
std::vector<double> uneven_costs() {
  std::vector<double> costs(500, 1);
  for (std::size_t i = 0; i < 12; ++i) costs[i] = 1000 + static_cast<double>(i);
  return costs;
}

double cost_of(const std::vector<double>& costs, const std::vector<std::size_t>& places) {
  return std::accumulate(places.begin(), places.end(), 0.0,
                         [&](double sum, std::size_t place) { return sum + costs[place]; });
}

TEST(Shard, TheWholeIsItsOnlyPart) {
  EXPECT_EQ(places_of_shard(std::vector<double>{3, 1, 2}, {1, 1}),
            (std::vector<std::size_t>{0, 1, 2}));
}

TEST(Shard, PartsHoldEachPlaceOnceInOrder) {
  const auto costs = uneven_costs();
  for (const std::size_t count : {2U, 3U, 7U, 600U}) {
    std::set<std::size_t> seen;
    for (std::size_t index = 1; index <= count; ++index) {
      const auto places = places_of_shard(costs, {index, count});
      EXPECT_TRUE(std::is_sorted(places.begin(), places.end()));
      for (const std::size_t place : places) EXPECT_TRUE(seen.insert(place).second) << place;
    }
    EXPECT_EQ(seen.size(), costs.size()) << count;
  }
}

TEST(Shard, PartsCostAboutTheSame) {
  const auto costs = uneven_costs();
  const double whole = std::accumulate(costs.begin(), costs.end(), 0.0);
  for (std::size_t index = 1; index <= 4; ++index) {
    EXPECT_NEAR(cost_of(costs, places_of_shard(costs, {index, 4})), whole / 4, 0.01 * whole);
  }
}

TEST(Shard, CasesOfOneCostAreDealtInTurn) {
  EXPECT_EQ(places_of_shard(std::vector<double>(7, 5), {2, 3}), (std::vector<std::size_t>{1, 4}));
}

}  // namespace
}  // namespace concord::conformance
