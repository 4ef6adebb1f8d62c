// SPDX-License-Identifier: Apache-2.0
#include "conformance/worker/arena.h"

#include <fcntl.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "spec/check.h"

namespace concord::conformance {
namespace {

// A slot keeps this much memory from one case to the next.
constexpr std::size_t kKeptBytes = std::size_t{64} << 20;

// Where in its window a tensor begins.
std::size_t begin_of(std::size_t window_size, const Place& place) {
  return place.side == Side::kEnd ? window_size - place.room : 0;
}

}  // namespace

std::string_view to_string(Slot slot) {
  constexpr std::string_view kNames[] = {"src", "weights", "bias", "diff_dst", "dst", "workspace"};
  return kNames[static_cast<std::size_t>(slot)];
}

std::size_t window_bytes(const Place& place) {
  static const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t needed = place.side == Side::kEnd ? place.room : place.bytes;
  return (needed + page - 1) / page * page;
}

Result<Arena, StartError> Arena::create(std::size_t slot_bytes) {
  const auto failed = [] {
    return StartError{"cannot make the memory that host and worker share", errno};
  };
  Descriptor file(memfd_create("concord-tensors", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file || ftruncate(file.get(), static_cast<off_t>(file_bytes(slot_bytes))) != 0)
    return failed();
  // A worker that could cut the file short could make the host's own accesses fail.
  if (fcntl(file.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    return failed();
  }
  void* base =
      mmap(nullptr, file_bytes(slot_bytes), PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  if (base == MAP_FAILED) return failed();
  return Arena(std::move(file), static_cast<std::byte*>(base), slot_bytes);
}

Arena::Arena(Arena&& other) noexcept
    : file_(std::move(other.file_)),
      base_(std::exchange(other.base_, nullptr)),
      slot_bytes_(other.slot_bytes_) {}

Arena::~Arena() {
  if (base_ != nullptr) munmap(base_, file_bytes(slot_bytes_));
}

std::span<std::byte> Arena::bytes_of(Slot slot, const Place& place) const {
  CONCORD_CHECK(place.bytes <= place.room && place.room <= slot_bytes_)
      << to_string(slot) << " has " << place.bytes << " bytes";
  return {base_ + offset_of(slot, place), place.bytes};
}

std::span<std::byte> Arena::window(Slot slot, const Place& place) const {
  const std::size_t size = window_bytes(place);
  CONCORD_CHECK(size <= slot_bytes_) << to_string(slot) << " has " << place.bytes << " bytes";
  const std::size_t from_end = place.side == Side::kEnd ? size : slot_bytes_;
  return {base_ + slot_end(slot, slot_bytes_) - from_end, size};
}

void Arena::put(Slot slot, std::span<const std::byte> tensor, const Poison& beside,
                Side side) const {
  const Place place = tensor_place(tensor.size(), side);
  const auto pages = window(slot, place);
  const std::size_t slack = pages.size() - tensor.size();
  if (side == Side::kEnd) {
    beside.fill(pages.first(slack), -static_cast<std::ptrdiff_t>(slack));
  } else {
    beside.fill(pages.last(slack), static_cast<std::ptrdiff_t>(tensor.size()));
  }
  if (!tensor.empty()) {
    std::memcpy(bytes_of(slot, place).data(), tensor.data(), tensor.size());
  }
}

void Arena::poison(Slot slot, const Place& place, const Poison& poison) const {
  const auto pages = window(slot, place);
  poison.fill(pages, -static_cast<std::ptrdiff_t>(begin_of(pages.size(), place)));
}

std::size_t Arena::bytes_written_around(Slot slot, const Place& place, const Poison& poison) const {
  const auto pages = window(slot, place);
  const std::size_t begin = begin_of(pages.size(), place);
  return poison.count_written(pages.first(begin), -static_cast<std::ptrdiff_t>(begin)) +
         poison.count_written(pages.subspan(begin + place.bytes),
                              static_cast<std::ptrdiff_t>(place.bytes));
}

void Arena::trim(Slot slot, const Place& place) const {
  const std::size_t size = window_bytes(place);
  if (size <= kKeptBytes) return;
  const std::size_t end = slot_end(slot, slot_bytes_);
  const std::size_t begin = place.side == Side::kEnd ? end - size : end - slot_bytes_ + kKeptBytes;
  // If the system cannot take the memory back, it stays: no harm but its size.
  madvise(base_ + begin, size - kKeptBytes, MADV_REMOVE);
}

void Arena::clear(Slot slot) const {
  std::byte* const begin = base_ + slot_end(slot, slot_bytes_) - slot_bytes_;
  CONCORD_CHECK(madvise(begin, slot_bytes_, MADV_REMOVE) == 0)
      << "the memory of " << to_string(slot) << " cannot be given back: " << std::strerror(errno);
}

std::size_t Arena::bytes_set(Slot slot, std::span<const Range> besides) const {
  const auto begin = static_cast<off_t>(slot_end(slot, slot_bytes_) - slot_bytes_);
  const auto end = static_cast<off_t>(slot_end(slot, slot_bytes_));
  std::size_t set = 0;
  const auto count = [&](std::size_t from, std::size_t to) {
    const auto* bytes = base_ + begin;
    for (std::size_t i = from; i < to; ++i) set += bytes[i] != std::byte{0} ? 1U : 0U;
  };
  auto next = besides.begin();
  for (off_t data = begin; data < end;) {
    data = lseek(file_.get(), data, SEEK_DATA);
    CONCORD_CHECK(data >= 0 || errno == ENXIO) << "lseek: " << std::strerror(errno);
    if (data < 0 || data >= end) break;  // nothing but holes
    const off_t hole = std::min(lseek(file_.get(), data, SEEK_HOLE), end);
    auto at = static_cast<std::size_t>(data - begin);
    const auto stop = static_cast<std::size_t>(hole - begin);
    for (; next != besides.end() && next->begin < stop; ++next) {
      count(at, std::max(at, next->begin));
      at = std::max(at, next->end());
      if (at > stop) break;  // it goes on behind the hole
    }
    count(std::min(at, stop), stop);
    data = hole;
  }
  return set;
}

}  // namespace concord::conformance
