// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "conformance/command/command.h"
#include "conformance/output/standard_streams.h"
#include "conformance/output/summary.h"
#include "conformance/run/examine.h"

namespace concord::conformance {
namespace {

struct ReplayCommand {
  BackendOptions backends{};
  DataOptions data{};
  std::string line{};
  std::vector<std::string> after{};
  int attempts = 1;
};

// What stands before the next blank of `text`, which is taken off with it.
std::string take_word(std::string& text) {
  const std::size_t end = std::min(text.find(' '), text.size());
  std::string word = text.substr(0, end);
  text.erase(0, std::min(end + 1, text.size()));
  return word;
}

// "integers 7 PROBLEM" or "DATA PROBLEM": the case that --after states.
Case case_before(std::string text) {
  const std::string stated = text;
  DataOptions data;
  std::string word = take_word(text);
  if (word.find('=') != std::string::npos) {
    data.data = std::move(word);
  } else {
    data.fill = std::move(word);
    std::string seed = take_word(text);
    const std::string trouble = whole_number()(seed);
    if (!trouble.empty()) throw UsageError(fmt::format("--after '{}': seed: {}", stated, trouble));
    data.seed = std::stoull(seed);
  }
  try {
    return data.case_of(text);
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("--after '{}': {}", stated, error.what()));
  }
}

void print_result(const BackendSpec& spec, const Case& source, const CaseResult& result,
                  const std::string& replay) {
  fmt::print("{}: {}", spec.text, describe_failure(source, result, replay));
  if (!result.arithmetic.empty()) fmt::print("  class    {}\n", result.arithmetic);
  if (!result.implementation.empty()) fmt::print("  ran      {}\n", result.implementation);
  if (!result.adapter_part.empty()) fmt::print("  adapter  {}\n", result.adapter_part);
  if (result.verdict == Verdict::kPass && result.tier == Tier::kStatus) {
    const bool open = !result.reason.empty();  // which is printed above
    fmt::print("  judged   {}\n", open ? "the answer to query alone"
                                       : "the problem is invalid, and the backend refused it");
  }
  if (result.elements > 0) {
    fmt::print("  judged   {} elements in the {} tier", result.elements, to_string(result.tier));
    if (result.margin) fmt::print(", worst error {:.3g} of the allowed one", *result.margin);
    fmt::print("\n");
    if (result.resolution) {
      fmt::print("  sees     relative errors from about {:.2g} on\n", *result.resolution);
    }
  }
}

// The result of `source` right after the cases of `before` in the same process; the first failure
// of so many attempts, or the last result.
CaseResult examine_after(const std::vector<Case>& before, PreparedCase& source, int attempts,
                         Host& host, const ExamineOptions& options) {
  CaseResult result;
  for (int i = 0; i < attempts && !is_failure(result.verdict); ++i) {
    if (!before.empty()) host.stop();
    for (const Case& each : before) {
      PreparedCase prepared(each);
      examine(prepared, host, options);
    }
    result = examine(source, host, options);
  }
  return result;
}

int replay(const ReplayCommand& command, const Surroundings& surroundings) {
  Case source = command.data.case_of(command.line);
  source.id = "replay";
  const CaseList cases(std::vector<Case>{source});
  PreparedCase prepared(source);
  std::vector<Case> before;
  for (const std::string& text : command.after) before.push_back(case_before(text));
  const ExamineOptions options = command.backends.examine_options();
  RunOutcome outcome;
  for (const BackendSpec& spec : command.backends.specs(surroundings)) {
    Host host(spec, command.backends.host_options(surroundings));
    BackendRun backend;
    backend.spec = spec;
    const auto started = host.start();
    if (const auto* failure = find_failure<LoadFailure>(started)) {
      backend.error = failure->detail;
      tell(fmt::format("concord: {}\n", failure->detail));
    } else {
      const CaseResult result = examine_after(before, prepared, command.attempts, host, options);
      print_result(spec, source, result, "this command");
      backend.results.emplace_back(result);
      backend.listed = tallies_of(cases, backend.results);
    }
    outcome.backends.push_back(std::move(backend));
  }
  return exit_code(outcome, true);
}

}  // namespace

void add_replay_command(CLI::App& app, Surroundings& surroundings) {
  auto* sub = app.add_subcommand("replay", "Judge backends on one problem line");
  sub->footer(
      "Example:\n"
      "  concord replay --backend onednn --fill uniform --seed 7 \\\n"
      "    'Convolution f32 src=1x3x9x10 weights=4x3x3x2 data_format=NCX weights_format=OIX'\n"
      "  concord replay --backend ./libvendor.so --after 'integers 3 Convolution f32 ...' \\\n"
      "    'Convolution f32 src=1x3x9x10 weights=4x3x3x2'\n"
      "Exit codes: 0 passed, 1 failed, 2 no verdict (also: declined, vacuous).");
  auto command = std::make_shared<ReplayCommand>();
  command->backends.add_to(*sub);
  command->data.add_to(*sub);
  sub->add_option("--after", command->after,
                  "first run this in the same process: 'FILL SEED PROBLEM' or 'DATA PROBLEM', with "
                  "DATA as for --data (repeatable, in this order)")
      ->allow_extra_args(false);
  sub->add_option("--attempts", command->attempts,
                  "try up to this many times until it fails, for intermittent failures")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  sub->add_option("problem", command->line, "the problem line")->required();
  sub->callback(
      [command, &surroundings] { surroundings.exit_code = replay(*command, surroundings); });
}

}  // namespace concord::conformance
