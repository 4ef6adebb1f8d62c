// SPDX-License-Identifier: Apache-2.0
// The parts of judging a reply that do not depend on how its tensors were passed.
#ifndef CONCORD_CONFORMANCE_RUN_JUDGE_PARTS_H_
#define CONCORD_CONFORMANCE_RUN_JUDGE_PARTS_H_

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "conformance/run/steps.h"

namespace concord::conformance {

/// The result of a case whose prepare or execute did not answer CONCORD_OK; nothing if both did.
/// `threads` is for how many the case was prepared first.
std::optional<CaseResult> judge_statuses(const TrialReply& reply, int threads);

/// Judges the values of one execution.
/// Shapes  `dst` is dst's memory
CaseResult judge_values(PreparedCase& prepared, const concord_arithmetic& arithmetic,
                        const PreparedCase::Data& data, std::span<const std::byte> dst);

/// What the backend did that no execution may do, whatever it computes: a sentence; nothing if all
/// is well.
std::optional<std::string> trouble_with_conduct(const TrialReply& reply);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_RUN_JUDGE_PARTS_H_
