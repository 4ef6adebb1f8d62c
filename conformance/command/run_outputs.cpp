// SPDX-License-Identifier: Apache-2.0
#include "conformance/command/run_outputs.h"

#include <fmt/format.h>

#include <filesystem>

#include "conformance/command/command.h"
#include "conformance/output/brief.h"

namespace concord::conformance {
namespace {

namespace fs = std::filesystem;

using Json = nlohmann::ordered_json;

// In the place of a path: standard output.
bool is_dash(const std::optional<std::string>& path) { return path == "-"; }

void check_writable(std::string_view option, const std::optional<std::string>& path) {
  if (!path || is_dash(path)) return;
  if (const auto trouble = why_not_writable(*path)) {
    throw UsageError(fmt::format("{}: {}", option, *trouble));
  }
}

// Two outputs that come to lie in the same file would each spoil the other.
void check_apart(const RunOutputs& outputs) {
  if (!outputs.out || !outputs.junit) return;
  if (is_dash(outputs.out) && is_dash(outputs.junit)) {
    throw UsageError("--junit -: --out already uses standard output");
  }
  if (is_dash(outputs.out) || is_dash(outputs.junit)) return;
  const auto whole = [](const std::string& path) { return fs::weakly_canonical(path); };
  for (const char* end : {"", ".journal"}) {
    const std::string out = *outputs.out + end;
    const bool device = fs::exists(out) && !fs::is_regular_file(out);
    if (whole(out) != whole(*outputs.junit) || device) continue;
    throw UsageError(fmt::format("--junit {}: --out also writes {}", *outputs.junit, out));
  }
}

// Why no journal can lie beside `out`, if none can.
std::optional<std::string> why_no_journal(const std::optional<std::string>& out) {
  if (!out) return "needs --out, since the journal is beside that file";
  if (is_dash(out)) return "there is no journal for standard output";
  std::error_code ignored;
  if (!fs::exists(*out, ignored) || fs::is_regular_file(*out, ignored)) return std::nullopt;
  return fmt::format("{} is not a regular file, so it has no journal", *out);
}

}  // namespace

void RunOutputs::check() const {
  check_apart(*this);
  check_writable("--out", out);
  check_writable("--junit", junit);
}

void RunOutputs::hide_from(SandboxOptions& sandbox) const {
  for (const auto& path : {out, junit}) {
    if (path && !is_dash(path)) sandbox.hidden.push_back(*path);
  }
  if (has_journal()) sandbox.hidden.push_back(*out + ".journal");
}

void RunOutputs::open_journal(const Json& identity, Journal& journal, Journal::Known& known) const {
  if (const auto why = why_no_journal(out)) {
    if (!resume.empty()) throw UsageError("--resume: " + *why);
    return;
  }
  const std::string path = *out + ".journal";
  std::error_code ignored;
  const bool begins_anew = resume == "true" && !fs::exists(path, ignored);
  if (begins_anew) tell(fmt::format("concord: --resume: no {}; the run begins anew\n", path));
  if (resume.empty() || begins_anew) {
    const auto trouble = journal.start(path, identity);
    if (trouble) throw UsageError("--out: " + *trouble);
    return;
  }
  auto resumed = journal.resume(path, identity);
  if (!resumed) throw UsageError("--resume: " + resumed.why().detail);
  if (journal.damage()) tell(fmt::format("concord: {}\n", *journal.damage()));
  known = *std::move(resumed);
}

bool RunOutputs::take_standard_output() const { return is_dash(out) || is_dash(junit); }

bool RunOutputs::has_journal() const { return out && !is_dash(out); }

bool RunOutputs::write(const CaseList& cases, const RunOutcome& outcome,
                       const RunDescription& description,
                       const TakenStandardOutput& standard_output) const {
  bool all_written = true;
  const auto write_to = [&](const std::string& path, const std::string& text) {
    const auto trouble = is_dash(path) ? standard_output.write(text) : write_file(path, text);
    if (!trouble) return;
    tell(fmt::format("concord: {}\n", *trouble));
    all_written = false;
  };
  if (out) {
    write_to(*out, printed(results_json(cases, outcome, description)));
  }
  if (junit) write_to(*junit, junit_xml(cases, outcome, description));
  return all_written;
}

}  // namespace concord::conformance
