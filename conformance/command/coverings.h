// SPDX-License-Identifier: Apache-2.0
// How many combinations of attribute levels a run covers.
#ifndef CONCORD_CONFORMANCE_COMMAND_COVERINGS_H_
#define CONCORD_CONFORMANCE_COMMAND_COVERINGS_H_

#include <vector>

#include "conformance/case/case_list.h"
#include "conformance/output/results.h"
#include "conformance/run/runner.h"

namespace concord::conformance {

/// Completes `description` by what the whole `suite` covers, and by what those of `cases` cover
/// that passed or failed on each backend.
void describe_coverings(const CaseList& suite, const CaseList& cases, const RunOutcome& outcome,
                        RunDescription& description);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_COMMAND_COVERINGS_H_
