// SPDX-License-Identifier: Apache-2.0
#include "conformance/command/freed_memory.h"

#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>

namespace concord::conformance {
namespace {

constexpr int kLargestKept = 32 << 20;  // the largest M_MMAP_THRESHOLD that is taken
constexpr int kHeap = 256 << 20;        // room for the cases of a network's layers
// What is taken beyond at a time, addresses alone. Of less than the largest heap of a thread's
// arena, glibc would give such a heap back as soon as nothing is in it.
constexpr int kStep = 64 << 20;

// Addresses for the heap, all at once: pages come when they are written. A large page is one fault
// and one clearing instead of 512, but only in a range that was there before. What the heap takes
// beyond is in small pages.
void ask_for_large_pages() {
  const auto begin = reinterpret_cast<std::uintptr_t>(sbrk(0));
  mallopt(M_TOP_PAD, kHeap);
  void* volatile some = std::malloc(kLargestKept / 2);  // or the compiler would leave both out
  std::free(some);
  mallopt(M_TOP_PAD, kStep);
  const auto end = reinterpret_cast<std::uintptr_t>(sbrk(0));
  constexpr std::uintptr_t kLargePage = 2 << 20;
  const std::uintptr_t first = (begin + kLargePage - 1) / kLargePage * kLargePage;
  // A system that has none goes on with small ones. NOLINTNEXTLINE(performance-no-int-to-ptr)
  if (first < end) madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE);
}

}  // namespace

// Cases take and free tensors of megabytes. By default each of these is a mapping of its own, whose
// pages the system clears one fault at a time: a sixth of a run of large layers. Each job has an
// arena of its own, or they would wait for one another.
void keep_freed_memory() {
  mallopt(M_MMAP_THRESHOLD, kLargestKept);
  mallopt(M_TRIM_THRESHOLD, 2 * kHeap);
  ask_for_large_pages();
}

}  // namespace concord::conformance
