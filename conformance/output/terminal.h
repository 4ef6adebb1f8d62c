// SPDX-License-Identifier: Apache-2.0
// What a run says at its end for a reader at a terminal: short names, a narrow table, why cases
// were declined.
#ifndef CONCORD_CONFORMANCE_OUTPUT_TERMINAL_H_
#define CONCORD_CONFORMANCE_OUTPUT_TERMINAL_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "conformance/case/case_list.h"
#include "conformance/output/results.h"
#include "conformance/output/summary.h"
#include "conformance/run/runner.h"

namespace concord::conformance {

/// No line of the table is wider.
inline constexpr std::size_t kTableWidth = 80;

/// As the user wrote it, but "exec:NAME" for a program that gave its name.
std::string plain_name(const BackendRun& backend);

/// What the backend is called: its plain name, if no other backend has it, else as the user wrote
/// it.
std::string shown_name(const RunOutcome& outcome, const BackendRun& backend);

/// Verdict counts, one row per backend, "conforms" last. Rare verdicts have a column if one occurs;
/// where they would not fit, they are one column, "others". Long names lose their middle.
/// `coloured`: the last word is green, yellow or red.
std::string table(const RunOutcome& outcome, bool narrowed, bool coloured);

/// How often each of the three most frequent reasons of declining occurs; and whether --lower would
/// have asked for more. Empty if nothing was declined.
///   `lowered`: the run had --lower
std::string declined_text(const CaseList& cases, const RunOutcome& outcome,
                          const BackendRun& backend, bool lowered);

/// Where to begin with what was declined: of the cases of the most frequent reason the one whose
/// problem has the shortest line, with the command that replays it. Empty if nothing was declined.
std::string to_do_text(const CaseList& cases, const BackendRun& backend,
                       const RunDescription& description);

/// `text` in the colour of a verdict: bold red of kDoesNot, yellow of kUnknown, else green.
std::string in_colour(std::string_view text, Conclusion conclusion);

/// Is standard output a terminal, and are colours not declined by NO_COLOR or TERM=dumb?
bool wants_colour();

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_OUTPUT_TERMINAL_H_
