// SPDX-License-Identifier: Apache-2.0
#include "conformance/catalog/covering.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "conformance/catalog/small_models.h"

namespace concord::conformance {
namespace {

std::set<LevelPair> pairs_in(const std::vector<Row>& rows) {
  std::set<LevelPair> pairs;
  for (const Row& row : rows) {
    for (std::size_t f = 0; f < row.size(); ++f) {
      for (std::size_t g = f + 1; g < row.size(); ++g) pairs.insert({f, row[f], g, row[g]});
    }
  }
  return pairs;
}

bool chosen(const Row& row, std::size_t factor, int level) {
  return factor < row.size() && row[factor] == level;
}

const FactorModel kFree = {{3, 4, 2, 5}, [](const Row&) { return true; }};
// Level 0 of the first factor forbids level 0 of the others, and two of them together; the last
// conflict shows only when three factors are chosen.
const FactorModel kConstrained = {
    {3, 4, 2, 5}, [](const Row& row) {
      if (chosen(row, 0, 0) && (chosen(row, 1, 0) || chosen(row, 2, 0))) return false;
      return !(chosen(row, 1, 2) && chosen(row, 2, 1) && chosen(row, 3, 4));
    }};
// A pair that no single look refuses, and that no row holds: with 0,0 nothing is left for the
// third.
const FactorModel kHiddenConflict = {{2, 2, 2}, [](const Row& row) {
                                       if (chosen(row, 0, 0) && chosen(row, 2, 0)) return false;
                                       return !(chosen(row, 1, 0) && chosen(row, 2, 1));
                                     }};

class Covering : public testing::TestWithParam<const FactorModel*> {};

TEST_P(Covering, HoldsExactlyThePairsThatSomeRowHolds) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    EXPECT_EQ(pairs_in(covering_rows(*GetParam(), seed)), pairs_in(every_row(*GetParam())));
  }
}

TEST_P(Covering, HasOnlyCompleteAllowedRows) {
  for (const Row& row : covering_rows(*GetParam(), 1)) {
    EXPECT_EQ(row.size(), GetParam()->levels.size());
    EXPECT_EQ(std::count(row.begin(), row.end(), kOpen), 0);
    EXPECT_TRUE(GetParam()->allowed(row));
  }
}

TEST_P(Covering, SaysAPairIsPossibleIfAndOnlyIfSomeRowHoldsIt) {
  const auto possible = pairs_in(every_row(*GetParam()));
  for (const LevelPair& pair : all_pairs(*GetParam())) {
    EXPECT_EQ(is_possible(*GetParam(), pair), possible.contains(pair));
  }
}

TEST_P(Covering, IsTheSameForTheSameSeed) {
  EXPECT_EQ(covering_rows(*GetParam(), 7), covering_rows(*GetParam(), 7));
}

INSTANTIATE_TEST_SUITE_P(Models, Covering,
                         testing::Values(&kFree, &kConstrained, &kHiddenConflict));

// 4 x 5 rows are the least for factors of 4 and 5 levels; greedy rows come near it.
TEST(CoveringSize, StaysNearTheProductOfTheTwoLargestFactors) {
  EXPECT_GE(covering_rows(kFree, 1).size(), 20u);
  EXPECT_LE(covering_rows(kFree, 1).size(), 24u);
}

TEST(CoveringPairs, CountsEveryLevelOfEveryTwoFactors) {
  EXPECT_EQ(all_pairs(kFree).size(), 3u * 4 + 3 * 2 + 3 * 5 + 4 * 2 + 4 * 5 + 2 * 5);
}

}  // namespace
}  // namespace concord::conformance
