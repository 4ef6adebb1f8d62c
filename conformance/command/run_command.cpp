// SPDX-License-Identifier: Apache-2.0
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>

#include "conformance/catalog/nightly.h"
#include "conformance/command/batch_run.h"
#include "conformance/command/build_id.h"
#include "conformance/command/command.h"
#include "conformance/command/coverings.h"
#include "conformance/command/freed_memory.h"
#include "conformance/command/nightly_run.h"
#include "conformance/command/print_run.h"
#include "conformance/command/run_outputs.h"
#include "conformance/command/shrink_failures.h"
#include "conformance/command/stop_signals.h"
#include "conformance/diagnose/diagnose.h"
#include "conformance/output/progress.h"
#include "conformance/output/results.h"
#include "conformance/output/standard_streams.h"
#include "conformance/output/summary.h"
#include "conformance/run/backend_spec.h"
#include "conformance/run/job_bounds.h"
#include "conformance/run/neighbours.h"
#include "reference/open_question.h"

namespace concord::conformance {
namespace {

using Json = nlohmann::ordered_json;

struct RunCommand {
  CaseOptions cases{};
  BackendOptions backends{};
  std::optional<int> jobs{};
  std::optional<double> time_budget{};
  int max_hangs = 5;
  std::optional<int> max_failed{};
  bool retry_killed = false;
  int max_failures_shown = 10;
  bool verbose = false, quiet = false;
  RunOutputs outputs{};
  ShrinkOptions shrink{};

  /// A suite without an end is run batch after batch until the time is up.
  bool endless() const { return cases.suite == "nightly" && !cases.are_given(); }
};

RunDescription describe(const RunCommand& command, const std::vector<BackendSpec>& specs, int jobs,
                        const Surroundings& surroundings) {
  RunDescription description;
  description.suite = command.cases.source();
  if (command.cases.model.file) description.remarks = command.cases.model.imported().remarks;
  description.seed = command.cases.seed;
  description.reading = command.cases.reading;
  description.operations = command.cases.operations;
  description.dtypes = command.cases.dtypes;
  command.backends.describe(description);
  description.filter = command.cases.filter;
  description.shard = command.cases.shard;
  if (command.cases.vectors != default_vectors_folder()) {
    description.vectors = command.cases.vectors;
  }
  description.jobs = jobs;
  description.build = build_id();
  description.started =
      fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::chrono::system_clock::now()));
  description.command = surroundings.command_line;
  description.scope = command.cases.scope();
  description.narrowed = command.cases.are_narrowed();
  for (const BackendSpec& spec : specs) description.files[spec.text] = files_of(spec);
  return description;
}

// What two runs must share for the one to go on where the other stopped.
Json identity(const RunCommand& command, const RunDescription& description) {
  const auto or_null = [](const std::optional<std::string>& text) {
    return text ? Json(*text) : Json(nullptr);
  };
  Json json = {{"Concord", fmt::format("{} {}", CONCORD_VERSION, description.build)},
               {"scope", command.cases.scope()},
               {"backends", command.backends.backends},
               {"class", or_null(command.backends.arithmetic)},
               {"lower", command.backends.lower},
               {"threads", command.backends.threads}};
  for (const auto& [backend, files] : description.files) {
    json["the build of " + backend] = build_text(files);
  }
  return json;
}

// What a user's own problem leaves open, said once of each.
void tell_open_questions(const CaseList& cases) {
  for (const Case& each : cases) {
    if (each.fill != Fill::kIntegers) continue;
    const auto open = reference::open_question(each.problem);
    if (!open) continue;
    tell(
        fmt::format("concord: {}: the documents leave open whether it is refused, so either answer "
                    "is accepted: {}\n",
                    each.id, open->why));
  }
}

// The cases that may have ended an earlier run.
void tell_deaths(const Journal& journal, bool retry) {
  for (const auto& [key, deaths] : journal.deaths()) {
    if (deaths > 1 && !retry) {
      tell(fmt::format(
          "concord: {} with {} was running when {} runs were killed; it is not started again "
          "(--retry-killed)\n",
          key.second, key.first, deaths));
      continue;
    }
    tell(fmt::format("concord: {} with {} was running when {} killed; it is tried first, alone\n",
                     key.second, key.first,
                     deaths == 1 ? "the run was" : fmt::format("{} runs were", deaths)));
  }
}

// As long as half of the run, but neither so short that nothing is found nor so long as to annoy.
NeighbourOptions neighbour_options(const RunOptions& options, const RunOutcome& outcome) {
  const double seconds = std::clamp(outcome.seconds / 2, 3.0, 30.0);
  return {.examine = options.examine,
          .host = options.host,
          .budget = std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000))};
}

RunOptions run_options(const RunCommand& command, const Surroundings& surroundings) {
  RunOptions options;
  options.examine = command.backends.examine_options();
  options.host = command.backends.host_options(surroundings);
  const BoundedJobs bounded =
      choose_jobs(command.jobs, command.backends.backends.size(), command.backends.threads);
  if (!bounded.why.empty()) tell(fmt::format("concord: {}\n", bounded.why));
  options.jobs = bounded.jobs;
  options.max_hangs = command.max_hangs;
  options.max_failed = command.max_failed;
  options.retry_killed = command.retry_killed;
  if (command.time_budget) {
    options.time_budget =
        std::chrono::milliseconds(static_cast<std::int64_t>(*command.time_budget * 1000));
  }
  return options;
}

// The cases to run; none yet of a suite without an end or in batches.
CaseList choose_cases(const RunCommand& command) {
  if (command.cases.are_in_batches()) return {};
  if (command.endless()) {
    if (command.time_budget) return {};
    throw UsageError("--suite nightly is endless: it needs a --time-budget");
  }
  CaseList cases = command.cases.select();
  if (cases.empty()) throw UsageError("no case matches " + command.cases.scope());
  return cases;
}

/// What the three parts of a run share.
struct Session {
  std::vector<BackendSpec> specs{};
  RunOptions options{};
  CaseList cases{};
  std::optional<Batches> batches{};  ///< of a suite that is walked in batches
  RunDescription description{};
  Journal journal{};
  Journal::Known known{};
  TakenStandardOutput standard_output{};
  std::optional<WriteErrorsAreNoSignals> quiet{};  ///< until all is written
  RunOutcome outcome{};
};

// Ends with a UsageError before anything is tried if the options do not fit together.
void prepare(const RunCommand& command, const Surroundings& surroundings, Session& session) {
  session.specs = command.backends.specs(surroundings);
  session.options = run_options(command, surroundings);
  session.cases = choose_cases(command);
  if (command.cases.are_in_batches()) session.batches = command.cases.batches();
  command.outputs.check();
  command.outputs.hide_from(session.options.host.sandbox);
  command.backends.check_sandbox(session.specs, session.options.host);
  session.description = describe(command, session.specs, session.options.jobs, surroundings);
  command.outputs.open_journal(identity(command, session.description), session.journal,
                               session.known);
  tell_deaths(session.journal, command.retry_killed);
  if (command.outputs.take_standard_output()) session.standard_output.take();
  if (command.cases.are_given()) tell_open_questions(session.cases);
}

// `session.cases` gets what a suite without an end deals out, or what is listed of one in batches.
RunOutcome judge_cases(const RunCommand& command, const std::atomic<bool>& stop, Session& session) {
  ProgressBar bar(command.max_failures_shown);
  const auto show = [&](const Progress& progress) {
    if (!command.quiet) bar.show(progress);
  };
  RunOutcome outcome;
  if (command.endless()) {
    Nightly nightly(command.cases.seed);
    const auto next_batch = [&] { return command.cases.narrow(nightly.next()); };
    outcome = run_nightly(next_batch, session.specs, session.options, session.journal,
                          session.known, stop, show, session.cases);
  } else if (session.batches) {
    outcome = run_batches(*session.batches, session.specs, session.options, session.journal, stop,
                          show, session.cases);
  } else {
    outcome = run_cases(session.cases, session.specs, session.options, session.journal,
                        session.known, stop, show);
  }
  if (!command.quiet) bar.finish();
  return outcome;
}

// Judges all cases, then looks for what the failures have in common.
void execute(const RunCommand& command, Session& session) {
  const std::atomic<bool>& stop = stop_on_signals();
  session.options.host.stop = &stop;
  session.quiet.emplace();
  session.outcome = judge_cases(command, stop, session);
  RunOutcome& outcome = session.outcome;
  const bool is_whole = command.endless() || command.cases.shard == "1/1";
  if (!command.cases.are_in_batches()) {
    describe_coverings(is_whole ? session.cases : command.cases.select(true), session.cases,
                       outcome, session.description);
  }
  shrink_failures(command.shrink, session.cases, session.options, session.description, stop,
                  outcome);
  const NeighbourOptions neighbours = neighbour_options(session.options, outcome);
  for (BackendRun& backend : outcome.backends) {
    backend.diagnosis =
        diagnose(session.cases, backend.results, backend.shrunk, session.description.threads);
    backend.neighbours = find_neighbours(session.cases, backend, neighbours, stop);
  }
}

// Which other files the backends' processes had in their memory, in the end.
void describe_libraries(const Surroundings& surroundings, Session& session) {
  const auto shipped = plugin_directory(surroundings.executable);
  LibraryDigests digests(shipped);
  for (const BackendRun& backend : session.outcome.backends) {
    const auto& own = session.description.files[backend.spec.text];
    std::set<std::string> without{surroundings.executable.string()};
    for (const BackendFile& file : own) without.insert(file.path);
    const auto libraries = digests.files(backend.mapped, without);
    session.description.shipped[backend.spec.text] = digests.shipped_in(own, libraries);
    session.description.libraries[backend.spec.text] = libraries;
  }
}

// Writes the results, then prints them, since a reader that has seen enough ends us with SIGPIPE.
// Returns the exit code.
int publish(const RunCommand& command, Session& session) {
  const auto& cases = session.cases;
  const RunOutcome& outcome = session.outcome;
  const RunDescription& description = session.description;
  session.journal.stop();
  if (const auto trouble = session.journal.trouble()) {
    tell(fmt::format("concord: {}; --resume can continue from what was written\n", *trouble));
  }
  const bool written = command.outputs.write(cases, outcome, description, session.standard_output);
  session.quiet.reset();
  if (!command.quiet) {
    print_failures(cases, outcome, description, command.max_failures_shown);
    print_findings(cases, outcome, description, command.verbose);
  }
  print_verdicts(outcome, description, command.outputs.has_journal());
  return written ? exit_code(outcome, description.is_part()) : 2;
}

int run(const RunCommand& command, const Surroundings& surroundings) {
  keep_freed_memory();
  Session session;
  prepare(command, surroundings, session);
  execute(command, session);
  describe_libraries(surroundings, session);
  return publish(command, session);
}

constexpr const char* kFooter =
    "Examples:\n"
    "  concord run --backend onednn --backend xnnpack --out results.json\n"
    "  concord run --backend ./libvendor.so --suite full --dtype bf16 --junit results.xml\n"
    "  concord run --backend xnnpack --dtype f16 --class accumulator=f32\n"
    "  concord run --backend ./libvendor.so --lower --operation CntkConvolution\n"
    "  concord run --backend ./libvendor.so --model net.onnx\n"
    "  concord run --backend onednn --suite nightly --time-budget 28800 --seed 20260131\n"
    "A backend conforms in what it serves if no case of a whole suite fails and enough cases\n"
    "could have failed; for part of a suite the result is only that no selected case fails.\n"
    "Exit codes: 0 every backend conforms, or no selected case fails; 1 one does not conform;\n"
    "2 no verdict: too few cases could have failed, or the time budget ran out before all\n"
    "cases were run (nightly: all cases of smoke).";

// How many cases at a time, and when to end.
void add_limits(CLI::App& sub, RunCommand& command) {
  sub.add_option("--jobs", command.jobs,
                 "cases at a time; default: as many as get --threads cores each")
      ->check(CLI::Range(1, 1024));
  sub.add_option("--time-budget", command.time_budget, "start no new case after this many seconds")
      ->check(seconds_between(0.001, 31536000));
  sub.add_option("--max-hangs", command.max_hangs, "stop testing a backend after this many hangs")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  sub.add_option("--stop-after", command.max_failed,
                 "stop testing a backend after this many failures")
      ->check(CLI::Range(1, 1000000));
}

void add_printing(CLI::App& sub, RunCommand& command) {
  sub.add_option("--max-failures", command.max_failures_shown,
                 "how many failures to print for each backend, as they occur and at the end")
      ->check(CLI::Range(0, 1000000))
      ->capture_default_str();
  auto* verbose = sub.add_flag("--verbose", command.verbose,
                               "print effective bits, counts of outputs and coverings, too");
  sub.add_flag("--quiet", command.quiet, "print the table and the verdicts alone, no progress")
      ->excludes(verbose);
}

void add_files(CLI::App& sub, RunOutputs& outputs) {
  sub.add_option(
      "--out", outputs.out,
      "write results.json to this file and a journal beside it; with - to standard output, and "
      "all messages to standard error");
  sub.add_flag_callback(
         "--json", [&outputs] { outputs.out = "-"; }, "the same as --out -")
      ->excludes("--out");
  sub.add_option("--junit", outputs.junit, "write JUnit XML to this file; - as for --out");
}

void add_resuming(CLI::App& sub, RunCommand& command) {
  sub.add_flag("--resume", command.outputs.resume,
               "continue from the journal beside --out, or begin if there is none; "
               "--resume=strict refuses to begin")
      ->check(CLI::IsMember({"true", "strict"}));
  sub.add_flag("--retry-killed", command.retry_killed,
               "with --resume, start cases again during which two or more runs were killed");
}

}  // namespace

void add_run_command(CLI::App& app, Surroundings& surroundings) {
  auto* sub = app.add_subcommand("run", "Judge backends on a suite of cases");
  sub->footer(kFooter);
  auto command = std::make_shared<RunCommand>();
  command->cases.add_to(*sub, {"exhaustive", "nightly"});
  command->backends.add_to(*sub);
  add_limits(*sub, *command);
  add_printing(*sub, *command);
  add_files(*sub, command->outputs);
  command->shrink.add_to(*sub);
  add_resuming(*sub, *command);
  sub->get_option("--threads")
      ->description(
          "how many threads a backend may use; by default 1 for a suite, whose cases are small, so "
          "that --jobs takes all cores, and 2 for problems of your own");
  sub->callback([command, sub, &surroundings] {
    const bool is_given = sub->count("--threads") > 0 || sub->count("--jobs") > 0;
    if (!command->cases.are_given() && !is_given) command->backends.threads = 1;
    surroundings.exit_code = run(*command, surroundings);
  });
}

}  // namespace concord::conformance
