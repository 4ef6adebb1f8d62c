// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>

#include "conformance/command/command.h"
#include "conformance/command/shrink_failures.h"
#include "conformance/output/shrunk_text.h"
#include "conformance/output/summary.h"
#include "conformance/run/room.h"
#include "conformance/shrink/shrink.h"

namespace concord::conformance {
namespace {

struct ShrinkCommand {
  BackendOptions backends{};
  DataOptions data{};
  std::string line{};
  int budget = 1000;
  double seconds = 600;
  std::optional<std::string> program{};
};

int shrink_one(const ShrinkCommand& command, const Surroundings& surroundings) {
  const auto specs = command.backends.specs(surroundings);
  if (specs.size() != 1) throw UsageError("shrink: takes one --backend");
  const Case source = command.data.case_of(command.line);
  TrialOptions options{
      .backend = specs.front(),
      .host = command.backends.host_options(surroundings),
      .examine = command.backends.examine_options(),
      .budget = command.budget,
      .time_limit = std::chrono::milliseconds(static_cast<std::int64_t>(command.seconds * 1000))};
  Host host(options.backend, options.host);
  const auto started = host.start();
  if (const auto* failure = find_failure<LoadFailure>(started)) throw UsageError(failure->detail);
  PreparedCase prepared(source);
  const CaseResult result = examine(prepared, host, options.examine);
  host.stop();
  if (!is_failure(result.verdict)) {
    fmt::print("{}: {}, nothing to shrink\n", options.backend.text, to_string(result.verdict));
    return result.verdict == Verdict::kPass ? 0 : 2;
  }
  if (is_huge(source.problem)) {
    fmt::print("{}: {}\n  reason   {}\n  a problem of such large tensors is not shrunk\n",
               options.backend.text, to_string(result.verdict), result.reason);
    return 1;
  }
  Shrunk shrunk = shrink(source, result, options);
  if (shrunk.fails_again && command.program) {
    const auto trouble = write_program(shrunk, options, *command.program);
    if (trouble) throw UsageError("--program: " + *trouble);
  }
  RunDescription description;
  command.backends.describe(description);
  fmt::print("{}: {}\n{}", options.backend.text, to_string(result.verdict),
             describe_shrunk(shrunk, options.backend, description));
  return 1;
}

}  // namespace

void add_shrink_command(CLI::App& app, Surroundings& surroundings) {
  auto* sub = app.add_subcommand("shrink", "Find the smallest problem that still fails");
  sub->footer(
      "Examples:\n"
      "  concord shrink --backend faulty:kernel_flip --program flip.c 'Convolution f32 "
      "src=1x4x9x10 weights=6x4x3x3 data_format=NCX weights_format=OIX'\n"
      "Exit codes: 0 the problem does not fail, 1 it does, 2 no verdict.");
  auto command = std::make_shared<ShrinkCommand>();
  command->backends.add_to(*sub);
  command->data.add_to(*sub);
  sub->add_option("--budget", command->budget,
                  "approximate number of trials; large problems and lost processes count more")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  sub->add_option("--time-limit", command->seconds, "start no trial after this many seconds")
      ->check(seconds_between(0.001, 86400))
      ->capture_default_str();
  sub->add_option("--program", command->program,
                  "write a stand-alone C program that shows the failure to this file");
  sub->add_option("problem", command->line, "a failing problem on one line, quoted")->required();
  sub->callback(
      [command, &surroundings] { surroundings.exit_code = shrink_one(*command, surroundings); });
}

}  // namespace concord::conformance
