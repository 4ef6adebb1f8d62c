// SPDX-License-Identifier: Apache-2.0
// Processes that a plugin has started and left behind: even those in a session of their own become
// this process's children once the plugin's is gone, and are ended then.
#ifndef CONCORD_CONFORMANCE_WORKER_ORPHANS_H_
#define CONCORD_CONFORMANCE_WORKER_ORPHANS_H_

#include <functional>
#include <mutex>
#include <set>

namespace concord::conformance {

/// Tracks which children are ours. One for the whole process; safe to call from any thread.
class Orphans {
 public:
  static Orphans& instance();

  /// Runs `start`, which gives the id of a process that it has started, or 0 for none, and notes
  /// that as ours before anyone can take it for an orphan.
  void adopt(const std::function<int()>& start);
  /// Forgets a process that has been reaped, and ends every child that `worker`'s plugin left.
  void bury(int worker);

 private:
  Orphans();
  void end_strangers();
  bool end_strangers_once();  ///< true if there were any

  std::mutex mutex_{};
  std::set<int> ours_{};
  std::set<int> before_{};  ///< children that this process had before it had workers
};

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_WORKER_ORPHANS_H_
