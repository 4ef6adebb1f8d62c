// SPDX-License-Identifier: Apache-2.0
// Where `concord run` writes its results, and the journal beside them.
#ifndef CONCORD_CONFORMANCE_COMMAND_RUN_OUTPUTS_H_
#define CONCORD_CONFORMANCE_COMMAND_RUN_OUTPUTS_H_

#include <optional>
#include <string>
#include <vector>

#include "conformance/case/case_list.h"
#include "conformance/output/results.h"
#include "conformance/output/standard_streams.h"
#include "conformance/run/journal.h"
#include "conformance/run/runner.h"

namespace concord::conformance {

/// --out, --junit and --resume. A path "-" is standard output.
struct RunOutputs {
  std::optional<std::string> out{}, junit{};
  /// --resume: "true" begins anew where there is no journal, "strict" does not; empty: no --resume.
  std::string resume{};

  /// Before the run: one of minutes must not end without a place for its results.
  /// Errors  UsageError: two outputs in one file, a path that cannot be written
  void check() const;
  /// Plugins are to see neither results nor journal, those of an earlier run in their place
  /// included.
  void hide_from(SandboxOptions& sandbox) const;
  /// Starts the journal beside --out, or resumes it into `known`; without such a place there is
  /// none. `identity` is what two runs must share for one to go on where the other stopped.
  /// Errors  UsageError: it cannot be written, or there is nothing to resume
  void open_journal(const nlohmann::ordered_json& identity, Journal& journal,
                    Journal::Known& known) const;
  /// True if results go to standard output.
  bool take_standard_output() const;
  /// True if a run that stopped early can be resumed.
  bool has_journal() const;
  /// Writes the results. False if something could not be written, which is told on standard error.
  bool write(const CaseList& cases, const RunOutcome& outcome, const RunDescription& description,
             const TakenStandardOutput& standard_output) const;
};

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_COMMAND_RUN_OUTPUTS_H_
