// SPDX-License-Identifier: Apache-2.0
// A loop over independent tasks on a fixed number of threads.
#ifndef CONCORD_OPTIMIZED_PARALLEL_H_
#define CONCORD_OPTIMIZED_PARALLEL_H_

#include <functional>
#include <memory>

#include "spec/tensor.h"

namespace concord::optimized {

/// Threads to run tasks on. Several callers may use one team at once.
class Team {
 public:
  explicit Team(int threads);
  ~Team();

  int threads() const { return threads_; }

  /// Calls task(index, slot) for every index below `count`, in any order; tasks that run at the
  /// same time for the same call have different slots, all below threads().
  void run(Extent count, const std::function<void(Extent index, int slot)>& task) const;

 private:
  struct Arena;
  int threads_;
  std::unique_ptr<Arena> arena_;  // null for one thread
};

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_PARALLEL_H_
