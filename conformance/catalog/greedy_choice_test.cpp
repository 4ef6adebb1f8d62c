// SPDX-License-Identifier: Apache-2.0
#include "conformance/catalog/greedy_choice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "conformance/case/seed.h"

namespace concord::conformance {
namespace {

using Places = std::vector<std::size_t>;

std::map<std::size_t, int> finds_of(const std::vector<Candidate>& candidates,
                                    const Places& places) {
  std::map<std::size_t, int> finds;
  for (const std::size_t place : places) {
    for (const std::size_t bug : candidates[place].finds) ++finds[bug];
  }
  return finds;
}

std::vector<Candidate> random_candidates(std::uint64_t seed) {
  Random random(seed);
  std::vector<Candidate> candidates(40);
  for (Candidate& candidate : candidates) {
    candidate.cost = 1 + static_cast<double>(random.below(100));
    for (std::size_t bug = 0; bug < 25; ++bug) {
      if (random.below(bug + 2) == 0) candidate.finds.push_back(bug);
    }
  }
  return candidates;
}

Places all_places(const std::vector<Candidate>& candidates) {
  Places all(candidates.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  return all;
}

TEST(GreedyChoice, TakesTheCheaperOfTwoThatFindTheSame) {
  EXPECT_EQ(choose_greedily({{5, {0, 1}}, {2, {0, 1}}, {3, {}}}, 1), Places({1}));
  EXPECT_EQ(choose_greedily({{5, {0, 1}}, {2, {0, 1}}, {3, {}}}, 2), Places({0, 1}));
}

// By worth the small ones come first, 1/1 each against 3/4; but then the large one is all it takes.
TEST(GreedyChoice, DropsWhatALaterOneMakesNeedless) {
  EXPECT_EQ(choose_greedily({{1, {0}}, {10, {0, 1, 2}}}, 1), Places({1}));
}

TEST(GreedyChoice, FindsEveryBugTwiceOrAsOftenAsItCanBeFound) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const auto candidates = random_candidates(seed);
    const auto can = finds_of(candidates, all_places(candidates));
    auto found = finds_of(candidates, choose_greedily(candidates, 2));
    for (const auto& [bug, most] : can) EXPECT_GE(found[bug], std::min(most, 2)) << bug;
  }
}

TEST(GreedyChoice, HasNoCaseThatItCouldDoWithout) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const auto candidates = random_candidates(seed);
    const auto can = finds_of(candidates, all_places(candidates));
    const Places chosen = choose_greedily(candidates, 2);
    for (const std::size_t left_out : chosen) {
      Places others;
      std::copy_if(chosen.begin(), chosen.end(), std::back_inserter(others),
                   [&](std::size_t place) { return place != left_out; });
      auto found = finds_of(candidates, others);
      EXPECT_TRUE(
          std::any_of(can.begin(), can.end(),
                      [&](const auto& bug) { return found[bug.first] < std::min(bug.second, 2); }))
          << "seed " << seed << ", candidate " << left_out;
    }
  }
}

// What lets a test look at one family of bugs alone.
TEST(GreedyChoice, ForBugsOfTheirOwnCandidatesIsTheSameAloneAndAmongOthers) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const auto first = random_candidates(seed);
    auto both = first;
    for (Candidate other : random_candidates(seed + 1000)) {
      for (std::size_t& bug : other.finds) bug += 25;
      both.push_back(std::move(other));
    }
    Places of_first = choose_greedily(both, 2);
    std::erase_if(of_first, [&](std::size_t place) { return place >= first.size(); });
    EXPECT_EQ(of_first, choose_greedily(first, 2));
  }
}

}  // namespace
}  // namespace concord::conformance
