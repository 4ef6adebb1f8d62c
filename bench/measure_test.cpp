// SPDX-License-Identifier: Apache-2.0
#include "bench/measure.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

namespace concord::bench {
namespace {

TEST(TakeTurns, WaitsForThreadsThatSpin) {
  std::atomic<bool> spins{false};
  std::atomic<bool> ends{false};
  std::atomic<std::int64_t> spin_until{0};
  const auto now = [] { return std::chrono::steady_clock::now().time_since_epoch().count(); };
  std::jthread worker([&] {
    while (!ends) {
      spins = now() < spin_until;
      if (!spins) std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
  });
  int calls_beside = 0;
  // 30 ms of work that nobody waits for.
  const auto leaves_work = [&] {
    using std::chrono::milliseconds;
    spin_until = now() + std::chrono::nanoseconds(milliseconds(30)).count();
    while (!spins) std::this_thread::yield();
  };
  const auto looks = [&] {
    if (spins) ++calls_beside;
  };
  constexpr int kRounds = 6;
  take_turns({leaves_work, looks}, kRounds, 1e-6, Clock::kWall);
  ends = true;
  // The calls that find out how many make a turn are in no turn: the first ones of all.
  EXPECT_LE(calls_beside, 2);
}

}  // namespace
}  // namespace concord::bench
