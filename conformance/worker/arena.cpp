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

constexpr std::size_t kFileBytes = kControlBytes + kSlotCount * kSlotBytes;
// A slot keeps this much memory from one case to the next.
constexpr std::size_t kKeptBytes = std::size_t{64} << 20;

// Where in its window a tensor begins.
std::size_t begin_of(std::size_t window_size, const Place& place) {
  return place.side == Side::kEnd ? window_size - place.from_end : 0;
}

}  // namespace

std::string_view to_string(Slot slot) {
  constexpr std::string_view kNames[] = {"src", "weights", "bias", "diff_dst", "dst", "workspace"};
  return kNames[static_cast<std::size_t>(slot)];
}

std::size_t window_bytes(const Place& place) {
  static const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t needed = place.side == Side::kEnd ? place.from_end : place.bytes;
  return (needed + page - 1) / page * page;
}

Result<Arena, StartError> Arena::create() {
  const auto failed = [] {
    return StartError{"cannot make the memory that host and worker share", errno};
  };
  Descriptor file(memfd_create("concord-tensors", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file || ftruncate(file.get(), static_cast<off_t>(kFileBytes)) != 0) return failed();
  // A worker that could cut the file short could make the host's own accesses fail.
  if (fcntl(file.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    return failed();
  }
  void* base = mmap(nullptr, kFileBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  if (base == MAP_FAILED) return failed();
  return Arena(std::move(file), static_cast<std::byte*>(base));
}

Arena::Arena(Arena&& other) noexcept
    : file_(std::move(other.file_)), base_(std::exchange(other.base_, nullptr)) {}

Arena::~Arena() {
  if (base_ != nullptr) munmap(base_, kFileBytes);
}

std::span<std::byte> Arena::bytes_of(Slot slot, const Place& place) const {
  CONCORD_CHECK(place.bytes <= place.from_end && place.from_end <= kSlotBytes)
      << to_string(slot) << " has " << place.bytes << " bytes";
  return {base_ + slot_end(slot) - place.from_end, place.bytes};
}

std::span<std::byte> Arena::window(Slot slot, const Place& place) const {
  const std::size_t size = window_bytes(place);
  CONCORD_CHECK(size <= kSlotBytes) << to_string(slot) << " has " << place.bytes << " bytes";
  return {base_ + slot_end(slot) - (place.side == Side::kEnd ? size : kSlotBytes), size};
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
  const std::size_t begin =
      place.side == Side::kEnd ? slot_end(slot) - size : slot_end(slot) - kSlotBytes + kKeptBytes;
  // If the system cannot take the memory back, it stays: no harm but its size.
  madvise(base_ + begin, size - kKeptBytes, MADV_REMOVE);
}

}  // namespace concord::conformance
