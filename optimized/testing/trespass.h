// SPDX-License-Identifier: Apache-2.0
// Who was where when the program touched memory that it may not: said on stderr before it dies.
#ifndef CONCORD_OPTIMIZED_TESTING_TRESPASS_H_
#define CONCORD_OPTIMIZED_TESTING_TRESPASS_H_

#include <cstddef>
#include <string>

namespace concord::optimized::testing {

/// Memory and the pages that it lies among.
struct WatchedMemory {
  const std::byte* mapped = nullptr;
  std::size_t mapped_bytes = 0;
  const std::byte* data = nullptr;
  std::size_t bytes = 0;
  const char* name = "";
};

/// From its beginning to its end, an access within the memory's pages that faults is reported with
/// the memory's name and the distance from it.
class Watched {
 public:
  explicit Watched(const WatchedMemory& memory);
  ~Watched();
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;

  const WatchedMemory& memory() const { return memory_; }

 private:
  WatchedMemory memory_;
  std::size_t place_;
};

/// What is being tried, for that report; until the next call.
void set_current_trial(const std::string& what);
const char* current_trial();

}  // namespace concord::optimized::testing

#endif  // CONCORD_OPTIMIZED_TESTING_TRESPASS_H_
