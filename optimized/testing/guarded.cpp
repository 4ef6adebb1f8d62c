// SPDX-License-Identifier: Apache-2.0
#include "optimized/testing/guarded.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <vector>

#include "spec/check.h"

namespace concord::optimized::testing {
namespace {

constexpr int kSlack = 0xA5;  // what fills the bytes that belong to nobody

std::size_t page_bytes() {
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

// Pages between two guards, kept for the next who needs as many: to map them costs more than most
// trials do.
class Pages {
 public:
  /// `inside` bytes and a guard page on either side; the inside can be written.
  std::byte* take(std::size_t inside) {
    auto& kept = kept_[inside];
    if (!kept.empty()) {
      std::byte* const mapped = kept.back();
      kept.pop_back();
      return mapped;
    }
    const std::size_t bytes = inside + 2 * page_bytes();
    void* mapped =
        mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    CONCORD_CHECK(mapped != MAP_FAILED) << bytes << " bytes";
    protect(static_cast<std::byte*>(mapped), inside, PROT_READ | PROT_WRITE);
    return static_cast<std::byte*>(mapped);
  }

  void give_back(std::byte* mapped, std::size_t inside, bool is_sealed) {
    if (inside > kMostKept) {
      munmap(mapped, inside + 2 * page_bytes());
      return;
    }
    if (is_sealed) protect(mapped, inside, PROT_READ | PROT_WRITE);
    kept_[inside].push_back(mapped);
  }

  static void protect(std::byte* mapped, std::size_t inside, int access) {
    if (inside == 0) return;
    CONCORD_CHECK(mprotect(mapped + page_bytes(), inside, access) == 0) << inside << " bytes";
  }

 private:
  static constexpr std::size_t kMostKept = 1 << 20;
  std::map<std::size_t, std::vector<std::byte*>> kept_;
};

Pages& pages() {
  static Pages the_ones;
  return the_ones;
}

bool is_slack(const std::byte* begin, const std::byte* end) {
  return std::all_of(begin, end,
                     [](std::byte byte) { return byte == static_cast<std::byte>(kSlack); });
}

}  // namespace

Guarded::Guarded(std::size_t bytes, Side side, int fill, const char* name, std::size_t element)
    : bytes_(bytes),
      mapped_bytes_((bytes + (side == Side::kUnaligned ? element : 0) + page_bytes() - 1) /
                        page_bytes() * page_bytes() +
                    2 * page_bytes()),
      mapped_(pages().take(inside())),
      data_(side == Side::kAfter
                ? mapped_ + mapped_bytes_ - page_bytes() - bytes
                : mapped_ + page_bytes() + (side == Side::kUnaligned ? element : 0)),
      watched_({.mapped = mapped_,
                .mapped_bytes = mapped_bytes_,
                .data = data_,
                .bytes = bytes,
                .name = name}) {
  if (inside() == 0) return;
  std::memset(mapped_ + page_bytes(), kSlack, inside());
  if (bytes != 0) std::memset(data_, fill, bytes);
}

Guarded::~Guarded() {
  CONCORD_CHECK(is_slack(mapped_ + page_bytes(), data_) &&
                is_slack(data_ + bytes_, mapped_ + mapped_bytes_ - page_bytes()))
      << "written beside the memory: " << watched_.memory().name << " " << current_trial();
  pages().give_back(mapped_, inside(), is_sealed_);
}

void Guarded::hold(std::span<const std::byte> content) {
  CONCORD_CHECK(content.size() == bytes_) << content.size() << " bytes";
  if (bytes_ != 0) std::memcpy(data_, content.data(), bytes_);
  seal();
}

void Guarded::seal() {
  is_sealed_ = true;
  Pages::protect(mapped_, inside(), PROT_READ);
}

std::size_t Guarded::inside() const { return mapped_bytes_ - 2 * page_bytes(); }

}  // namespace concord::optimized::testing
