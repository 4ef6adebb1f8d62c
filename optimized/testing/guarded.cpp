// SPDX-License-Identifier: Apache-2.0
#include "optimized/testing/guarded.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "spec/check.h"

namespace concord::optimized::testing {

Guarded::Guarded(std::size_t bytes, Side side, int fill) : bytes_(bytes) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t inside = (bytes + page - 1) / page * page;
  mapped_bytes_ = inside + 2 * page;
  void* mapped =
      mmap(nullptr, mapped_bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  CONCORD_CHECK(mapped != MAP_FAILED) << bytes << " bytes";
  mapped_ = static_cast<std::byte*>(mapped);
  data_ = mapped_ + page + (side == Side::kAfter ? inside - bytes : 0);
  if (bytes == 0) return;
  CONCORD_CHECK(mprotect(mapped_ + page, inside, PROT_READ | PROT_WRITE) == 0) << bytes;
  std::memset(data_, fill, bytes);
}

Guarded::~Guarded() { munmap(mapped_, mapped_bytes_); }

}  // namespace concord::optimized::testing
