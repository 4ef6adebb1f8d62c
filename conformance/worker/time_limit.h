// SPDX-License-Identifier: Apache-2.0
// How long a process may take to answer.
#ifndef CONCORD_CONFORMANCE_WORKER_TIME_LIMIT_H_
#define CONCORD_CONFORMANCE_WORKER_TIME_LIMIT_H_

#include <chrono>
#include <map>
#include <optional>

namespace concord::conformance {

/// How long each thread of a process and of its descendants has been ready to run without a
/// processor since it began, by number. Empty where the system does not tell.
std::map<int, std::chrono::nanoseconds> processor_waits(int process);

/// A deadline that does not count the time for which the process waited for a processor, lest a
/// slow backend on a busy machine be taken for one that hangs: of its threads the one that waited
/// longest counts. It is at most kMostExtension times as long.
class TimeLimit {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr int kMostExtension = 4;

  TimeLimit(int process, std::chrono::milliseconds deadline)
      : process_(process), deadline_(deadline) {
    restart();
  }
  void restart();
  /// When to ask next whether it has passed.
  Clock::time_point next() const { return next_; }
  bool has_passed();

 private:
  int process_;
  std::chrono::milliseconds deadline_;
  Clock::time_point start_{}, next_{};
  std::optional<std::map<int, std::chrono::nanoseconds>> waits_before_{};
};

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_WORKER_TIME_LIMIT_H_
