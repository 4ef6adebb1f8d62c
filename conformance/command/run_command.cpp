// SPDX-License-Identifier: Apache-2.0
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <thread>

#include "conformance/catalog/nightly.h"
#include "conformance/catalog/suite_coverage.h"
#include "conformance/command/build_id.h"
#include "conformance/command/command.h"
#include "conformance/command/freed_memory.h"
#include "conformance/command/nightly_run.h"
#include "conformance/command/shrink_failures.h"
#include "conformance/command/stop_signals.h"
#include "conformance/diagnose/diagnose.h"
#include "conformance/output/progress.h"
#include "conformance/output/results.h"
#include "conformance/output/shrunk_text.h"
#include "conformance/output/standard_streams.h"
#include "conformance/output/summary.h"
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
  int max_failures_shown = 10;
  std::optional<std::string> out{}, junit{};
  ShrinkOptions shrink{};
  bool resume = false;
};

// By default each case has as many cores as its backend has threads: threads that wait for work on
// a core that another case's need make a run several times longer (docs/benchmarking.md).
BoundedJobs jobs_of(const RunCommand& command) {
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  const int wanted = command.jobs.value_or(std::max(1, cores / command.backends.threads));
  return bound_jobs(wanted, command.backends.backends.size(), command.backends.threads,
                    free_resources());
}

RunDescription describe(const RunCommand& command, const std::vector<BackendSpec>& specs, int jobs,
                        const Surroundings& surroundings) {
  RunDescription description;
  description.suite = command.cases.problems.value_or(command.cases.suite);
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

// In the place of a path: standard output.
bool is_dash(const std::optional<std::string>& path) { return path == "-"; }

// Said at the start: a run of minutes must not end without a place for its results.
void check_writable(std::string_view option, const std::optional<std::string>& path) {
  const std::string trouble = path && !is_dash(path) ? why_not_writable(*path) : std::string();
  if (!trouble.empty()) throw UsageError(fmt::format("{}: {}", option, trouble));
}

// Two outputs that come to lie in the same file would each spoil the other.
void check_apart(const RunCommand& command) {
  if (!command.out || !command.junit) return;
  if (is_dash(command.out) && is_dash(command.junit)) {
    throw UsageError("--junit -: --out has standard output");
  }
  if (is_dash(command.out) || is_dash(command.junit)) return;
  const auto whole = [](const std::string& path) {
    return std::filesystem::weakly_canonical(path);
  };
  for (const char* end : {"", ".journal"}) {
    const std::string out = *command.out + end;
    const bool device = std::filesystem::exists(out) && !std::filesystem::is_regular_file(out);
    if (whole(out) != whole(*command.junit) || device) continue;
    throw UsageError(fmt::format("--junit {}: --out writes {}", *command.junit, out));
  }
}

void open_journal(const RunCommand& command, const RunDescription& description, Journal& journal,
                  Journal::Known& known) {
  if (!command.out) {
    if (command.resume) {
      throw UsageError("--resume: the journal lies beside --out, which is missing");
    }
    return;
  }
  if (is_dash(command.out)) {
    if (command.resume) throw UsageError("--resume: standard output has no journal beside it");
    return;
  }
  std::error_code ignored;
  if (std::filesystem::exists(*command.out, ignored) &&
      !std::filesystem::is_regular_file(*command.out, ignored)) {
    if (command.resume) {
      throw UsageError(
          fmt::format("--resume: {} is no file that a journal lies beside", *command.out));
    }
    return;  // beside a device or a pipe there is no place for one
  }
  const std::string path = *command.out + ".journal";
  if (!command.resume) {
    const std::string trouble = journal.start(path, identity(command, description));
    if (!trouble.empty()) throw UsageError("--out: " + trouble);
    return;
  }
  auto resumed = journal.resume(path, identity(command, description));
  if (const auto* trouble = std::get_if<std::string>(&resumed)) {
    throw UsageError("--resume: " + *trouble);
  }
  known = std::get<Journal::Known>(std::move(resumed));
}

void print_failures(const std::vector<Case>& cases, const RunOutcome& outcome,
                    const RunDescription& description, int most) {
  for (const BackendRun& backend : outcome.backends) {
    const Counts counts = count(backend);
    const auto failed = static_cast<int>(counts.failed() + counts.of(Verdict::kHarnessError));
    int shown = 0;
    for (std::size_t i = 0; i < backend.results.size() && shown < most; ++i) {
      const auto& result = backend.results[i];
      if (!result || !(is_failure(result->verdict) || result->verdict == Verdict::kHarnessError)) {
        continue;
      }
      ++shown;
      fmt::print(
          "{}: {}", backend.spec.text,
          describe_failure(cases[i], *result, replay_command(cases[i], backend.spec, description)));
    }
    if (failed > shown) {
      fmt::print("{}: {} more (--max-failures shows more; --out has all)\n", backend.spec.text,
                 failed - shown);
    }
    for (const Shrunk& shrunk : backend.shrunk) {
      fmt::print("{}: smallest for {}\n{}", backend.spec.text, cases[shrunk.of].id,
                 describe_shrunk(shrunk, backend.spec, description));
    }
  }
}

std::optional<Covering> describe_covering(const std::vector<Case>& cases) {
  const Coverage covered = coverage_of(cases);
  if (covered.pairs == 0) return std::nullopt;
  return Covering{covered.pairs, kPossible.pairs, covered.triples, kPossible.triples};
}

// What a user's own problem leaves open, said once of each.
void tell_open_questions(const std::vector<Case>& cases) {
  for (const Case& each : cases) {
    if (each.fill != Fill::kIntegers) continue;
    const auto open = reference::open_question(each.problem);
    if (!open) continue;
    tell(
        fmt::format("concord: {}: the documents leave open whether it is refused, so neither is "
                    "judged: {}\n",
                    each.id, open->why));
  }
}

// What the cases cover that passed or failed.
std::optional<Covering> describe_judged(const std::vector<Case>& cases, const BackendRun& backend) {
  std::vector<Case> judged;
  for (std::size_t i = 0; i < backend.results.size(); ++i) {
    const auto& result = backend.results[i];
    if (result && (result->verdict == Verdict::kPass || is_failure(result->verdict))) {
      judged.push_back(cases[i]);
    }
  }
  Coverage covered = coverage_of(judged);
  return Covering{covered.pairs, kPossible.pairs, covered.triples, kPossible.triples};
}

// As long as half of the run, but neither so short that nothing is found nor so long as to annoy.
NeighbourOptions neighbour_options(const RunOptions& options, const RunOutcome& outcome) {
  const double seconds = std::clamp(outcome.seconds / 2, 3.0, 30.0);
  return {.examine = options.examine,
          .host = options.host,
          .budget = std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000))};
}

int run(const RunCommand& command, const Surroundings& surroundings) {
  keep_freed_memory();
  const auto specs = command.backends.specs(surroundings);
  RunOptions options;
  options.examine = command.backends.examine_options();
  options.host = command.backends.host_options(surroundings);
  const BoundedJobs bounded = jobs_of(command);
  if (!bounded.why.empty()) tell(fmt::format("concord: {}\n", bounded.why));
  options.jobs = bounded.jobs;
  options.max_hangs = command.max_hangs;
  options.max_failed = command.max_failed;
  if (command.time_budget) {
    options.time_budget =
        std::chrono::milliseconds(static_cast<std::int64_t>(*command.time_budget * 1000));
  }
  const bool endless = command.cases.suite == "nightly" && !command.cases.problems;
  if (endless && !command.time_budget) {
    throw UsageError("--suite nightly has no end: it needs a --time-budget");
  }
  Nightly nightly(command.cases.seed);
  const auto next_batch = [&] { return command.cases.narrow(nightly.next()); };
  std::vector<Case> cases;
  if (!endless) cases = command.cases.select();
  if (!endless && cases.empty()) throw UsageError("no case matches " + command.cases.scope());
  check_apart(command);
  check_writable("--out", command.out);
  check_writable("--junit", command.junit);
  RunDescription description = describe(command, specs, options.jobs, surroundings);
  Journal journal;
  Journal::Known known;
  open_journal(command, description, journal, known);

  TakenStandardOutput results;
  if (is_dash(command.out) || is_dash(command.junit)) results.take();
  if (command.cases.problems) tell_open_questions(cases);
  const std::atomic<bool>& stop = stop_on_signals();
  options.host.stop = &stop;
  std::optional<WriteErrorsAreNoSignals> quiet(std::in_place);
  ProgressBar bar;
  const auto show = [&](const Progress& progress) { bar.show(progress); };
  RunOutcome outcome =
      endless ? run_nightly(next_batch, specs, options, journal, known, stop, show, cases)
              : run_cases(cases, specs, options, journal, known, stop, show);
  bar.finish();
  description.covering = describe_covering(endless ? cases : command.cases.select(true));
  for (const BackendRun& backend : outcome.backends) {
    description.judged_covering.push_back(description.covering && backend.error.empty()
                                              ? describe_judged(cases, backend)
                                              : std::nullopt);
  }
  shrink_failures(command.shrink, cases, options, description, stop, outcome);
  for (BackendRun& backend : outcome.backends) {
    backend.diagnosis = diagnose(cases, backend.results, backend.shrunk);
    backend.neighbours = find_neighbours(cases, backend, neighbour_options(options, outcome), stop);
  }

  int code = exit_code(cases, outcome, description.is_part());
  // Before anything is printed, since a reader that has seen enough ends us with SIGPIPE.
  if (const auto trouble = journal.trouble(); !trouble.empty()) {
    tell(fmt::format("concord: {}; --resume could go on from what it has\n", trouble));
  }
  const auto write = [&](const std::optional<std::string>& path, auto make_text) {
    if (!path) return;
    const std::string trouble =
        is_dash(path) ? results.write(make_text()) : write_file(*path, make_text());
    if (trouble.empty()) return;
    tell(fmt::format("concord: {}\n", trouble));
    code = 2;
  };
  write(command.out, [&] {
    return results_json(cases, outcome, description)
               .dump(1, ' ', false, Json::error_handler_t::replace) +
           "\n";
  });
  write(command.junit, [&] { return junit_xml(cases, outcome, description); });
  quiet.reset();
  print_failures(cases, outcome, description, command.max_failures_shown);
  fmt::print("{}{}{}{}", statistics_text(outcome), outputs_text(cases, outcome),
             covering_text(outcome, description), table(cases, outcome, description.is_part()));
  if (!outcome.complete) {
    fmt::print("stopped before the end; {}\n", command.out && !is_dash(command.out)
                                                   ? "--resume goes on from the journal"
                                                   : "with --out FILE it could be resumed");
  }
  for (const BackendRun& backend : outcome.backends) {
    if (backend.diagnosis) {
      fmt::print("{} {}\n", backend.spec.text, backend.diagnosis->sentence);
    }
    for (const Neighbour& neighbour : backend.neighbours) {
      fmt::print("{} {}\n", backend.spec.text, describe(neighbour));
    }
    fmt::print("{}\n", headline(cases, backend, description));
  }
  return code;
}

}  // namespace

void add_run_command(CLI::App& app, Surroundings& surroundings) {
  auto* sub = app.add_subcommand("run", "Judge backends on a suite of cases");
  sub->footer(
      "Examples:\n"
      "  concord run --backend onednn --backend xnnpack --out results.json\n"
      "  concord run --backend ./libvendor.so --suite full --dtype bf16 --junit results.xml\n"
      "  concord run --backend xnnpack --dtype f16 --class accumulator=f32\n"
      "  concord run --backend ./libvendor.so --lower --operation CntkConvolution\n"
      "  concord run --backend onednn --suite nightly --time-budget 28800 --seed 20260131\n"
      "A backend conforms in what it serves if nothing of a whole suite fails and the cases could\n"
      "have failed; of a part of a suite it is only said that nothing selected fails.\n"
      "Exit codes: 0 every backend conforms, or nothing selected fails, 1 one does not conform,\n"
      "2 no verdict: too little could have failed, or the time budget was over before every case\n"
      "had its turn (of nightly: every case of smoke).");
  auto command = std::make_shared<RunCommand>();
  command->cases.add_to(*sub, true);
  command->backends.add_to(*sub);
  sub->add_option("--jobs", command->jobs,
                  "cases at a time; by default as many as have --threads cores each")
      ->check(CLI::Range(1, 1024));
  sub->add_option("--time-budget", command->time_budget,
                  "stop starting cases after so many seconds")
      ->check(seconds_between(0.001, 31536000));
  sub->add_option("--max-hangs", command->max_hangs, "give a backend up after so many hangs")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  sub->add_option("--stop-after", command->max_failed, "give a backend up after so many failures")
      ->check(CLI::Range(1, 1000000));
  sub->add_option("--max-failures", command->max_failures_shown,
                  "how many failures to print for each backend")
      ->check(CLI::Range(0, 1000000))
      ->capture_default_str();
  sub->add_option(
      "--out", command->out,
      "write results.json here, a journal beside it; - is standard output, and all else "
      "then goes to standard error");
  sub->add_option("--junit", command->junit, "write JUnit XML here; - as of --out");
  command->shrink.add_to(*sub);
  sub->add_flag("--resume", command->resume, "go on from the journal beside --out");
  sub->callback([command, &surroundings] { surroundings.exit_code = run(*command, surroundings); });
}

}  // namespace concord::conformance
