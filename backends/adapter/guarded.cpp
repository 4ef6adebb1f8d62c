// SPDX-License-Identifier: Apache-2.0
#include "backends/adapter/guarded.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "spec/check.h"

namespace concord::backends {

// One page that cannot be touched, the pages of the bytes, one page that cannot be touched.
Guarded::Guarded(std::size_t bytes, Guard guard, unsigned char fill) : size_(bytes), fill_(fill) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t usable = (bytes / page + 1) * page;
  mapped_ = usable + 2 * page;
  void* map = mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CONCORD_CHECK(map != MAP_FAILED) << "no " << mapped_ << " bytes to map";
  map_ = static_cast<unsigned char*>(map);
  std::memset(map_, fill, mapped_);
  CONCORD_CHECK(mprotect(map_, page, PROT_NONE) == 0 &&
                mprotect(map_ + page + usable, page, PROT_NONE) == 0);
  data_ = map_ + page + (guard == Guard::kAfter ? usable - bytes : 0);
}

Guarded::~Guarded() { munmap(map_, mapped_); }

bool Guarded::canaries_intact() const {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const auto is_fill = [&](unsigned char byte) { return byte == fill_; };
  return std::all_of(map_ + page, data_, is_fill) &&
         std::all_of(data_ + size_, map_ + mapped_ - page, is_fill);
}

}  // namespace concord::backends
