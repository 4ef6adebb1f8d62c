// SPDX-License-Identifier: Apache-2.0
// A run of the suite `nightly`: batch after batch until the time is up.
#ifndef CONCORD_CONFORMANCE_COMMAND_NIGHTLY_RUN_H_
#define CONCORD_CONFORMANCE_COMMAND_NIGHTLY_RUN_H_

#include <functional>
#include <vector>

#include "conformance/run/runner.h"

namespace concord::conformance {

/// Runs the batches of `next_batch` until options.time_budget, which is set, runs out; `cases` gets
/// all cases that were run. The outcome is complete if the first batch was and no signal came.
/// A backend that is no longer tested or cannot be loaded is left out of later batches.
RunOutcome run_nightly(const std::function<CaseList()>& next_batch,
                       const std::vector<BackendSpec>& backends, RunOptions options,
                       Journal& journal, const Journal::Known& known, const std::atomic<bool>& stop,
                       const std::function<void(const Progress&)>& progress, CaseList& cases);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_COMMAND_NIGHTLY_RUN_H_
