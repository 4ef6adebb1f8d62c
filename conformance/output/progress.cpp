// SPDX-License-Identifier: Apache-2.0
#include "conformance/output/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include "conformance/output/standard_streams.h"

namespace concord::conformance {

ProgressBar::ProgressBar() : terminal_(isatty(STDERR_FILENO) == 1), last_(Clock::now()) {}

void ProgressBar::show(const Progress& progress) {
  // Often enough to be alive, seldom enough to cost nothing and not to flood a log.
  const std::chrono::milliseconds period(terminal_ ? 100 : 5000);
  const auto now = Clock::now();
  if (now - last_ < period || progress.total == 0) return;
  last_ = now;
  const double done = static_cast<double>(progress.done) / static_cast<double>(progress.total);
  const double elapsed = std::chrono::duration<double>(now - begin_).count();
  const std::string numbers =
      fmt::format("{}/{} judged, {} failed, about {:.0f} s left", progress.done, progress.total,
                  progress.failed, done > 0 ? elapsed / done - elapsed : 0.0);
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
