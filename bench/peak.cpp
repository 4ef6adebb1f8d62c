// SPDX-License-Identifier: Apache-2.0
#include "bench/peak.h"

#include "optimized/isa.h"

namespace concord::bench {
namespace {

constexpr int kRounds = 500000;
constexpr int kSums = 12;

#if defined(__x86_64__)

// Twelve independent sums keep two multiply-add units of four to six cycles' latency busy. Written
// in the processor's own terms: a compiler sees that all sums are the same, or keeps them in
// memory.
#define CONCORD_TWELVE(X) \
  X("0") X("1") X("2") X("3") X("4") X("5") X("6") X("7") X("8") X("9") X("10") X("11")
#define CONCORD_FMA_512(i) "vfmadd231ps %%zmm30, %%zmm31, %%zmm" i "\n\t"
#define CONCORD_FMA_256(i) "vfmadd231ps %%ymm14, %%ymm15, %%ymm" i "\n\t"
#define CONCORD_DOT_512(i) "vdpbf16ps %%zmm30, %%zmm31, %%zmm" i "\n\t"
#define CONCORD_ZERO(i) "vpxor %%xmm" i ", %%xmm" i ", %%xmm" i "\n\t"
#define CONCORD_CLOBBER(i) "xmm" i,

// Whatever the registers hold, a subnormal perhaps, would set the pace; zeros do not. A loop over
// integers leaves them alone until the multiply-adds come.
[[gnu::target("avx2")]] inline void clear_sums() {
  __asm__ volatile(CONCORD_TWELVE(CONCORD_ZERO)::: CONCORD_TWELVE(CONCORD_CLOBBER) "cc");
}

[[gnu::target("avx512f")]] inline void clear_factors() {
  __asm__ volatile("vpxord %%zmm30, %%zmm30, %%zmm30\n\tvpxord %%zmm31, %%zmm31, %%zmm31" ::
                       : "xmm30", "xmm31");
}

[[gnu::target("avx512f")]] void fma_avx512() {
  clear_sums();
  clear_factors();
  for (int round = 0; round < kRounds; ++round) {
    __asm__ volatile(CONCORD_TWELVE(CONCORD_FMA_512)::: CONCORD_TWELVE(CONCORD_CLOBBER) "cc");
  }
}

[[gnu::target("avx512f,avx512bf16")]] void dot_avx512bf16() {
  clear_sums();
  clear_factors();
  for (int round = 0; round < kRounds; ++round) {
    __asm__ volatile(CONCORD_TWELVE(CONCORD_DOT_512)::: CONCORD_TWELVE(CONCORD_CLOBBER) "cc");
  }
}

[[gnu::target("avx2,fma")]] void fma_avx2() {
  clear_sums();
  __asm__ volatile(CONCORD_ZERO("14") CONCORD_ZERO("15")::: "xmm14", "xmm15");
  for (int round = 0; round < kRounds; ++round) {
    __asm__ volatile(CONCORD_TWELVE(CONCORD_FMA_256)::: CONCORD_TWELVE(CONCORD_CLOBBER) "cc");
  }
}

#endif

}  // namespace

Peak::Peak(int threads, Dtype dtype) : gate_(threads) {
  double each = 0;
#if defined(__x86_64__)
  using optimized::Isa;
  // A tile of AMX does more than these pairs; what it does most is not measured here, and no limit
  // is better than a wrong one.
  const bool pairs = dtype == Dtype::kBF16 && optimized::is_supported(Isa::kAvx512Bf16);
  if (pairs && optimized::is_supported(Isa::kAmx)) return;
  if (pairs) {
    loop_ = dot_avx512bf16;
    each = 2.0 * 32;
  } else if (optimized::is_supported(Isa::kAvx512)) {
    loop_ = fma_avx512;
    each = 2.0 * 16;
  } else if (optimized::is_supported(Isa::kAvx2)) {
    loop_ = fma_avx2;
    each = 2.0 * 8;
  }
#endif
  if (loop_ == nullptr) return;
  operations_ = each * kSums * kRounds * threads;
  for (int t = 1; t < threads; ++t) {
    others_.emplace_back([this] {
      for (;;) {
        gate_.arrive_and_wait();
        if (done_) return;
        loop_();
        gate_.arrive_and_wait();
      }
    });
  }
}

Peak::~Peak() {
  if (others_.empty()) return;
  done_ = true;
  gate_.arrive_and_wait();
  for (auto& other : others_) other.join();
}

void Peak::run() {
  if (loop_ == nullptr) return;
  gate_.arrive_and_wait();
  loop_();
  gate_.arrive_and_wait();
}

}  // namespace concord::bench
