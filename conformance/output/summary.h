// SPDX-License-Identifier: Apache-2.0
// What a run says of a backend in a few words: counts, the conclusion, the headline, the table.
#ifndef CONCORD_CONFORMANCE_OUTPUT_SUMMARY_H_
#define CONCORD_CONFORMANCE_OUTPUT_SUMMARY_H_

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/output/results.h"
#include "conformance/run/runner.h"

namespace concord::conformance {

/// "1,204".
std::string grouped(std::size_t value);

/// How many cases ended in each verdict, in the order of kVerdicts.
struct Counts {
  std::array<std::size_t, std::size(kVerdicts)> by_verdict{};
  std::size_t not_run = 0;

  std::size_t of(Verdict verdict) const { return by_verdict[static_cast<std::size_t>(verdict)]; }
  std::size_t failed() const;
};
Counts count(const BackendRun& backend);
/// How many of the judged cases were lowered to a Convolution.
std::size_t count_lowered(const BackendRun& backend);
/// How many pools of errors fail.
std::size_t failed_pools(const BackendRun& backend);

/// Does the backend conform? kUnknown: nothing was judged, or our own trouble is in the way.
enum class Conclusion { kConforms, kDoesNot, kUnknown };
Conclusion conclude(const BackendRun& backend);
/// "yes", "no" or "unknown".
std::string_view to_string(Conclusion conclusion);

/// "onednn: conforms - 1,204 passed, 0 failed, 0 vacuous, 311 declined (smoke, f32, seed 1)";
/// `scope` is what stands in the parentheses.
std::string headline(const BackendRun& backend, std::string_view scope);

/// 0: every backend conforms; 1: one does not; 2: of one it cannot be said, and none fails.
int exit_code(const RunOutcome& outcome);

/// Verdict counts, a row a backend.
std::string table(const RunOutcome& outcome);

/// The effective bits of each dtype and class, by reduction length, a line each; and a line for
/// every pool of errors that fails. Empty where no errors were summed.
std::string statistics_text(const RunOutcome& outcome);

/// How many output elements were compared with the wanted ones, by dtype, a line a backend:
///   "judged outputs of onednn: f32 24,660,709, f16 368,224, bf16 351,696; wrong: 1"
/// Cases that could not have failed do not count. Empty where nothing was compared.
std::string outputs_text(const std::vector<Case>& cases, const RunOutcome& outcome);

/// "covering: 3,325 of 3,325 pairs of attribute levels (100.0 %), ..." as a line; or nothing.
std::string covering_text(const RunDescription& description);

/// Everything needed to understand and repeat one failure, on a few indented lines.
std::string describe_failure(const Case& source, const CaseResult& result,
                             std::string_view replay_command);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_OUTPUT_SUMMARY_H_
