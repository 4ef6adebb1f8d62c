// SPDX-License-Identifier: Apache-2.0
// Retries of cases in which a backend's process was lost: does the backend end it, how often, and
// only after the previous case?
#ifndef CONCORD_CONFORMANCE_RUN_RETRY_H_
#define CONCORD_CONFORMANCE_RUN_RETRY_H_

#include <atomic>
#include <optional>

#include "conformance/run/examine.h"

namespace concord::conformance {

/// The remaining retries of one backend. Callable from any thread.
class RetryBudget {
 public:
  /// True if a case with such a result is to be tried again; that counts.
  bool take(const CaseResult& result);
  /// A signal that could have come from outside came again: it is the backend's own.
  void note_own_signal() { ++own_signals_; }

 private:
  std::atomic<int> crashes_{3}, hangs_{1};
  std::atomic<int> own_signals_{0};
};

/// Examines the case. Where the process is lost and `budget` allows it, tries it again in a new
/// process: alone and, if it lives, after `before`, the case that the lost process had before, if
/// any. A signal from outside that does not come again leaves the verdict to the later tries; any
/// other loss that does not repeat stays a failure and gets its rate into its reason.
CaseResult examine_again_if_lost(PreparedCase& prepared, const Case* before, Host& host,
                                 const ExamineOptions& options, RetryBudget& budget);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_RUN_RETRY_H_
