// SPDX-License-Identifier: Apache-2.0
#include "optimized/tuning/contest.h"

#include <algorithm>
#include <limits>

namespace concord::optimized {
namespace {

// Who took so many times as long as the fastest one so far has no further turn.
constexpr double kHopeless = 1.3, kHopelessLater = 1.1;
constexpr int kFirstRounds = 3, kMostRounds = 50;
// Another one than the first wins if it takes less than this part of its time: noise, of few turns
// and of many.
constexpr double kBeyondNoise = 0.97, kBeyondNoiseOfFew = 0.92;
constexpr int kManyTurns = 5;
// A turn lasts about so long, so that reading the clock does not count.
constexpr double kTurnSeconds = 50e-6;
constexpr double kMostCalls = 1e5;

struct Standing {
  const Contender* contender;
  double seconds;  // of a call, the least
  int calls;       // of a turn
  int turns = 1;
};

class Contest {
 public:
  explicit Contest(double budget) : left_(budget) {}

  // False where there is no time for it.
  bool add(const Contender& contender) {
    const bool is_first = standings_.empty();
    if (!is_first && 2 * standings_.front().seconds > left_) return false;
    left_ -= contender(1);
    const double once = contender(1);
    left_ -= once;
    const int calls = static_cast<int>(std::min(kTurnSeconds / once, kMostCalls));
    standings_.push_back({&contender, once, std::max(1, calls)});
    return true;
  }

  void run() {
    for (int round = 0; round < kMostRounds; ++round) {
      auto in = in_turns(round);
      if (in.size() < 2) return;
      // Every second round goes the other way.
      if (round % 2 == 1) std::reverse(in.begin(), in.end());
      for (Standing* const each : in) {
        if (each->seconds * each->calls > left_) return;
        take_turn(each);
      }
    }
  }

  ContestResult result() const {
    ContestResult result;
    for (const Standing& each : standings_) result.seconds.push_back(each.seconds);
    const auto least = std::min_element(result.seconds.begin(), result.seconds.end());
    const auto fastest = static_cast<std::size_t>(least - result.seconds.begin());
    const Standing& first = standings_.front();
    const int turns = std::min(standings_[fastest].turns, first.turns);
    const double part = turns >= kManyTurns ? kBeyondNoise : kBeyondNoiseOfFew;
    if (*least < part * first.seconds) result.winner = fastest;
    return result;
  }

 private:
  // Those that may still win, and the first, with which they are compared.
  std::vector<Standing*> in_turns(int round) {
    const double factor = round < kFirstRounds ? kHopeless : kHopelessLater;
    double least = std::numeric_limits<double>::infinity();
    for (const Standing& each : standings_) least = std::min(least, each.seconds);
    std::vector<Standing*> in;
    for (Standing& each : standings_) {
      if (&each == standings_.data() || each.seconds <= factor * least) in.push_back(&each);
    }
    return in;
  }

  void take_turn(Standing* standing) {
    const double all = (*standing->contender)(standing->calls);
    left_ -= all;
    standing->seconds = std::min(standing->seconds, all / standing->calls);
    ++standing->turns;
  }

  double left_;
  std::vector<Standing> standings_{};
};

}  // namespace

ContestResult fastest_of(const std::vector<Contender>& contenders, double budget) {
  Contest contest(budget);
  for (const Contender& contender : contenders) {
    if (!contest.add(contender)) break;
  }
  contest.run();
  return contest.result();
}

}  // namespace concord::optimized
