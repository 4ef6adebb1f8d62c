// SPDX-License-Identifier: Apache-2.0
#include "optimized/tuning/contest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace concord::optimized {
namespace {

using ::testing::SizeIs;

// Takes the times that a test says, and counts its calls.
struct Fake {
  std::vector<double> seconds;  // of one call after the other; the last one again and again
  int calls = 0;
  double spent = 0;

  double operator()(int count) {
    double all = 0;
    for (int i = 0; i < count; ++i, ++calls) {
      all += seconds[std::min(static_cast<std::size_t>(calls), seconds.size() - 1)];
    }
    spent += all;
    return all;
  }
};

ContestResult contest(std::vector<Fake>& fakes, double budget) {
  std::vector<Contender> contenders(fakes.size());
  std::ranges::transform(fakes, contenders.begin(), [](Fake& fake) -> Contender {
    return [&fake](int count) { return fake(count); };
  });
  return fastest_of(contenders, budget);
}

double spent(const std::vector<Fake>& fakes) {
  return std::accumulate(fakes.begin(), fakes.end(), 0.0,
                         [](double sum, const Fake& fake) { return sum + fake.spent; });
}

TEST(Contest, FindsTheFastest) {
  std::vector<Fake> fakes = {{{1e-3}}, {{2e-3}}, {{0.8e-3}}, {{0.9e-3}}};
  EXPECT_EQ(contest(fakes, 1).winner, 2U);
}

TEST(Contest, DoesNotCountTheCallThatPrepares) {
  std::vector<Fake> fakes = {{{1e-3}}, {{0.2, 0.5e-3}}};
  const ContestResult result = contest(fakes, 1);
  EXPECT_EQ(result.winner, 1U);
  EXPECT_DOUBLE_EQ(result.seconds[1], 0.5e-3);
}

TEST(Contest, KeepsTheFirstWithinNoise) {
  std::vector<Fake> fakes = {{{1e-3}}, {{0.98e-3}}};
  EXPECT_EQ(contest(fakes, 1).winner, 0U);
  fakes = {{{1e-3}}, {{0.95e-3}}};
  EXPECT_EQ(contest(fakes, 1).winner, 1U);
}

TEST(Contest, NeedsMoreThanNoiseOfFewTurns) {
  std::vector<Fake> fakes = {{{1e-2}}, {{0.95e-2}}};
  EXPECT_EQ(contest(fakes, 0.06).winner, 0U);
  fakes = {{{1e-2}}, {{0.9e-2}}};
  EXPECT_EQ(contest(fakes, 0.06).winner, 1U);
}

TEST(Contest, ForgivesOneSlowTurn) {
  std::vector<Fake> fakes = {{{1e-3}}, {{0.9e-3, 1.2e-3, 0.9e-3}}};
  EXPECT_EQ(contest(fakes, 1).winner, 1U);
}

TEST(Contest, EndsInTime) {
  for (const double budget : {0.004, 0.02, 0.1, 0.5}) {
    std::vector<Fake> fakes = {{{1e-3}}, {{1.01e-3}}, {{1.02e-3}}, {{1.03e-3}}};
    contest(fakes, budget);
    EXPECT_LE(spent(fakes), budget + 1e-3) << budget;
  }
}

TEST(Contest, CallsTheFirstTwiceWhateverItTakes) {
  std::vector<Fake> fakes = {{{5}}, {{1e-3}}};
  const ContestResult result = contest(fakes, 1);
  EXPECT_EQ(result.winner, 0U);
  EXPECT_THAT(result.seconds, SizeIs(1));
  EXPECT_EQ(fakes[0].calls, 2);
  EXPECT_EQ(fakes[1].calls, 0);
}

TEST(Contest, DropsWhoIsMuchSlower) {
  std::vector<Fake> fakes = {{{1e-3}}, {{5e-3}}, {{0.9e-3}}};
  contest(fakes, 1);
  EXPECT_EQ(fakes[1].calls, 2);
  EXPECT_GT(fakes[2].calls, 5);
}

TEST(Contest, MakesShortTurnsLongEnoughForTheClock) {
  std::vector<Fake> fakes = {{{1e-6}}, {{0.9e-6}}};
  EXPECT_EQ(contest(fakes, 1).winner, 1U);
  EXPECT_GE(fakes[1].calls, 50 * 50);
}

}  // namespace
}  // namespace concord::optimized
