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

std::byte poison_byte(Poison poison, std::size_t offset) {
  const auto word = static_cast<unsigned>(poison);
  return static_cast<std::byte>(offset % 2 == 0 ? word & 0xff : word >> 8);
}

// Writes the first word, then doubles what is there.
void fill_with(Poison poison, std::span<std::byte> bytes) {
  for (std::size_t i = 0; i < std::min<std::size_t>(2, bytes.size()); ++i) {
    bytes[i] = poison_byte(poison, i);
  }
  for (std::size_t done = 2; done < bytes.size(); done *= 2) {
    std::memcpy(bytes.data() + done, bytes.data(), std::min(done, bytes.size() - done));
  }
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

std::variant<Arena, std::string> Arena::create() {
  const auto failed = [] {
    return std::string("cannot make the memory that host and worker share: ") +
           std::strerror(errno);
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

void Arena::put(Slot slot, std::span<const std::byte> tensor, Side side) const {
  const Place place = tensor_place(tensor.size(), side);
  const auto pages = window(slot, place);
  const std::size_t slack = pages.size() - tensor.size();
  fill_with(Poison::kFirst, side == Side::kEnd ? pages.first(slack) : pages.last(slack));
  if (!tensor.empty()) {
    std::memcpy(bytes_of(slot, place).data(), tensor.data(), tensor.size());
  }
}

void Arena::poison(Slot slot, const Place& place, Poison poison) const {
  fill_with(poison, window(slot, place));
}

std::size_t Arena::bytes_written_around(Slot slot, const Place& place, Poison poison) const {
  const auto pages = window(slot, place);
  const std::size_t begin = place.side == Side::kEnd ? pages.size() - place.from_end : 0;
  const std::size_t end = begin + place.bytes;
  return count_written(pages.first(begin), 0, poison) +
         count_written(pages.subspan(end), end, poison);
}

void Arena::trim(Slot slot, const Place& place) const {
  const std::size_t size = window_bytes(place);
  if (size <= kKeptBytes) return;
  const std::size_t begin =
      place.side == Side::kEnd ? slot_end(slot) - size : slot_end(slot) - kSlotBytes + kKeptBytes;
  // If the system cannot take the memory back, it stays: no harm but its size.
  (void)!fallocate(file_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                   static_cast<off_t>(begin), static_cast<off_t>(size - kKeptBytes));
}

std::size_t count_written(std::span<const std::byte> bytes, std::size_t offset, Poison poison) {
  const auto is_written = [&](std::size_t i) {
    return bytes[i] != poison_byte(poison, offset + i);
  };
  // All bytes are poison if the first two are and each is the same as the one two before it.
  if (bytes.size() > 2 && !is_written(0) && !is_written(1) &&
      std::memcmp(bytes.data(), bytes.data() + 2, bytes.size() - 2) == 0) {
    return 0;
  }
  std::size_t written = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) written += is_written(i) ? 1u : 0u;
  return written;
}

}  // namespace concord::conformance
