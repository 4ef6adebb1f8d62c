// SPDX-License-Identifier: Apache-2.0
#include "bench/measure.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <algorithm>
#include <cmath>
#include <ctime>
#include <thread>

#include "optimized/isa.h"

namespace concord::bench {
namespace {

double now(Clock clock) {
  timespec time{};
  clock_gettime(clock == Clock::kWall ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

double seconds_of(const std::function<void()>& body, int calls, Clock clock) {
  const double begin = now(clock);
  for (int i = 0; i < calls; ++i) body();
  return now(clock) - begin;
}

constexpr int kFmaRounds = 200000;
constexpr int kFmaSums = 12;

#if defined(__x86_64__)

// Twelve independent sums keep two multiply-add units of four to six cycles' latency busy.
[[gnu::target("avx512f")]] float fma_avx512() {
  __m512 sums[kFmaSums] = {};
  const __m512 a = _mm512_set1_ps(1.0e-3F);
  const __m512 b = _mm512_set1_ps(0.999F);
  for (int round = 0; round < kFmaRounds; ++round) {
#pragma GCC unroll 12
    for (auto& sum : sums) {
      sum = _mm512_fmadd_ps(sum, b, a);
      __asm__("" : "+v"(sum));  // or the compiler sees that all sums are the same
    }
  }
  float total = 0;
  for (const auto& sum : sums) total += sum[0];
  return total;
}

[[gnu::target("avx2,fma")]] float fma_avx2() {
  __m256 sums[kFmaSums] = {};
  const __m256 a = _mm256_set1_ps(1.0e-3F);
  const __m256 b = _mm256_set1_ps(0.999F);
  for (int round = 0; round < kFmaRounds; ++round) {
#pragma GCC unroll 12
    for (auto& sum : sums) {
      sum = _mm256_fmadd_ps(sum, b, a);
      __asm__("" : "+x"(sum));
    }
  }
  float total = 0;
  for (const auto& sum : sums) total += sum[0];
  return total;
}

#endif

// Runs `body` on every thread at once and returns the best time of a few.
double parallel_seconds(int threads, const std::function<void(int)>& body) {
  double best = 1e9;
  for (int trial = 0; trial < 5; ++trial) {
    std::vector<std::thread> workers;
    const double begin = now(Clock::kWall);
    for (int t = 1; t < threads; ++t) workers.emplace_back([&body, t] { body(t); });
    body(0);
    for (auto& worker : workers) worker.join();
    best = std::min(best, now(Clock::kWall) - begin);
  }
  return best;
}

double fma_flops(int threads) {
#if defined(__x86_64__)
  const bool wide = optimized::is_supported(optimized::Isa::kAvx512);
  if (!wide && !optimized::is_supported(optimized::Isa::kAvx2)) return 0;
  std::vector<float> results(static_cast<std::size_t>(threads));
  const double seconds = parallel_seconds(threads, [&](int t) {
    results[static_cast<std::size_t>(t)] = wide ? fma_avx512() : fma_avx2();
  });
  if (!std::isfinite(results[0])) return 0;
  return threads * 2.0 * (wide ? 16 : 8) * kFmaSums * kFmaRounds / seconds;
#else
  static_cast<void>(threads);
  return 0;
#endif
}

double triad_bytes(int threads) {
  constexpr std::size_t kElements = std::size_t{8} << 20;
  std::vector<std::vector<float>> a(static_cast<std::size_t>(threads),
                                    std::vector<float>(kElements)),
      b = a, c = a;
  const double seconds = parallel_seconds(threads, [&](int t) {
    const auto i = static_cast<std::size_t>(t);
    for (std::size_t at = 0; at < kElements; ++at) a[i][at] = b[i][at] + 3.0F * c[i][at];
  });
  return threads * 3.0 * sizeof(float) * static_cast<double>(kElements) / seconds;
}

}  // namespace

Spread spread_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto at = [&](double part) {
    return values[static_cast<std::size_t>(part * static_cast<double>(values.size() - 1) + 0.5)];
  };
  return {at(0.5), at(0.25), at(0.75)};
}

Rounds take_turns(const std::vector<std::function<void()>>& sides, int rounds, double seconds,
                  Clock clock) {
  Rounds result(sides.size());
  std::vector<int> calls;
  for (const auto& side : sides) {
    side();
    calls.push_back(std::clamp(static_cast<int>(seconds / seconds_of(side, 1, clock)), 1, 100000));
  }
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < sides.size(); ++i) {
      sides[i]();
      result[i].push_back(seconds_of(sides[i], calls[i], clock) / calls[i]);
    }
  }
  return result;
}

Limits measure_limits(int threads) { return {fma_flops(threads), triad_bytes(threads)}; }

}  // namespace concord::bench
