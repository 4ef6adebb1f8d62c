// SPDX-License-Identifier: Apache-2.0
#include "conformance/worker/tensor_view.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>

namespace concord::conformance {
namespace {

// Inaccessible addresses before and after a slot, so that a miss by a wrong stride hits nothing
// else and can still be told by its distance.
constexpr std::size_t kGuardBytes = std::size_t{512} << 20;

// The address of the end of a slot, a multiple of kLargestAlignment; null if there is no room.
std::byte* map_slot(int descriptor, Slot slot) {
  const std::size_t reserved = kGuardBytes + kSlotBytes + kGuardBytes + kLargestAlignment;
  void* base =
      mmap(nullptr, reserved, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED) return nullptr;
  const std::uintptr_t lowest = reinterpret_cast<std::uintptr_t>(base) + kGuardBytes + kSlotBytes;
  const std::uintptr_t end = (lowest + kLargestAlignment - 1) & ~(kLargestAlignment - 1);
  auto* const address = static_cast<std::byte*>(base) + (end - lowest) + kGuardBytes;
  const auto offset = static_cast<off_t>(slot_end(slot) - kSlotBytes);
  void* mapped = mmap(address, kSlotBytes, PROT_NONE, MAP_SHARED | MAP_FIXED, descriptor, offset);
  return mapped == MAP_FAILED ? nullptr : address + kSlotBytes;
}

}  // namespace

Result<TensorView, StartError> TensorView::map(int descriptor) {
  const auto failed = [] { return StartError{"the worker cannot map the shared memory", errno}; };
  TensorView view;
  void* control = mmap(nullptr, kControlBytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (control == MAP_FAILED) return failed();
  view.control_ = static_cast<Control*>(control);
  for (const Slot slot : kSlots) {
    const auto index = static_cast<std::size_t>(slot);
    view.ends_[index] = map_slot(descriptor, slot);
    if (view.ends_[index] == nullptr) return failed();
    view.control_->slot_ends[index] = reinterpret_cast<std::uintptr_t>(view.ends_[index]);
  }
  return view;
}

void* TensorView::open(Slot slot, const Place& place) {
  const auto index = static_cast<std::size_t>(slot);
  const std::size_t wanted = window_bytes(place);
  const bool at_end = place.side == Side::kEnd;
  std::size_t& opened = (at_end ? open_at_end_ : open_at_beginning_)[index];
  std::byte* const end = ends_[index];
  const int access =
      slot == Slot::kDst || slot == Slot::kWorkspace ? PROT_READ | PROT_WRITE : PROT_READ;
  // What lies between the smaller of the two windows and the larger one changes.
  const std::size_t less = std::min(wanted, opened), more = std::max(wanted, opened);
  std::byte* const changed = at_end ? end - more : end - kSlotBytes + less;
  if (less != more && mprotect(changed, more - less, wanted > opened ? access : PROT_NONE) != 0) {
    return nullptr;
  }
  opened = wanted;
  return end - place.from_end;
}

}  // namespace concord::conformance
