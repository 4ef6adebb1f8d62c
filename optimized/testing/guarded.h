// SPDX-License-Identifier: Apache-2.0
// Memory whose neighbours fault: one byte too far, read or written, ends the test.
#ifndef CONCORD_OPTIMIZED_TESTING_GUARDED_H_
#define CONCORD_OPTIMIZED_TESTING_GUARDED_H_

#include <cstddef>
#include <cstring>
#include <span>

#include "optimized/testing/trespass.h"

namespace concord::optimized::testing {

/// Where memory lies between its guard pages, and so which of them is exact to the byte.
enum class Side {
  kBefore,     ///< it begins behind the first one
  kAfter,      ///< it ends at the second one
  kUnaligned,  ///< one element behind the first one, at an address that no vector likes
};
inline constexpr Side kSides[] = {Side::kBefore, Side::kAfter, Side::kUnaligned};

/// `bytes` of memory filled with the byte `fill`, between two pages that cannot be touched. `name`
/// is what a trespass is reported by, `element` the bytes that Side::kUnaligned moves it by.
class Guarded {
 public:
  Guarded(std::size_t bytes, Side side, int fill, const char* name = "memory",
          std::size_t element = sizeof(float));
  /// Checks that the bytes between the memory and the guard pages are as they were.
  ~Guarded();
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;

  void* data() { return data_; }
  const void* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }

  /// Fills the memory, and makes it one that can only be read.
  void hold(std::span<const std::byte> content);
  /// Makes it one that can only be read.
  void seal();

 private:
  std::size_t inside() const;

  std::size_t bytes_, mapped_bytes_;
  bool is_sealed_ = false;
  std::byte* mapped_;
  std::byte* data_;
  Watched watched_;
};

}  // namespace concord::optimized::testing

#endif  // CONCORD_OPTIMIZED_TESTING_GUARDED_H_
