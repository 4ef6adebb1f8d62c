// SPDX-License-Identifier: Apache-2.0
#include "bench/measure.h"

#include <algorithm>
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

// Twelve independent sums keep two multiply-add units of four to six cycles' latency busy. Written
// in the processor's own terms: a compiler sees that all sums are the same, or keeps them in
// memory.
#define CONCORD_TWELVE(X) \
  X("0") X("1") X("2") X("3") X("4") X("5") X("6") X("7") X("8") X("9") X("10") X("11")
#define CONCORD_FMA_512(i) "vfmadd231ps %%zmm30, %%zmm31, %%zmm" i "\n\t"
#define CONCORD_FMA_256(i) "vfmadd231ps %%ymm14, %%ymm15, %%ymm" i "\n\t"
#define CONCORD_ZERO(i) "vpxor %%xmm" i ", %%xmm" i ", %%xmm" i "\n\t"
#define CONCORD_CLOBBER(i) "xmm" i,

// Whatever the registers hold, a subnormal perhaps, would set the pace; zeros do not. A loop over
// integers leaves them alone until the multiply-adds come.
[[gnu::target("avx2")]] inline void clear_sums() {
  __asm__ volatile(CONCORD_TWELVE(CONCORD_ZERO)::: CONCORD_TWELVE(CONCORD_CLOBBER) "cc");
}

[[gnu::target("avx512f")]] void fma_avx512() {
  clear_sums();
  __asm__ volatile("vpxord %%zmm30, %%zmm30, %%zmm30\n\tvpxord %%zmm31, %%zmm31, %%zmm31" ::
                       : "xmm30", "xmm31");
  for (int round = 0; round < kFmaRounds; ++round) {
    __asm__ volatile(CONCORD_TWELVE(CONCORD_FMA_512)::: CONCORD_TWELVE(CONCORD_CLOBBER) "cc");
  }
}

[[gnu::target("avx2,fma")]] void fma_avx2() {
  clear_sums();
  __asm__ volatile(CONCORD_ZERO("14") CONCORD_ZERO("15")::: "xmm14", "xmm15");
  for (int round = 0; round < kFmaRounds; ++round) {
    __asm__ volatile(CONCORD_TWELVE(CONCORD_FMA_256)::: CONCORD_TWELVE(CONCORD_CLOBBER) "cc");
  }
}

#endif

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

double fma_flops(int threads, Clock clock) {
#if defined(__x86_64__)
  const bool wide = optimized::is_supported(optimized::Isa::kAvx512);
  if (!wide && !optimized::is_supported(optimized::Isa::kAvx2)) return 0;
  const double seconds = parallel_seconds(threads, clock, [&](int) {
    if (wide) {
      fma_avx512();
    } else {
      fma_avx2();
    }
  });
  return threads * 2.0 * (wide ? 16 : 8) * kFmaSums * kFmaRounds / seconds;
#else
  static_cast<void>(threads);
  static_cast<void>(clock);
  return 0;
#endif
}

double triad_bytes(int threads, Clock clock) {
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

Limits measure_limits(int threads, Clock clock) {
  return {fma_flops(threads, clock), triad_bytes(threads, clock)};
}

}  // namespace concord::bench
