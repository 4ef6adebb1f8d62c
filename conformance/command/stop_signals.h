// SPDX-License-Identifier: Apache-2.0
// Signals that ask a run to stop.
#ifndef CONCORD_CONFORMANCE_COMMAND_STOP_SIGNALS_H_
#define CONCORD_CONFORMANCE_COMMAND_STOP_SIGNALS_H_

#include <atomic>

namespace concord::conformance {

/// From now on SIGINT, SIGTERM and SIGHUP turn the result true. A second one changes nothing, so
/// that the results are still written; a third one ends the program at once. Under nohup SIGHUP
/// stays ignored.
const std::atomic<bool>& stop_on_signals();

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_COMMAND_STOP_SIGNALS_H_
