// SPDX-License-Identifier: Apache-2.0
#include "conformance/command/print_run.h"

#include <fmt/format.h>

#include "conformance/output/shrunk_text.h"
#include "conformance/output/summary.h"
#include "conformance/output/terminal.h"
#include "conformance/run/neighbours.h"

namespace concord::conformance {
namespace {

bool is_shown(const std::optional<CaseResult>& result) {
  return result && (is_failure(result->verdict) || result->verdict == Verdict::kHarnessError);
}

}  // namespace

void print_failures(const CaseList& cases, const RunOutcome& outcome,
                    const RunDescription& description, int most) {
  for (const BackendRun& backend : outcome.backends) {
    const std::string name = shown_name(outcome, backend);
    const Counts counts = count(backend);
    const auto failed = static_cast<int>(counts.failed() + counts.of(Verdict::kHarnessError));
    int shown = 0;
    for (std::size_t i = 0; i < backend.results.size() && shown < most; ++i) {
      const auto& result = backend.results[i];
      if (!is_shown(result)) continue;
      ++shown;
      fmt::print(
          "{}: {}", name,
          describe_failure(cases[i], *result, replay_command(cases[i], backend.spec, description)));
    }
    if (failed > shown) {
      fmt::print("{}: {} more (--max-failures shows more; --out has all)\n", name, failed - shown);
    }
    for (const Shrunk& shrunk : backend.shrunk) {
      fmt::print("{}: smallest for {}\n{}", name, cases[shrunk.of].id,
                 describe_shrunk(shrunk, backend.spec, description));
    }
  }
}

void print_findings(const CaseList& cases, const RunOutcome& outcome,
                    const RunDescription& description, bool verbose) {
  if (verbose) {
    fmt::print("{}{}{}", effective_bits_text(outcome), outputs_text(outcome),
               covering_text(outcome, description));
  }
  fmt::print("{}", failed_pools_text(outcome));
  for (const BackendRun& backend : outcome.backends) {
    const std::string name = shown_name(outcome, backend);
    if (backend.diagnosis) fmt::print("{} {}\n", name, backend.diagnosis->sentence);
    for (const Neighbour& neighbour : backend.neighbours) {
      fmt::print("{} {}\n", name, describe(neighbour));
    }
    fmt::print("{}", declined_text(cases, outcome, backend, description.lower));
    // One's own plugin is judged alone, and what others decline is nobody's task.
    if (outcome.backends.size() == 1) {
      fmt::print("{}", to_do_text(cases, backend, description));
    }
    const Confinement& made = backend.identity.confinement;
    if (made.level != SandboxLevel::kNamespaces && backend.error.empty()) {
      fmt::print("{}: sandbox: {} ({})\n", name, concord::to_string(made.level), made.lack);
    }
  }
}

void print_verdicts(const RunOutcome& outcome, const RunDescription& description,
                    bool has_journal) {
  const bool coloured = wants_colour();
  fmt::print("{}", table(outcome, description.is_part(), coloured));
  if (!outcome.complete) {
    fmt::print("stopped before the end; {}\n", has_journal
                                                   ? "--resume continues from the journal"
                                                   : "a run with --out FILE can be resumed");
  }
  for (const BackendRun& backend : outcome.backends) {
    const std::string name = shown_name(outcome, backend);
    const Conclusion conclusion = conclude(backend, description.is_part());
    fmt::print("{}: {}\n", coloured ? in_colour(name, conclusion) : name,
               verdict_text(backend, description));
  }
}

}  // namespace concord::conformance
