// SPDX-License-Identifier: Apache-2.0
#include "conformance/run/batch_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace concord::conformance {
namespace {

using testing::ElementsAre;

CaseList some_cases(std::size_t count) {
  std::vector<Case> cases(count);
  for (std::size_t i = 0; i < count; ++i) {
    cases[i].problem.attributes = ConvolutionAttributes{};
    cases[i].id = "every/" + std::to_string(i) + "/f32/integers";
  }
  return cases;
}

/// All pass but those at `failed`; one process ran all cases.
RunOutcome outcome_of(std::size_t count, const std::vector<std::size_t>& failed) {
  RunOutcome outcome;
  BackendRun& backend = outcome.backends.emplace_back();
  backend.spec.text = "b";
  backend.results.resize(count);
  backend.previous.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    CaseResult& result = backend.results[i].emplace();
    result.verdict = Verdict::kPass;
    result.tier = Tier::kExact;
    if (i > 0) backend.previous[i] = i - 1;
  }
  for (const std::size_t i : failed) backend.results[i]->verdict = Verdict::kFail;
  return outcome;
}

TEST(Listing, HasFailuresASampleAndWhatRanBeforeTheFirstFailureOfAKind) {
  Listing listing(2);
  EXPECT_THAT(listing.choose(some_cases(1200), outcome_of(1200, {7, 9, 700})),
              ElementsAre(0, 5, 6, 7, 9, 500, 700, 1000));
  EXPECT_THAT(listing.choose(some_cases(10), outcome_of(10, {5})), ElementsAre(0, 5))
      << "not the first of its kind in the run";
}

TEST(Listing, HasNoMoreFailuresOfAFamilyThanItMay) {
  std::vector<std::size_t> all;
  for (std::size_t i = 1; i <= 1100; ++i) all.push_back(i);
  Listing listing(2);
  EXPECT_EQ(listing.choose(some_cases(1101), outcome_of(1101, all)).size(),
            1 + Listing::kMostFailures);
  EXPECT_THAT(listing.choose(some_cases(10), outcome_of(10, {5})), ElementsAre(0));
}

TEST(Listing, CountsWhatAnEarlierRunListed) {
  const CaseList cases = some_cases(1000);
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < 1000; ++i) all.push_back(i);
  const RunOutcome outcome = outcome_of(1000, all);
  Listing listing(2);
  listing.count(cases, record_of(0, cases, outcome, all));
  EXPECT_THAT(listing.choose(some_cases(10), outcome_of(10, {5})), ElementsAre(0));
}

TEST(BatchRecord, KeepsTheListedAndCountsTheOthers) {
  const CaseList cases = some_cases(10);
  RunOutcome outcome = outcome_of(10, {4});
  outcome.backends[0].results[9] = std::nullopt;
  const BatchRecord record = record_of(3, cases, outcome, {0, 3, 4});
  EXPECT_EQ(record.cases, 10U);
  const BackendBatch& backend = record.backends.at(0);
  ASSERT_EQ(backend.results.size(), 3U);
  EXPECT_EQ(backend.results[2]->verdict, Verdict::kFail);
  EXPECT_EQ(backend.previous[2], 1U) << "the place of case 3 among the listed";
  EXPECT_EQ(backend.previous[1], std::nullopt) << "case 2 is not listed";
  EXPECT_EQ(backend.unlisted_not_run, 1U);
  ASSERT_EQ(backend.tallies.size(), 1U);
  EXPECT_EQ(backend.tallies[0].of(Verdict::kPass), 6U);
}

TEST(BatchRecord, ComesBackFromItsJson) {
  const BatchRecord record = record_of(3, some_cases(10), outcome_of(10, {4}), {0, 3, 4});
  auto json = to_json(record);
  EXPECT_EQ(to_json(batch_record_from_json(json)), json);
  json["listed"] = {0, 3, 10};
  EXPECT_ANY_THROW(batch_record_from_json(json));
  json["listed"] = {0, 3};
  EXPECT_ANY_THROW(batch_record_from_json(json));
}

}  // namespace
}  // namespace concord::conformance
