// SPDX-License-Identifier: Apache-2.0
#include "bench/peak.h"

#include "optimized/runtime/isa.h"

namespace concord::bench {
namespace {

constexpr int kRounds = 250000;

#if defined(__x86_64__)

// Two units with latencies of four to six cycles are busy with twelve independent sums, if every
// one is begun as soon as it can be; twenty-four, where there are registers for them, leave room.
// Written in the processor's own terms: a compiler sees that all sums are the same, or keeps them
// in memory.
#define CONCORD_TWELVE(X) \
  X("0") X("1") X("2") X("3") X("4") X("5") X("6") X("7") X("8") X("9") X("10") X("11")
#define CONCORD_TWELVE_MORE(X) \
  X("12") X("13") X("14") X("15") X("16") X("17") X("18") X("19") X("20") X("21") X("22") X("23")
#define CONCORD_FMA_512(i) "vfmadd231ps %%zmm30, %%zmm31, %%zmm" i "\n\t"
#define CONCORD_FMA_F64_512(i) "vfmadd231pd %%zmm30, %%zmm31, %%zmm" i "\n\t"
#define CONCORD_FMA_F64_256(i) "vfmadd231pd %%ymm14, %%ymm15, %%ymm" i "\n\t"
#define CONCORD_FMA_256(i) "vfmadd231ps %%ymm14, %%ymm15, %%ymm" i "\n\t"
#define CONCORD_DOT_512(i) "vdpbf16ps %%zmm30, %%zmm31, %%zmm" i "\n\t"
#define CONCORD_ZERO_512(i) "vpxord %%zmm" i ", %%zmm" i ", %%zmm" i "\n\t"
#define CONCORD_ZERO_256(i) "vpxor %%ymm" i ", %%ymm" i ", %%ymm" i "\n\t"
#define CONCORD_CLOBBER(i) "xmm" i,

// Whatever the registers hold, a subnormal perhaps, would set the copy_interval; zeros do not. A
// loop over integers leaves them alone until the multiply-adds come.
[[gnu::target("avx512f")]] inline void clear_avx512() {
  __asm__ volatile(CONCORD_TWELVE(CONCORD_ZERO_512) CONCORD_TWELVE_MORE(CONCORD_ZERO_512)
                       CONCORD_ZERO_512("30") CONCORD_ZERO_512("31")::
                           : CONCORD_TWELVE(CONCORD_CLOBBER)
                                 CONCORD_TWELVE_MORE(CONCORD_CLOBBER) "xmm30",
                             "xmm31");
}

[[gnu::target("avx512f")]] void fma_avx512() {
  clear_avx512();
  for (int round = 0; round < kRounds; ++round) {
    __asm__ volatile(CONCORD_TWELVE(CONCORD_FMA_512) CONCORD_TWELVE_MORE(CONCORD_FMA_512)::
                         : CONCORD_TWELVE(CONCORD_CLOBBER)
                             CONCORD_TWELVE_MORE(CONCORD_CLOBBER) "cc");
  }
}

[[gnu::target("avx512f")]] void fma_f64_avx512() {
  clear_avx512();
  for (int round = 0; round < kRounds; ++round) {
    __asm__ volatile(CONCORD_TWELVE(CONCORD_FMA_F64_512) CONCORD_TWELVE_MORE(CONCORD_FMA_F64_512)::
                         : CONCORD_TWELVE(CONCORD_CLOBBER)
                             CONCORD_TWELVE_MORE(CONCORD_CLOBBER) "cc");
  }
}

[[gnu::target("avx512f,avx512bf16")]] void dot_avx512bf16() {
  clear_avx512();
  for (int round = 0; round < kRounds; ++round) {
    __asm__ volatile(CONCORD_TWELVE(CONCORD_DOT_512) CONCORD_TWELVE_MORE(CONCORD_DOT_512)::
                         : CONCORD_TWELVE(CONCORD_CLOBBER)
                             CONCORD_TWELVE_MORE(CONCORD_CLOBBER) "cc");
  }
}

[[gnu::target("avx2")]] inline void clear_avx2() {
  __asm__ volatile(CONCORD_TWELVE(CONCORD_ZERO_256) CONCORD_ZERO_256("14") CONCORD_ZERO_256("15")::
                       : CONCORD_TWELVE(CONCORD_CLOBBER) "xmm14", "xmm15");
}

[[gnu::target("avx2,fma")]] void fma_avx2() {
  clear_avx2();
  for (int round = 0; round < kRounds; ++round) {
    __asm__ volatile(CONCORD_TWELVE(CONCORD_FMA_256)::: CONCORD_TWELVE(CONCORD_CLOBBER) "cc");
  }
}

[[gnu::target("avx2,fma")]] void fma_f64_avx2() {
  clear_avx2();
  for (int round = 0; round < kRounds; ++round) {
    __asm__ volatile(CONCORD_TWELVE(CONCORD_FMA_F64_256)::: CONCORD_TWELVE(CONCORD_CLOBBER) "cc");
  }
}

#endif

}  // namespace

Peak::Peak(int threads, Dtype dtype) : gate_(threads) {
  double each = 0;  // operations of a thread in a round
#if defined(__x86_64__)
  using optimized::Isa;
  // A tile of AMX does more than these pairs; what it does most is not measured here, and no limit
  // is better than a wrong one.
  const bool pairs = dtype == Dtype::kBF16 && optimized::is_supported(Isa::kAvx512Bf16);
  if (pairs && optimized::is_supported(Isa::kAmx)) return;
  const bool is_f64 = dtype == Dtype::kF64;
  const double vector = is_f64 ? 8 : 16;  // elements of 512 bits
  if (pairs) {
    loop_ = dot_avx512bf16;
    each = 2.0 * 32 * 24;
  } else if (optimized::is_supported(Isa::kAvx512)) {
    loop_ = is_f64 ? fma_f64_avx512 : fma_avx512;
    each = 2.0 * vector * 24;
  } else if (optimized::is_supported(Isa::kAvx2)) {
    loop_ = is_f64 ? fma_f64_avx2 : fma_avx2;
    each = 2.0 * vector / 2 * 12;
  }
#endif
  if (loop_ == nullptr) return;
  operations_ = each * kRounds * threads;
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
