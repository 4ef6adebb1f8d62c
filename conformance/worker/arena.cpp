// SPDX-License-Identifier: Apache-2.0
#include "conformance/worker/arena.h"

#include <fcntl.h>
#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>

#include "spec/check.h"

namespace concord::conformance {
namespace {

// A slot keeps this much memory from one case to the next.
constexpr std::size_t kKeptBytes = std::size_t{64} << 20;

// Where in its window a tensor begins.
std::size_t begin_of(const Place& place) { return window_pages(place).begin - place.room; }

// Shapes  unit is a power of two
std::size_t round_up(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) & ~(unit - 1);
}

}  // namespace

std::string_view to_string(Slot slot) {
  constexpr std::string_view kNames[] = {"src", "weights", "bias", "diff_dst", "dst", "workspace"};
  return kNames[static_cast<std::size_t>(slot)];
}

std::size_t page_bytes() {
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

Place aligned_place(std::size_t bytes, std::size_t alignment, Side side) {
  const std::size_t at_end = round_up(bytes, alignment);
  if (side == Side::kEnd) return {bytes, at_end};
  const std::size_t unit = std::max(alignment, page_bytes());
  const std::size_t at_beginning = round_up(bytes, unit);
  return {bytes, at_beginning == at_end ? at_beginning + unit : at_beginning};
}

Place tensor_place(std::size_t bytes, Side side, std::size_t element_bytes) {
  // The highest bit of a multiplicative hash: no family of sizes, such as powers of two, has it
  // alike.
  constexpr std::uint64_t kHash = 0x9e3779b97f4a7c15;
  const bool is_whole = bytes % kAlignedLoadBytes == 0 && bytes > 0;
  const bool moves = is_whole && bytes / kAlignedLoadBytes * kHash >> 63 == 0;
  if (side == Side::kEnd || !moves) return aligned_place(bytes, 1, side);
  return {bytes, round_up(bytes + element_bytes, page_bytes()) - element_bytes};
}

WindowPages window_pages(const Place& place) {
  const std::size_t page = page_bytes();
  return {round_up(place.room, page), (place.room - place.bytes) / page * page};
}

std::optional<std::string> fault_of_workspace(std::size_t bytes, std::size_t alignment) {
  if (!std::has_single_bit(alignment)) {
    return "prepare asks for a workspace_alignment of " + std::to_string(alignment) +
           ", which is not a power of two";
  }
  if (alignment > kLargestAlignment) {
    return "prepare asks for a workspace_alignment of " + std::to_string(alignment) + "; at most " +
           std::to_string(kLargestAlignment) + " is supported";
  }
  if (bytes > kLargestWorkspace) {
    return "prepare asks for a workspace of " + std::to_string(bytes) + " bytes; at most " +
           std::to_string(kLargestWorkspace) + " are supported";
  }
  return std::nullopt;
}

Result<Arena, StartError> Arena::create(std::size_t slot_bytes) {
  const auto failed = [] {
    return StartError{"cannot make the memory that host and worker share", errno};
  };
  Descriptor file(memfd_create("concord-tensors", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file || ftruncate(file.get(), static_cast<off_t>(file_bytes(slot_bytes))) != 0) {
    return failed();
  }
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
  const WindowPages pages = window_pages(place);
  CONCORD_CHECK(place.bytes <= place.room && pages.begin <= slot_bytes_)
      << to_string(slot) << " has " << place.bytes << " bytes";
  return {base_ + slot_end(slot, slot_bytes_) - pages.begin, pages.size()};
}

void Arena::put(Slot slot, std::span<const std::byte> tensor, const Poison& beside,
                const Place& place) const {
  const auto pages = window(slot, place);
  const std::size_t begin = begin_of(place);
  beside.fill(pages.first(begin), -static_cast<std::ptrdiff_t>(begin));
  beside.fill(pages.subspan(begin + tensor.size()), static_cast<std::ptrdiff_t>(tensor.size()));
  if (!tensor.empty()) {
    std::memcpy(bytes_of(slot, place).data(), tensor.data(), tensor.size());
  }
}

void Arena::poison(Slot slot, const Place& place, const Poison& poison) const {
  const auto pages = window(slot, place);
  poison.fill(pages, -static_cast<std::ptrdiff_t>(begin_of(place)));
}

std::size_t Arena::bytes_written_around(Slot slot, const Place& place, const Poison& poison) const {
  const auto pages = window(slot, place);
  const std::size_t begin = begin_of(place);
  return poison.count_written(pages.first(begin), -static_cast<std::ptrdiff_t>(begin)) +
         poison.count_written(pages.subspan(begin + place.bytes),
                              static_cast<std::ptrdiff_t>(place.bytes));
}

void Arena::trim(Slot slot, const Place& place) const {
  const auto pages = window(slot, place);
  if (pages.size() <= kKeptBytes) return;
  // If the system cannot take the memory back, it stays: no harm but its size.
  madvise(pages.data(), pages.size() - kKeptBytes, MADV_REMOVE);
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
