// SPDX-License-Identifier: Apache-2.0
#include "conformance/command/shrink_failures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>
#include <utility>

#include "conformance/command/command.h"
#include "conformance/output/results.h"
#include "conformance/output/shrunk_text.h"
#include "conformance/output/standard_streams.h"
#include "conformance/run/room.h"
#include "conformance/shrink/program.h"
#include "conformance/shrink/shrink.h"

namespace concord::conformance {
namespace {

namespace fs = std::filesystem;

// The places of failures: the cheapest of each verdict and tier, then all others, the cheapest
// first. Trials hold whole tensors, which no memory does of huge ones.
std::vector<std::size_t> in_order(const CaseList& cases, const BackendRun& backend) {
  std::vector<std::pair<double, std::size_t>> by_cost;
  for (std::size_t i = 0; i < backend.results.size(); ++i) {
    const auto& result = backend.results[i];
    if (!result || !is_failure(result->verdict) || is_huge(cases[i].problem)) continue;
    const auto geometry = reference::resolve(cases[i].problem);
    const double cost = geometry
                            ? static_cast<double>(element_count(geometry->dst.dims).value_or(0)) *
                                  static_cast<double>(geometry->products)
                            : 0;
    by_cost.emplace_back(cost, i);
  }
  std::sort(by_cost.begin(), by_cost.end());
  std::set<std::pair<Verdict, Tier>> seen;
  std::vector<std::size_t> first, others;
  for (const auto& [cost, i] : by_cost) {
    const CaseResult& result = *backend.results[i];
    const bool is_new = seen.emplace(result.verdict, result.tier).second;
    (is_new ? first : others).push_back(i);
  }
  first.insert(first.end(), others.begin(), others.end());
  return first;
}

// The cases that the process of case `i` had before it, the last one last.
std::vector<Case> predecessors_of(const CaseList& cases, const BackendRun& backend, std::size_t i) {
  std::vector<Case> before;
  while (before.size() < kMostPredecessors && i < backend.previous.size() && backend.previous[i]) {
    i = *backend.previous[i];
    before.push_back(cases[i]);
  }
  std::reverse(before.begin(), before.end());
  return before;
}

// A file's name: whatever is neither letter nor digit becomes an underscore.
std::string file_stem(const BackendSpec& backend, const std::string& id) {
  std::string name = backend.text + "_" + id;
  std::replace_if(
      name.begin(), name.end(),
      [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
}

// A shell script that replays the smallest case from the folder that the run was started in.
std::string script_of(const Shrunk& shrunk, const BackendSpec& backend,
                      const RunDescription& description) {
  std::error_code ignored;
  return fmt::format(
      "#!/bin/sh\n"
      "# Replays a failure that concord run found and shrank.\n"
      "# Exit codes: 0 it no longer fails, 1 it fails, 2 it could not be tried.\n"
      "cd {} || exit 2\nexec {}\n",
      shell_quoted(fs::current_path(ignored).string()),
      replay_command(shrunk, backend, description));
}

// Adds the C program, or the script where there can be none; then the result is why.
std::optional<std::string> add_source(Shrunk& shrunk, const std::string& id,
                                      const TrialOptions& options,
                                      const RunDescription& description) {
  const std::string stem = file_stem(options.backend, id);
  const auto program = program_of(shrunk, options);
  shrunk.source = program
                      ? SourceFile{stem + ".c", *program}
                      : SourceFile{stem + ".sh", script_of(shrunk, options.backend, description)};
  if (program) return std::nullopt;
  return program.why().detail;
}

// Writes what --programs asks for, and tells what there is not. `why`: why there is no C program.
void write_to_folder(const fs::path& folder, const std::string& what,
                     const std::optional<std::string>& why, Shrunk& shrunk) {
  std::string said;
  if (!shrunk.fails_again) {
    said = "does not fail when run alone, so no program was written";
  } else {
    const std::string path = (folder / shrunk.source.name).string();
    if (const auto trouble = write_file(path, shrunk.source.text)) {
      said = *trouble;
    } else {
      shrunk.program = path;
      if (why) said = fmt::format("no C program ({}); {} replays it", *why, path);
    }
  }
  if (!said.empty()) tell(fmt::format("concord: --programs: {}: {}\n", what, said));
}

}  // namespace

void ShrinkOptions::add_to(CLI::App& command) {
  command.add_option("--shrink", count, "how many failures of each backend to shrink")
      ->check(CLI::Range(0, 1000000))
      ->capture_default_str();
  command.add_option("--shrink-budget", budget, "approximate number of trials for each failure")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  command.add_option("--shrink-time", seconds, "time limit for each failure, in seconds")
      ->check(seconds_between(0.001, 86400))
      ->capture_default_str();
  command
      .add_option(
          "--programs", programs,
          "write a stand-alone C program for each into this folder; for an exec: backend, a "
          "shell script that replays it")
      ->check(CLI::ExistingDirectory);
}

std::optional<std::string> write_program(Shrunk& shrunk, const TrialOptions& options,
                                         const std::string& path) {
  const auto program = program_of(shrunk, options);
  if (!program) return program.why().detail;
  auto trouble = write_file(path, *program);
  if (!trouble) shrunk.program = path;
  return trouble;
}

void shrink_failures(const ShrinkOptions& shrink, const CaseList& cases, const RunOptions& options,
                     const RunDescription& description, const std::atomic<bool>& stop,
                     RunOutcome& outcome) {
  for (BackendRun& backend : outcome.backends) {
    TrialOptions trial{.backend = backend.spec,
                       .host = options.host,
                       .examine = options.examine,
                       .budget = shrink.budget,
                       .time_limit = shrink.time_limit(),
                       .stop = &stop};
    for (const std::size_t i : in_order(cases, backend)) {
      if (stop || backend.shrunk.size() == static_cast<std::size_t>(shrink.count)) break;
      trial.predecessors = predecessors_of(cases, backend, i);
      Shrunk shrunk = conformance::shrink(cases[i], *backend.results[i], trial);
      if (stop) break;  // cut short, it would say what is not so
      shrunk.of = i;
      std::optional<std::string> why;
      if (shrunk.fails_again) why = add_source(shrunk, cases[i].id, trial, description);
      if (shrink.programs) {
        const std::string what = fmt::format("{}, {}", backend.spec.text, cases[i].id);
        write_to_folder(*shrink.programs, what, why, shrunk);
      }
      backend.shrunk.push_back(std::move(shrunk));
    }
  }
}

}  // namespace concord::conformance
