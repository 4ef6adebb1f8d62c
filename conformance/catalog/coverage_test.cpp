// SPDX-License-Identifier: Apache-2.0
#include "conformance/catalog/coverage.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "conformance/catalog/arrays.h"
#include "conformance/catalog/attribute_model.h"
#include "conformance/catalog/catalog.h"
#include "conformance/catalog/small_models.h"

namespace concord::conformance {
namespace {

const FactorModel kFree = {{3, 4, 2, 3, 2}, [](const Row&) { return true; }};
// Level 0 of the first factor forbids level 0 of the others; and three levels are refused together.
const FactorModel kConstrained = {{3, 4, 2, 3, 2}, [](const Row& row) {
                                    const auto is = [&](std::size_t f, int level) {
                                      return f < row.size() && row[f] == level;
                                    };
                                    if (is(0, 0) && (is(1, 0) || is(2, 0))) return false;
                                    return !(is(1, 2) && is(2, 1) && is(3, 1));
                                  }};

TEST(Triples, OfTheRowsAreExactlyThoseThatSomeRowHolds) {
  for (const FactorModel* model : {&kFree, &kConstrained}) {
    const auto all = every_row(*model);
    const Coverage possible = count_covered(*model, all);
    for (const std::uint64_t seed : {1u, 2u}) {
      auto rows = covering_rows(*model, seed);
      std::size_t impossible = 0;
      for (const Row& row : rows_for_missing_triples(*model, rows, seed, &impossible)) {
        EXPECT_TRUE(model->allowed(row));
        EXPECT_EQ(std::count(row.begin(), row.end(), kOpen), 0);
        rows.push_back(row);
      }
      EXPECT_EQ(count_covered(*model, rows).triples, possible.triples);
      EXPECT_EQ(count_covered(*model, rows).pairs, possible.pairs);
      EXPECT_EQ(impossible + possible.triples, MissingTriples(*model).size());
      EXPECT_LT(rows.size(), all.size());
    }
  }
}

// 3*4*2 + 3*4*3 + 3*4*2 + 3*2*3 + 3*2*2 + 3*3*2 + 4*2*3 + 4*2*2 + 4*3*2 + 2*3*2
TEST(Triples, AreCountedByTheirLevels) {
  EXPECT_EQ(MissingTriples(kFree).size(), 208U);
  std::size_t visited = 0;
  MissingTriples(kFree).for_each([&](const LevelTriple&) { ++visited; });
  EXPECT_EQ(visited, 208U);
  EXPECT_EQ(count_covered(kFree, {{0, 0, 0, 0, 0}}).triples, 10U);
  EXPECT_EQ(count_covered(kFree, {{0, 0, 0, 0, 0}, {0, 0, 0, 0, 1}}).triples, 16U);
  EXPECT_EQ(count_covered(kFree, {{0, 0, 0, 0, 0}, {0, 0, 0, 0, 1}}).pairs, 14U);
}

TEST(AttributeRows, ComeBackFromTheirText) {
  const auto rows = array_rows("pairs");
  EXPECT_FALSE(rows.empty());
  for (const Row& row : rows) EXPECT_EQ(row_of(describe(row)), row);
  const std::string base = describe(base_row());
  EXPECT_EQ(row_of(""), std::nullopt);
  EXPECT_EQ(row_of("boundary.txt"), std::nullopt);
  EXPECT_EQ(row_of(base + " more"), std::nullopt);
  EXPECT_EQ(row_of(base.substr(0, base.rfind(' '))), std::nullopt);
}

TEST(Suites, CoverEveryPairInSmokeAndEveryTripleInFull) {
  const Coverage smoke = coverage_of(make_catalog(Suite::kSmoke, 1));
  const Coverage full = coverage_of(make_catalog(Suite::kFull, 1));
  const Coverage possible = possible_coverage();
  EXPECT_EQ(smoke.pairs, possible.pairs);
  EXPECT_EQ(full.pairs, possible.pairs);
  EXPECT_EQ(full.triples, possible.triples);
  EXPECT_GT(smoke.triples * 100, possible.triples * 60);
}

TEST(Suites, KnowHowManyCombinationsThereAre) {
  const FactorModel model = attribute_model();
  const Coverage possible = possible_coverage();
  std::size_t impossible = 0;
  auto rows = rows_for_missing_triples(model, {}, 7, &impossible);
  EXPECT_EQ(MissingTriples(model).size() - impossible, possible.triples);
  EXPECT_EQ(count_covered(model, rows).pairs, possible.pairs);
}

}  // namespace
}  // namespace concord::conformance
