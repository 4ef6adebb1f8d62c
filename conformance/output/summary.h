// SPDX-License-Identifier: Apache-2.0
// The summary of a run: counts, the conclusion, the headline, the table.
#ifndef CONCORD_CONFORMANCE_OUTPUT_SUMMARY_H_
#define CONCORD_CONFORMANCE_OUTPUT_SUMMARY_H_

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/case/case_list.h"
#include "conformance/output/results.h"
#include "conformance/run/runner.h"

namespace concord::conformance {

/// How many cases ended in each verdict, in the order of kVerdicts.
struct Counts {
  std::array<std::size_t, std::size(kVerdicts)> by_verdict{};
  std::size_t not_run = 0;

  std::size_t of(Verdict verdict) const { return by_verdict[static_cast<std::size_t>(verdict)]; }
  std::size_t failed() const;
  std::size_t total() const;
};
Counts count(const BackendRun& backend);
/// Of the cases that are listed.
Counts count_listed(const BackendRun& backend);
/// How many of the judged cases were lowered to a Convolution.
std::size_t count_lowered(const BackendRun& backend);
/// How many pools of errors fail.
std::size_t failed_pools(const BackendRun& backend);

/// Does the backend conform? Source: docs/results.md#conforms
enum class Conclusion {
  kConforms,  ///< in everything that the suite asks
  kServes,    ///< in what it serves; it declined the rest
  kSelected,  ///< no selected case fails; only part of a suite was selected
  kDoesNot,
  kUnknown  ///< nothing was judged, or too little, or we failed ourselves
};
/// `narrowed`: the cases are only part of their suite, or not from a suite.
Conclusion conclude(const BackendRun& backend, bool narrowed);
/// "yes", "served", "selected", "no" or "unknown".
std::string_view to_string(Conclusion conclusion);

/// The backends of Concord's whose code `backend` runs, if it is not one of them.
std::vector<std::string> shipped_in(const BackendRun& backend, const RunDescription& description);

/// "onednn: conforms in what it serves: Convolution in f32 (1,204 judged); not served: 9
/// operations, f16, bf16 - 1,204 passed, 0 failed, 0 vacuous, 311 declined (smoke, all dtypes, seed
/// 1)".
std::string headline(const BackendRun& backend, const RunDescription& description);

/// The same without the name.
std::string verdict_text(const BackendRun& backend, const RunDescription& description);

/// 0: every backend conforms, or no selected case fails; 1: one does not conform; 2: one has no
/// verdict, and none fails.
int exit_code(const RunOutcome& outcome, bool narrowed);

/// The effective bits of each dtype and class, by reduction length, one line each. Empty where no
/// errors were summed.
std::string effective_bits_text(const RunOutcome& outcome);

/// A line for every pool of errors that fails.
std::string failed_pools_text(const RunOutcome& outcome);

/// How many output elements were compared with the wanted ones, by dtype, one line per backend:
///   "judged outputs of onednn: f32 24,660,709, f16 368,224, bf16 351,696; wrong: 1"
/// Cases that could not have failed do not count. Empty where nothing was compared.
std::string outputs_text(const RunOutcome& outcome);

/// "covered by the judged cases of onednn: 3,325 of 3,325 (100.0 %) pairs and ..." as a line for
/// each backend; nothing where no case stands for a combination of attribute levels.
std::string covering_text(const RunOutcome& outcome, const RunDescription& description);

/// Everything needed to understand and repeat one failure, on a few indented lines.
std::string describe_failure(const Case& source, const CaseResult& result,
                             std::string_view replay_command);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_OUTPUT_SUMMARY_H_
