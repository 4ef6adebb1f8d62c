// SPDX-License-Identifier: Apache-2.0
#include "optimized/runtime/thread_pool.h"

#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <chrono>
#include <map>
#include <mutex>

#if defined(__SANITIZE_THREAD__)
#include <atomic>
#include <thread>
#include <vector>
#endif

namespace concord::optimized {

namespace {

// TBB 2021.8 keeps some kilobytes of every arena that was used and destroyed. These live as long as
// the process: there is one for each number of threads, for all plans.
tbb::task_arena& arena_of(int threads) {
  static std::mutex mutex;
  static std::map<int, tbb::task_arena> arenas;
  const std::lock_guard lock(mutex);
  return arenas.try_emplace(threads, threads).first->second;
}

TaskSeconds time_all(Extent count, const std::function<void(Extent, int)>& task) {
  using Clock = std::chrono::steady_clock;
  TaskSeconds seconds;
  for (Extent index = 0; index < count; ++index) {
    const auto begin = Clock::now();
    task(index, 0);
    seconds.push_back(std::chrono::duration<double>(Clock::now() - begin).count());
  }
  return seconds;
}

}  // namespace

struct ThreadPool::TbbArena {
  explicit TbbArena(int threads)
      : limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads)),
        arena(arena_of(threads)) {}

  // Without it TBB starts no more threads than there are processors, whatever an arena asks for.
  tbb::global_control limit;
  tbb::task_arena& arena;
};

ThreadPool::ThreadPool(int threads, double products)
    : threads_(threads),
      arena_(threads > 1 && products >= kFewProducts ? std::make_unique<TbbArena>(threads)
                                                     : nullptr) {}

ThreadPool::ThreadPool(int threads, std::vector<TaskSeconds>* runs)
    : threads_(threads), runs_(runs) {}

ThreadPool::~ThreadPool() = default;

void ThreadPool::run(Extent count, const std::function<void(Extent, int)>& task) const {
  if (runs_ != nullptr) {
    runs_->push_back(time_all(count, task));
    return;
  }
  if (arena_ == nullptr || count <= 1) {
    for (Extent index = 0; index < count; ++index) task(index, 0);
    return;
  }
#if defined(__SANITIZE_THREAD__)
  // The sanitizer does not see how the system's TBB synchronizes, as that is not instrumented, and
  // takes all that its tasks do for races. Whether our tasks race it sees on threads of our own.
  std::atomic<Extent> next = 0;
  std::vector<std::thread> workers;
  for (int slot = 0; slot < threads_; ++slot) {
    workers.emplace_back([&, slot] {
      for (Extent i = next++; i < count; i = next++) task(i, slot);
    });
  }
  for (std::thread& worker : workers) worker.join();
#else
  arena_->arena.execute([&] {
    tbb::parallel_for(tbb::blocked_range<Extent>(0, count, 1),
                      [&](const tbb::blocked_range<Extent>& range) {
                        const int slot = tbb::this_task_arena::current_thread_index();
                        for (Extent i = range.begin(); i != range.end(); ++i) task(i, slot);
                      });
  });
#endif
}

}  // namespace concord::optimized
