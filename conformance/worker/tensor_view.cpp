// SPDX-License-Identifier: Apache-2.0
#include "conformance/worker/tensor_view.h"

#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

namespace concord::conformance {
namespace {

// Inaccessible addresses before and after a slot, so that a miss by a wrong stride hits nothing
// else and can still be told by its distance.
constexpr std::size_t kGuardBytes = std::size_t{512} << 20;

// The address of the end of a slot, a multiple of kLargestAlignment; null if there is no room.
std::byte* map_slot(int descriptor, Slot slot, std::size_t slot_bytes) {
  const std::size_t reserved = kGuardBytes + slot_bytes + kGuardBytes + kLargestAlignment;
  void* base =
      mmap(nullptr, reserved, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED) return nullptr;
  const std::uintptr_t lowest = reinterpret_cast<std::uintptr_t>(base) + kGuardBytes + slot_bytes;
  const std::uintptr_t end = (lowest + kLargestAlignment - 1) & ~(kLargestAlignment - 1);
  auto* const address = static_cast<std::byte*>(base) + (end - lowest) + kGuardBytes;
  const auto offset = static_cast<off_t>(slot_end(slot, slot_bytes) - slot_bytes);
  void* mapped = mmap(address, slot_bytes, PROT_NONE, MAP_SHARED | MAP_FIXED, descriptor, offset);
  return mapped == MAP_FAILED ? nullptr : address + slot_bytes;
}

}  // namespace

Result<TensorView, StartError> TensorView::map(int descriptor) {
  const auto failed = [] { return StartError{"the worker cannot map the shared memory", errno}; };
  struct stat file {};
  if (fstat(descriptor, &file) != 0) return failed();
  TensorView view;
  view.descriptor_ = descriptor;
  view.slot_bytes_ = slot_bytes_of(static_cast<std::size_t>(file.st_size));
  void* control = mmap(nullptr, kControlBytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (control == MAP_FAILED) return failed();
  view.control_ = static_cast<Control*>(control);
  for (const Slot slot : kSlots) {
    const auto index = static_cast<std::size_t>(slot);
    view.ends_[index] = map_slot(descriptor, slot, view.slot_bytes_);
    if (view.ends_[index] == nullptr) return failed();
    view.control_->slot_ends[index] = reinterpret_cast<std::uintptr_t>(view.ends_[index]);
  }
  return view;
}

void* TensorView::open(Slot slot, const Place& place) {
  const auto index = static_cast<std::size_t>(slot);
  if (is_zeros_[index] && !close(slot)) return nullptr;
  const int access =
      slot == Slot::kDst || slot == Slot::kWorkspace ? PROT_READ | PROT_WRITE : PROT_READ;
  const auto protect = [&](std::size_t begin, std::size_t end, int protection) {
    return begin <= end || mprotect(ends_[index] - begin, begin - end, protection) == 0;
  };
  const WindowPages wanted = window_pages(place);
  WindowPages opened = open_[index];
  if (opened.end != wanted.end) {
    if (!protect(opened.begin, opened.end, PROT_NONE)) return nullptr;
    opened = {wanted.end, wanted.end};
  }
  // What lies between the beginnings of the two windows changes.
  if (!protect(wanted.begin, opened.begin, access) ||
      !protect(opened.begin, wanted.begin, PROT_NONE)) {
    return nullptr;
  }
  open_[index] = wanted;
  return ends_[index] - place.room;
}

void TensorView::poison(Slot slot, const Place& place, const Poison& poison) const {
  const WindowPages pages = window_pages(place);
  poison.fill({ends_[static_cast<std::size_t>(slot)] - pages.begin, pages.size()},
              static_cast<std::ptrdiff_t>(place.room) - static_cast<std::ptrdiff_t>(pages.begin));
}

void* TensorView::open_zeros(Slot slot, const Place& place, std::span<const Range> but) {
  const auto index = static_cast<std::size_t>(slot);
  if (!close(slot)) return nullptr;
  is_zeros_[index] = true;
  std::byte* const begin = ends_[index] - slot_bytes_;
  const WindowPages pages = window_pages(place);
  constexpr int kOwn = MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  if (pages.size() != 0 &&
      mmap(ends_[index] - pages.begin, pages.size(), PROT_READ, kOwn, -1, 0) == MAP_FAILED)
    return nullptr;
  const std::size_t offset = slot_end(slot, slot_bytes_) - slot_bytes_;
  for (const Range& range : but) {
    void* mapped = mmap(begin + range.begin, range.size, PROT_READ, MAP_FIXED | MAP_SHARED,
                        descriptor_, static_cast<off_t>(offset + range.begin));
    if (mapped == MAP_FAILED) return nullptr;
  }
  return ends_[index] - place.room;
}

// The whole slot is the file's again, and inaccessible.
bool TensorView::close(Slot slot) {
  const auto index = static_cast<std::size_t>(slot);
  const auto offset = static_cast<off_t>(slot_end(slot, slot_bytes_) - slot_bytes_);
  void* mapped = mmap(ends_[index] - slot_bytes_, slot_bytes_, PROT_NONE, MAP_SHARED | MAP_FIXED,
                      descriptor_, offset);
  open_[index] = {};
  is_zeros_[index] = false;
  return mapped != MAP_FAILED;
}

}  // namespace concord::conformance
