// SPDX-License-Identifier: Apache-2.0
// Memory for tests of backends: it ends, or begins, at a page that is inaccessible.
#ifndef CONCORD_BACKENDS_ADAPTER_GUARDED_H_
#define CONCORD_BACKENDS_ADAPTER_GUARDED_H_

#include <cstddef>
#include <span>

namespace concord::backends {

class Guarded {
 public:
  /// Which end of the bytes lies at the page that is inaccessible. The other end is followed, or
  /// preceded, by bytes of `fill` that canaries_intact() watches.
  enum class Guard { kAfter, kBefore };

  Guarded(std::size_t bytes, Guard guard, unsigned char fill);
  ~Guarded();
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;

  unsigned char* data() const { return data_; }
  std::span<unsigned char> bytes() const { return {data_, size_}; }
  bool canaries_intact() const;

 private:
  unsigned char* map_;
  std::size_t mapped_;
  unsigned char* data_;
  std::size_t size_;
  unsigned char fill_;
};

}  // namespace concord::backends

#endif  // CONCORD_BACKENDS_ADAPTER_GUARDED_H_
