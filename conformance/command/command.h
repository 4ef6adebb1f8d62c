// SPDX-License-Identifier: Apache-2.0
// The subcommands of `concord`. Each adds itself to the command line and, if chosen, leaves its
// exit code: 0 conforms or done, 1 does not conform, 2 no verdict.
#ifndef CONCORD_CONFORMANCE_COMMAND_COMMAND_H_
#define CONCORD_CONFORMANCE_COMMAND_COMMAND_H_

#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "conformance/case/case_list.h"
#include "conformance/command/imported_model.h"
#include "conformance/run/examine.h"
#include "conformance/worker/host.h"
#include "plugin/concord_plugin.h"

namespace concord::conformance {

/// Ends a command before it begins: one sentence for standard error, and exit code 2.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The environment of every command.
struct Surroundings {
  std::filesystem::path executable{};
  std::vector<std::string> command_line{};
  int exit_code = 0;  ///< left by the command that ran
};

void add_run_command(CLI::App& app, Surroundings& surroundings);
void add_list_command(CLI::App& app, Surroundings& surroundings);
void add_show_command(CLI::App& app, Surroundings& surroundings);
void add_replay_command(CLI::App& app, Surroundings& surroundings);
void add_shrink_command(CLI::App& app, Surroundings& surroundings);
/// `vectors verify`, `vectors list`, `vectors add`, `vectors import` and `vectors table`.
void add_vectors_command(CLI::App& app, Surroundings& surroundings);
/// `vectors add`; `root` is the folder of the sets.
void add_vectors_add_command(CLI::App& vectors, const std::shared_ptr<std::string>& root,
                             Surroundings& surroundings);
/// `vectors import`.
void add_vectors_import_command(CLI::App& vectors, const std::shared_ptr<std::string>& root,
                                Surroundings& surroundings);
/// `vectors table`.
void add_vectors_table_command(CLI::App& vectors, const std::shared_ptr<std::string>& root,
                               Surroundings& surroundings);
void add_spec_command(CLI::App& app, Surroundings& surroundings);
void add_grade_command(CLI::App& app, Surroundings& surroundings);
void add_power_command(CLI::App& app, Surroundings& surroundings);
/// `import`, `report`, `diff`, `merge` and `statement`, which hand over to the Python programs in
/// reports/.
void add_report_commands(CLI::App& app);

/// `new-plugin`: a folder with a plugin to begin with.
void add_new_plugin_command(CLI::App& app, Surroundings& surroundings);

/// `manual`: the man page and the completion of bash.
void add_manual_command(CLI::App& app);

/// The folder of the golden vectors that come with this program.
std::string default_vectors_folder();
/// What --help and the man page call it: they read alike wherever the program lies.
inline constexpr const char* kOwnVectors = "share/concord/vectors beside the program's folder";

/// The problem on `line`.
/// Errors  UsageError that begins with `name`, the place of the line
Problem read_problem(const std::string& line, std::string_view name = "problem line");

struct Batches;

/// --suite, --problems, --model, --fill, --operation, --dtype, --filter, --cases, --reading, --seed
/// and --shard: which cases.
struct CaseOptions {
  std::string suite = "smoke";
  std::optional<std::string> problems{};  ///< a file of problem lines in place of a suite
  ModelOptions model{};                   ///< or what it is imported from
  std::vector<std::string> fills{};       ///< of such problems; none means integers and uniform
  std::vector<std::string> operations{}, dtypes{};
  std::optional<std::string> filter{}, reading{};
  std::optional<std::string> listed{};  ///< a file of the ids of cases, one per line
  std::uint64_t seed = 1;
  std::string shard = "1/1";
  std::string vectors{};  ///< the folder of the golden sets

  /// `more_suites`: those that the command supports besides smoke, full, huge and golden.
  void add_to(CLI::App& command, const std::vector<std::string>& more_suites = {});
  /// The cases that the options choose, in the catalog's order; of every shard if `all_shards`.
  CaseList select(bool all_shards = false) const;
  /// Those of `candidates` that the options choose; of nightly, of one batch.
  CaseList narrow(const CaseList& candidates, bool all_shards = false) const;
  /// The suite, or the file in its place.
  std::string source() const;
  /// True if the problems are a user's own.
  bool are_given() const { return problems || model.file; }
  /// True if the cases of all shards are only part of a suite, or not from a suite.
  bool are_narrowed() const;
  /// The suite is walked in batches.
  bool are_in_batches() const { return suite == "exhaustive" && !are_given(); }
  /// Such a suite, and what the options choose of it.
  Batches batches() const;
  /// "smoke, f32, seed 1": the scope that a headline states.
  std::string scope() const;
};

/// Checks of option values: CLI11 takes -1, and a number that is too large, for the largest
/// unsigned number, and nan for any number.
CLI::Validator whole_number();
CLI::Validator seconds_between(double least, double most);

std::vector<std::string_view> fill_names();
/// Errors  UsageError: no such fill
Fill parse_fill(const std::string& text);

/// --fill, --seed and --data: the data of a problem that the user states.
struct DataOptions {
  std::string fill = "integers";
  std::uint64_t seed = 1;
  std::optional<std::string> data{};

  void add_to(CLI::App& command);
  /// The case of the problem that `line` states.
  Case case_of(const std::string& line) const;
};

struct RunDescription;

/// --sandbox-allow: what backends may write.
void add_sandbox_allow(CLI::App& command, std::vector<std::string>& writable);

/// --backend, --class, --lower, --threads, --deadline, --max-work and --memory-limit: what is
/// judged, and how.
struct BackendOptions {
  std::vector<std::string> backends{};
  std::optional<std::string> arithmetic{};
  bool lower = false;
  int threads = 2;
  double deadline_seconds = std::chrono::duration<double>(HostOptions{}.deadline).count();
  double max_work = kDefaultMaxWork;
  double memory_gib = 16;
  std::string sandbox = "auto";
  std::vector<std::string> sandbox_writable{};

  void add_to(CLI::App& command);
  std::vector<BackendSpec> specs(const Surroundings& surroundings) const;
  ExamineOptions examine_options() const;
  HostOptions host_options(const Surroundings& surroundings) const;
  /// With --sandbox required, finds out whether all backends are confined.
  /// Errors  UsageError: one is not, as far as it must be
  void check_sandbox(const std::vector<BackendSpec>& specs, const HostOptions& options) const;
  /// The options that a replay command must repeat.
  void describe(RunDescription& description) const;
};

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_COMMAND_COMMAND_H_
