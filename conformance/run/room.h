// SPDX-License-Identifier: Apache-2.0
// Whether a case fits into this machine's memory.
#ifndef CONCORD_CONFORMANCE_RUN_ROOM_H_
#define CONCORD_CONFORMANCE_RUN_ROOM_H_

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>
#include <string>

#include "spec/problem.h"

namespace concord::conformance {

/// Why a problem cannot be tried: a tensor that spans more bytes than the memory that host and
/// worker share has room for, or all that judging it takes, more than `memory` bytes. Names the
/// tensor and both sizes. Nothing if it can.
/// Shapes  the problem resolves, to `dst`
std::optional<std::string> lacks_room(const Problem& problem, const Tensor& dst,
                                      std::size_t memory);

/// True if a tensor of a problem, whose dst is complete, does not fit the ordinary memory that host
/// and worker share: examine_huge() judges it.
bool is_huge(const Problem& problem);

/// The same as lacks_room() of a huge problem.
std::optional<std::string> lacks_huge_room(const Problem& problem, const Tensor& dst,
                                           std::size_t memory);

/// The approximate number of bytes needed to judge a case.
/// Shapes  as lacks_room()
double room_of(const Problem& problem, const Tensor& dst);

/// The bytes of memory that this process may use: this machine's, or what its control groups leave
/// of them. Tests pass a `root` other than "/".
std::size_t usable_memory(const std::string& root = "");

/// Lets as many cases be judged at a time as fit into a memory; one that fits with no other goes
/// alone. From any thread.
class SharedRoom {
 public:
  explicit SharedRoom(std::size_t memory) : memory_(static_cast<double>(memory)) {}

  /// Room for one case, given back at the end of its life.
  class Lease {
   public:
    Lease(SharedRoom& room, double bytes) : room_(room), bytes_(bytes) { room_.take(bytes_); }
    ~Lease() { room_.give(bytes_); }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;

   private:
    SharedRoom& room_;
    double bytes_;
  };

 private:
  void take(double bytes);
  void give(double bytes);

  const double memory_;
  std::mutex mutex_{};
  std::condition_variable given_{};
  int cases_ = 0;
  double taken_ = 0;
};

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_RUN_ROOM_H_
