// SPDX-License-Identifier: Apache-2.0
// A loop over independent tasks on a fixed number of threads.
#ifndef CONCORD_OPTIMIZED_RUNTIME_THREAD_POOL_H_
#define CONCORD_OPTIMIZED_RUNTIME_THREAD_POOL_H_

#include <functional>
#include <memory>
#include <vector>

#include "spec/tensor.h"

namespace concord::optimized {

/// What each task of a run took.
using TaskSeconds = std::vector<double>;

/// Threads to run tasks on. Several callers may use one thread_pool at once.
class ThreadPool {
 public:
  /// `products` is what a run multiplies, as far as that is known. Below kFewProducts it wakes no
  /// other thread, as that would take longer than what there is to do.
  explicit ThreadPool(int threads, double products = kFewProducts);
  /// For measuring, in place of one that plans use: the caller runs all tasks in order, in slot 0,
  /// and each run of them is added to `runs`.
  ThreadPool(int threads, std::vector<TaskSeconds>* runs);
  ~ThreadPool();

  /// What a thread multiplies in about the microsecond that another one takes to wake.
  static constexpr double kFewProducts = 1 << 15;

  int threads() const { return threads_; }
  /// False if the caller runs all tasks.
  bool wakes_threads() const { return arena_ != nullptr; }

  /// Calls task(index, slot) for every index below `count`, in any order; tasks that run at the
  /// same time for the same call have different slots, all below threads().
  void run(Extent count, const std::function<void(Extent index, int slot)>& task) const;

 private:
  struct TbbArena;
  int threads_;
  std::unique_ptr<TbbArena> arena_{};  // null if the caller runs all tasks
  std::vector<TaskSeconds>* runs_ = nullptr;
};

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_RUNTIME_THREAD_POOL_H_
