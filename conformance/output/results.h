// SPDX-License-Identifier: Apache-2.0
// A whole run as files: results.json (docs/results.schema.json) and JUnit XML.
#ifndef CONCORD_CONFORMANCE_OUTPUT_RESULTS_H_
#define CONCORD_CONFORMANCE_OUTPUT_RESULTS_H_

#include <chrono>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "conformance/case/case_list.h"
#include "conformance/run/backend_files.h"
#include "conformance/run/runner.h"
#include "conformance/run/work.h"
#include "conformance/worker/host.h"
#include "vectors/write_file.h"

namespace concord::conformance {

/// How many combinations of levels of two and of three attributes the cases cover, and how many
/// there are.
struct Covering {
  std::size_t pairs = 0, all_pairs = 0, triples = 0, all_triples = 0;
};

/// The user's request, as the results repeat it.
struct RunDescription {
  std::string suite{};
  std::uint64_t seed = 1;
  std::optional<std::string> reading{};
  std::vector<std::string> operations{}, dtypes{};  ///< chosen ones; none means all
  std::optional<std::string> arithmetic{};          ///< --class
  bool lower = false;                               ///< --lower
  std::optional<std::string> filter{};
  std::string shard = "1/1";
  int threads = 1, jobs = 1;
  std::chrono::milliseconds deadline = HostOptions{}.deadline;  ///< --deadline
  double max_work = kDefaultMaxWork;                            ///< --max-work
  std::size_t memory_limit = HostOptions{}.memory_limit;        ///< --memory-limit, in bytes
  bool is_confined = true;                                      ///< not --sandbox off
  std::vector<std::string> sandbox_writable{};                  ///< --sandbox-allow
  std::string vectors{};          ///< --vectors, where it is not this build's folder
  std::string build = "unknown";  ///< of Concord: its commit
  std::map<std::string, std::vector<BackendFile>> files{};  ///< of each backend, by its text
  /// Of each backend, by its text: the other files whose code its processes had in their memory,
  /// and which backends of Concord's are among all of them.
  std::map<std::string, std::vector<BackendFile>> libraries{};
  std::map<std::string, std::vector<std::string>> shipped{};
  std::string started{};  ///< ISO 8601, UTC
  std::vector<std::string> command{};
  std::optional<Covering> covering{};  ///< nothing where no case stands for such combinations
  /// What was judged, passed or failed, of each backend; the same where that stands for none.
  std::vector<std::optional<Covering>> judged_covering{};
  bool narrowed = false;  ///< all shards together are only part of a suite, or not from a suite
  /// True if this run is not the whole of a suite.
  bool is_part() const { return narrowed || shard != "1/1"; }
  std::vector<std::string> remarks{};  ///< on what was imported for this run, and what was not
  std::string scope{};                 ///< the text in a headline's parentheses
};

/// `word` quoted for a shell.
std::string shell_quoted(const std::string& word);

/// The beginning of a command that replays something: the backend and how it is tried. It names
/// everything that may differ from the command's defaults, and --threads always.
std::string replay_command_of(const BackendSpec& backend, const RunDescription& description,
                              const char* name = "replay");

/// The command that repeats one case on one backend.
std::string replay_command(const Case& source, const BackendSpec& backend,
                           const RunDescription& description);

nlohmann::ordered_json results_json(const CaseList& cases, const RunOutcome& outcome,
                                    const RunDescription& description);

/// One testsuite per backend, a testcase per case: failures are failures, harness errors errors,
/// declined and vacuous cases and cases not run are skipped with their reason.
std::string junit_xml(const CaseList& cases, const RunOutcome& outcome,
                      const RunDescription& description);

using vectors::why_not_writable;
using vectors::write_file;

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_OUTPUT_RESULTS_H_
