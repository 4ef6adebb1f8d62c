// SPDX-License-Identifier: Apache-2.0
// The worker's side of the shared memory: every tensor between inaccessible pages.
#ifndef CONCORD_CONFORMANCE_WORKER_TENSOR_VIEW_H_
#define CONCORD_CONFORMANCE_WORKER_TENSOR_VIEW_H_

#include <array>
#include <memory>
#include <span>
#include <string>

#include "conformance/worker/arena.h"

namespace concord::conformance {

/// The slots as the plugin sees them. Stays mapped until the process ends.
class TensorView {
 public:
  /// Maps the file `descriptor`, every slot inaccessible as yet.
  /// Errors  one sentence
  static Result<TensorView, StartError> map(int descriptor);

  Control& control() const { return *control_; }

  /// Makes the window of a tensor accessible, and nothing else of the slot: inputs can be read, dst
  /// and workspace written. Returns where the tensor begins; null if the system refuses.
  void* open(Slot slot, const Place& place);
  /// Poisons the whole window, which must be open.
  void poison(Slot slot, const Place& place, const Poison& poison) const;
  /// Makes the window of an input readable as zeros that take no memory however much of them is
  /// read, but for these whole pages of the slot, which are the file's. Null as above.
  void* open_zeros(Slot slot, const Place& place, std::span<const Range> but);

 private:
  bool close(Slot slot);

  int descriptor_ = -1;
  std::size_t slot_bytes_ = 0;
  Control* control_ = nullptr;
  std::array<std::byte*, kSlotCount> ends_{};
  std::array<WindowPages, kSlotCount> open_{};
  std::array<bool, kSlotCount> is_zeros_{};
};

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_WORKER_TENSOR_VIEW_H_
