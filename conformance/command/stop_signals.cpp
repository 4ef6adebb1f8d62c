// SPDX-License-Identifier: Apache-2.0
#include "conformance/command/stop_signals.h"

#include <csignal>

namespace concord::conformance {
namespace {

// A signal handler can reach nothing but a global.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
std::atomic<bool> stop_requested{false};

// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
std::atomic<int> signals{0};

// The first two let the run end by itself and write its results; the third one ends the program.
void request_stop(int signal) {
  stop_requested = true;
  if (++signals >= 2) std::signal(signal, SIG_DFL);
}

}  // namespace

const std::atomic<bool>& stop_on_signals() {
  std::signal(SIGINT, request_stop);
  std::signal(SIGTERM, request_stop);
  // Under nohup a terminal that goes away is nothing to us.
  if (std::signal(SIGHUP, request_stop) == SIG_IGN) std::signal(SIGHUP, SIG_IGN);
  return stop_requested;
}

}  // namespace concord::conformance
