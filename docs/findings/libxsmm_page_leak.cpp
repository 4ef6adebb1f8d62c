// SPDX-License-Identifier: Apache-2.0
// LIBXSMM 1.17: freed memory of whole pages leaves one of them mapped. Exits with 0 if that is so.
#include <libxsmm.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>

namespace {

constexpr int kRounds = 1000;

long mapped_pages() {
  long pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages;
}

// By how many pages the process grows in kRounds of memory that is allocated and freed.
long growth(size_t bytes) {
  libxsmm_free(libxsmm_aligned_malloc(bytes, 64));
  const long before = mapped_pages();
  for (int round = 0; round < kRounds; ++round) {
    libxsmm_free(libxsmm_aligned_malloc(bytes, 64));
  }
  return mapped_pages() - before;
}

}  // namespace

int main() {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const long none = growth(page - 64), one = growth(page), sixteen = growth(16 * page);
  std::printf(
      "%d rounds: expected 0 pages more, got %ld after a page without 64 bytes, %ld after a "
      "page, %ld after 16 pages\n",
      kRounds, none, one, sixteen);
  return none == 0 && one >= kRounds && sixteen >= kRounds ? 0 : 1;
}
