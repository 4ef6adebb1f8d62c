// SPDX-License-Identifier: Apache-2.0
// A bump allocator over a workspace. Started from null it only counts what is taken.
#ifndef CONCORD_OPTIMIZED_RUNTIME_ARENA_H_
#define CONCORD_OPTIMIZED_RUNTIME_ARENA_H_

#include <cstddef>
#include <cstdint>

#include "spec/tensor.h"

namespace concord::optimized {

class Arena {
 public:
  static constexpr std::size_t kAlignment = 64;

  /// Memory of any alignment: kAlignment more bytes than bytes() are needed.
  explicit Arena(void* memory) : base_(aligned(memory)) {}

  template <class T>
  T* take(Extent count) {
    T* const piece = base_ == nullptr ? nullptr : reinterpret_cast<T*>(base_ + used_);
    used_ +=
        (static_cast<std::size_t>(count) * sizeof(T) + kAlignment - 1) / kAlignment * kAlignment;
    return piece;
  }

  std::size_t bytes() const { return used_; }

 private:
  static std::byte* aligned(void* memory) {
    const auto address = reinterpret_cast<std::uintptr_t>(memory);
    const std::uintptr_t rest = address % kAlignment;
    return static_cast<std::byte*>(memory) + (rest == 0 ? 0 : kAlignment - rest);
  }

  std::byte* base_;
  std::size_t used_ = 0;
};

/// The bytes of what `lay_out(&arena)` takes.
template <class LayOut>
std::size_t arena_bytes(const LayOut& lay_out) {
  Arena counter(nullptr);
  lay_out(&counter);
  return counter.bytes();
}

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_RUNTIME_ARENA_H_
