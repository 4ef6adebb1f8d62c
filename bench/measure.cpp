// SPDX-License-Identifier: Apache-2.0
#include "bench/measure.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <thread>

namespace concord::bench {
namespace {

double now(Clock clock) {
  timespec time{};
  clock_gettime(clock == Clock::kWall ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

// True if a thread of the process but this one runs, or would if it had a processor.
bool others_run() {
  const std::string self = std::to_string(gettid());
  std::error_code error;
  for (std::filesystem::directory_iterator thread("/proc/self/task", error), end;
       !error && thread != end; thread.increment(error)) {
    if (thread->path().filename() == self) continue;
    std::string stat;
    std::getline(std::ifstream(thread->path() / "stat"), stat);
    // The state follows the name, which is in parentheses and may contain others.
    if (stat.find(") R", stat.rfind(')')) != std::string::npos) return true;
  }
  return false;
}

// Waits for the other threads of the process, a quarter of a second at most: those of a pool may go
// on for a while in case there is more to do, on processors that the next competitor needs.
void wait_for_other_threads() {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(250);
  while (others_run() && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
}

double seconds_of(const std::function<void()>& body, int calls, Clock clock) {
  const double begin = now(clock);
  for (int i = 0; i < calls; ++i) body();
  return now(clock) - begin;
}

// Runs `body` on every thread at once and returns the best time of a few.
double parallel_seconds(int threads, Clock clock, const std::function<void(int)>& body) {
  double best = 1e9;
  for (int trial = 0; trial < 5; ++trial) {
    std::vector<std::thread> workers;
    const double begin = now(clock);
    for (int t = 1; t < threads; ++t) workers.emplace_back([&body, t] { body(t); });
    body(0);
    for (auto& worker : workers) worker.join();
    best = std::min(best, now(clock) - begin);
  }
  return clock == Clock::kWall ? best : best / threads;
}

// What has its turn at `place` of a round. Within twice as many rounds as there are competitors,
// each has every place twice and follows each of the others equally often, since every second round
// goes the way back: whoever always followed the same one would always find the caches as that one
// leaves them.
std::size_t competitor_at(std::size_t round, std::size_t place, std::size_t competitors) {
  const std::size_t way = round % 2 == 0 ? place : competitors - 1 - place;
  return (round / 2 + (way % 2 == 1 ? (way + 1) / 2 : competitors - way / 2)) % competitors;
}

}  // namespace

Spread spread_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto at = [&](double part) {
    return values[static_cast<std::size_t>(part * static_cast<double>(values.size() - 1) + 0.5)];
  };
  return {at(0.5), at(0.25), at(0.75)};
}

Rounds take_turns(const std::vector<std::function<void()>>& competitors, int rounds, double seconds,
                  Clock clock) {
  Rounds result(competitors.size());
  std::vector<int> calls;
  for (const auto& competitor : competitors) {
    competitor();
    calls.push_back(
        std::clamp(static_cast<int>(seconds / seconds_of(competitor, 1, clock)), 1, 100000));
  }
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t place = 0; place < competitors.size(); ++place) {
      const std::size_t i =
          competitor_at(static_cast<std::size_t>(round), place, competitors.size());
      wait_for_other_threads();
      competitors[i]();
      result[i].push_back(seconds_of(competitors[i], calls[i], clock) / calls[i]);
    }
  }
  return result;
}

double measure_triad(int threads, Clock clock) {
  constexpr std::size_t kElements = std::size_t{8} << 20;
  std::vector<std::vector<float>> a(static_cast<std::size_t>(threads),
                                    std::vector<float>(kElements)),
      b = a, c = a;
  const double seconds = parallel_seconds(threads, clock, [&](int t) {
    const auto i = static_cast<std::size_t>(t);
    for (std::size_t at = 0; at < kElements; ++at) a[i][at] = b[i][at] + 3.0F * c[i][at];
  });
  return threads * 3.0 * sizeof(float) * static_cast<double>(kElements) / seconds;
}

}  // namespace concord::bench
