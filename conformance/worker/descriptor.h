// SPDX-License-Identifier: Apache-2.0
// A file descriptor that closes itself.
#ifndef CONCORD_CONFORMANCE_WORKER_DESCRIPTOR_H_
#define CONCORD_CONFORMANCE_WORKER_DESCRIPTOR_H_

#include <unistd.h>

#include <utility>

namespace concord::conformance {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() { close(); }

  int get() const { return number_; }
  explicit operator bool() const { return number_ >= 0; }
  void close() {
    if (number_ >= 0) ::close(number_);
    number_ = -1;
  }

 private:
  int number_ = -1;
};

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_WORKER_DESCRIPTOR_H_
