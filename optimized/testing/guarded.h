// SPDX-License-Identifier: Apache-2.0
// Memory whose neighbours fault: one byte too far, read or written, ends the test.
#ifndef CONCORD_OPTIMIZED_TESTING_GUARDED_H_
#define CONCORD_OPTIMIZED_TESTING_GUARDED_H_

#include <cstddef>

namespace concord::optimized::testing {

/// On which side of the memory the guard page is exact to the byte.
enum class Side { kBefore, kAfter };

/// `bytes` of memory filled with the byte `fill`, between two pages that cannot be touched.
class Guarded {
 public:
  Guarded(std::size_t bytes, Side side, int fill);
  ~Guarded();
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;

  void* data() { return data_; }
  const void* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }

 private:
  std::size_t bytes_, mapped_bytes_;
  std::byte* mapped_;
  std::byte* data_;
};

}  // namespace concord::optimized::testing

#endif  // CONCORD_OPTIMIZED_TESTING_GUARDED_H_
