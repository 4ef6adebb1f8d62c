// SPDX-License-Identifier: Apache-2.0
#include "conformance/output/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "conformance/output/standard_streams.h"
#include "conformance/output/terminal.h"

namespace concord::conformance {

void Pace::note(double elapsed, double done) {
  points_.push_back({elapsed, done});
  while (points_.size() > 2 && points_[1].elapsed <= 0.75 * elapsed) points_.pop_front();
}

double Pace::elapsed() const { return points_.empty() ? 0 : points_.back().elapsed; }

double Pace::per_second() const {
  if (elapsed() <= 0) return 0;
  const auto [last, done] = points_.back();
  const double whole = done / last;
  const Point& first = points_.front();
  return first.elapsed < last ? std::min(whole, (done - first.done) / (last - first.elapsed))
                              : whole;
}

std::string time_left(const Progress& progress, const Pace& pace) {
  constexpr double kEarly = 5, kLittle = 0.02;
  const double rest = std::max(progress.cost_total - progress.cost_done, 0.0);
  const double per_second = pace.per_second();
  if (pace.elapsed() < kEarly || progress.cost_done < kLittle * progress.cost_total ||
      (rest > 0 && per_second <= 0)) {
    return "";
  }
  const double seconds = rest > 0 ? rest / per_second : 0;
  if (seconds < 60) return "less than a minute left";
  const auto minutes = static_cast<long>(std::min(seconds / 60 + 0.5, 1e6));
  return fmt::format("about {}:{:02} h left", minutes / 60, minutes % 60);
}

std::string failure_line(const NewFailure& failure) {
  const std::string& reason = failure.result.reason;
  return fmt::format("{}: {} {}{}{}", plain_name(failure.backend),
                     to_string(failure.result.verdict), failure.id, reason.empty() ? "" : ": ",
                     reason.substr(0, reason.find('\n')));
}

ProgressBar::ProgressBar(int most)
    : terminal_(isatty(STDERR_FILENO) == 1), most_(most), last_(Clock::now()) {}

void ProgressBar::show_failure(const NewFailure& failure) {
  const int number = ++failures_[failure.backend.spec.text];
  if (most_ == 0 || number > most_ + 1) return;
  finish();
  tell(number <= most_ ? failure_line(failure) + "\n"
                       : fmt::format("{}: further failures are counted (--max-failures)\n",
                                     plain_name(failure.backend)));
}

void ProgressBar::show(const Progress& progress) {
  if (progress.failure != nullptr) show_failure(*progress.failure);
  // Often enough to be alive, seldom enough to cost nothing and not to flood a log.
  const std::chrono::milliseconds period(terminal_ ? 100 : 5000);
  const auto now = Clock::now();
  if (now - last_ < period || progress.total == 0) return;
  last_ = now;
  const double done = static_cast<double>(progress.done) / static_cast<double>(progress.total);
  pace_.note(std::chrono::duration<double>(now - begin_).count(), progress.cost_done);
  const std::string left = time_left(progress, pace_);
  const std::string numbers =
      fmt::format("{}/{} judged, {} failed{}{}", progress.done, progress.total, progress.failed,
                  left.empty() ? "" : ", ", left);
  if (!terminal_) {
    tell(numbers + "\n");
    return;
  }
  constexpr int kWidth = 30;
  const int filled = static_cast<int>(done * kWidth);
  tell(fmt::format("\r\033[K[{:#<{}}{:.<{}}] {}", "", filled, "", kWidth - filled, numbers));
}

void ProgressBar::finish() {
  if (terminal_) tell("\r\033[K");
}

}  // namespace concord::conformance
