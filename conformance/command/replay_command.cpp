// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

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
};

void print_result(const BackendSpec& spec, const Case& source, const CaseResult& result,
                  const std::string& replay) {
  fmt::print("{}: {}", spec.text, describe_failure(source, result, replay));
  if (!result.arithmetic.empty()) fmt::print("  class    {}\n", result.arithmetic);
  if (!result.implementation.empty()) fmt::print("  ran      {}\n", result.implementation);
  if (!result.adapter_part.empty()) fmt::print("  adapter  {}\n", result.adapter_part);
  if (result.verdict == Verdict::kPass && result.tier == Tier::kStatus) {
    const bool open = !result.reason.empty();  // which is printed above
    fmt::print("  judged   {}\n", open ? "the answer to query alone"
                                       : "the problem is invalid, and the backend refuses it");
  }
  if (result.elements > 0) {
    fmt::print("  judged   {} elements in the {} tier", result.elements, to_string(result.tier));
    if (result.margin) fmt::print(", worst {:.3g} of what is allowed", *result.margin);
    fmt::print("\n");
  }
}

int replay(const ReplayCommand& command, const Surroundings& surroundings) {
  Case source = command.data.case_of(command.line);
  source.id = "replay";
  PreparedCase prepared(source);
  RunOutcome outcome;
  for (const BackendSpec& spec : command.backends.specs(surroundings)) {
    Host host(spec, command.backends.host_options(surroundings));
    BackendRun backend;
    backend.spec = spec;
    const auto started = host.start();
    if (const auto* failure = std::get_if<LoadFailure>(&started)) {
      backend.error = failure->detail;
      tell(fmt::format("concord: {}\n", failure->detail));
    } else {
      backend.results.emplace_back(examine(prepared, host, command.backends.examine_options()));
      print_result(spec, source, *backend.results.front(), "this command");
    }
    outcome.backends.push_back(std::move(backend));
  }
  return exit_code({source}, outcome, true);
}

}  // namespace

void add_replay_command(CLI::App& app, Surroundings& surroundings) {
  auto* sub = app.add_subcommand("replay", "Judge backends on one problem line");
  sub->footer(
      "Example:\n"
      "  concord replay --backend onednn --fill uniform --seed 7 \\\n"
      "    'Convolution f32 src=1x3x9x10 weights=4x3x3x2 data_format=NCX weights_format=OIX'\n"
      "Exit codes: 0 passed, 1 failed, 2 no verdict (also: declined, vacuous).");
  auto command = std::make_shared<ReplayCommand>();
  command->backends.add_to(*sub);
  command->data.add_to(*sub);
  sub->add_option("problem", command->line, "the problem line")->required();
  sub->callback(
      [command, &surroundings] { surroundings.exit_code = replay(*command, surroundings); });
}

}  // namespace concord::conformance
