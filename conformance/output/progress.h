// SPDX-License-Identifier: Apache-2.0
// Progress on standard error: one line that redraws itself on a terminal, an occasional plain line
// anywhere else.
#ifndef CONCORD_CONFORMANCE_OUTPUT_PROGRESS_H_
#define CONCORD_CONFORMANCE_OUTPUT_PROGRESS_H_

#include <chrono>
#include <string>

#include "conformance/run/runner.h"

namespace concord::conformance {

/// "about 1:05 h left", "less than a minute left", from what the cases done so far cost and took;
/// empty in the first seconds, and before enough is done to tell.
/// Shapes  elapsed: seconds since the run began
std::string time_left(const Progress& progress, double elapsed);

class ProgressBar {
 public:
  ProgressBar();
  /// Shows `progress` if it is time to.
  void show(const Progress& progress);
  /// Leaves the terminal's line empty.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;

  const bool terminal_;
  const Clock::time_point begin_ = Clock::now();
  Clock::time_point last_{};
};

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_OUTPUT_PROGRESS_H_
