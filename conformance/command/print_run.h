// SPDX-License-Identifier: Apache-2.0
// What `concord run` prints at its end.
#ifndef CONCORD_CONFORMANCE_COMMAND_PRINT_RUN_H_
#define CONCORD_CONFORMANCE_COMMAND_PRINT_RUN_H_

#include <vector>

#include "conformance/case/case_list.h"
#include "conformance/output/results.h"
#include "conformance/run/runner.h"

namespace concord::conformance {

/// For each backend at most `most` failures and cases without a verdict, with the command that
/// replays each, and the failures that were minimised.
void print_failures(const CaseList& cases, const RunOutcome& outcome,
                    const RunDescription& description, int most);

/// What is known of each backend beside its failures: their diagnosis, why cases were declined, how
/// it was confined. `verbose`: effective bits, counts of outputs and coverings, too.
void print_findings(const CaseList& cases, const RunOutcome& outcome,
                    const RunDescription& description, bool verbose);

/// The table of all backends, and the verdict on each. `has_journal` says how a run that stopped
/// early can be resumed.
void print_verdicts(const RunOutcome& outcome, const RunDescription& description, bool has_journal);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_COMMAND_PRINT_RUN_H_
