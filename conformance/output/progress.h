// SPDX-License-Identifier: Apache-2.0
// Progress on standard error: one line that redraws itself on a terminal, an occasional plain line
// anywhere else; and failures as they occur.
#ifndef CONCORD_CONFORMANCE_OUTPUT_PROGRESS_H_
#define CONCORD_CONFORMANCE_OUTPUT_PROGRESS_H_

#include <chrono>
#include <deque>
#include <map>
#include <string>

#include "conformance/run/runner.h"

namespace concord::conformance {

/// How fast a run gets on, in the predicted cost of cases.
class Pace {
 public:
  /// Shapes  elapsed: seconds since the run began; done: the cost of the cases done by then
  void note(double elapsed, double done);
  double elapsed() const;
  /// The cost done in a second: over the whole run or over its last quarter, whichever is less.
  /// Some cases take some backends far longer than predicted, and they may be the last ones.
  double per_second() const;

 private:
  struct Point {
    double elapsed, done;
  };
  std::deque<Point> points_{};  ///< those of the last quarter, one before it, and the last
};

/// "about 1:05 h left", "less than a minute left"; empty in the first seconds, and before enough is
/// done to tell.
std::string time_left(const Progress& progress, const Pace& pace);

/// "onednn: FAIL pairs/190/bf16/integers: 1 of 2 elements are wrong", on one line.
std::string failure_line(const NewFailure& failure);

class ProgressBar {
 public:
  /// `most`: so many failures of each backend have a line; of the next one it is said that the
  /// others follow at the end.
  explicit ProgressBar(int most = 0);
  /// Shows the failure, if there is one, and how far the run is if it is time to.
  void show(const Progress& progress);
  /// Leaves the terminal's line empty.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;

  void show_failure(const NewFailure& failure);

  const bool terminal_;
  const int most_;
  std::map<std::string, int> failures_{};  ///< by backend
  const Clock::time_point begin_ = Clock::now();
  Clock::time_point last_{};
  Pace pace_{};
};

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_OUTPUT_PROGRESS_H_
