// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>

#include "conformance/command/command.h"
#include "conformance/command/geometry_text.h"

namespace concord::conformance {
namespace {

struct ShowCommand {
  std::string line{};
  bool plan = false;
  BackendOptions backends{.backends = {"optimized"}};
};

// What came of a request to the backend's process; throws where there was no answer.
template <class Reply>
Reply answer_of(Result<Reply, HostFailure> asked) {
  if (asked) return *std::move(asked);
  if (const auto* failure = find_failure<WorkerFailure>(asked)) {
    throw UsageError(fmt::format("{}: {}", to_string(failure->stage), failure->detail));
  }
  throw UsageError(describe(asked.why()));
}

// The plan of one backend, or why it has none.
std::string plan_text(Problem problem, const BackendSpec& spec, const HostOptions& options,
                      int threads) {
  Host host(spec, options);
  const auto served = answer_of(host.query(problem));
  if (served.status != CONCORD_OK) {
    return fmt::format("{} does not serve it: {}\n", spec.text, served.reason);
  }
  if (!problem.dst) problem.dst = Tensor{served.dst_dims, {}};
  const auto plan = answer_of(host.describe_plan(problem, threads));
  if (plan.status == CONCORD_OK) return fmt::format("plan of {}:\n{}", spec.text, plan.text);
  if (plan.status != CONCORD_UNSUPPORTED || !plan.text.empty()) {
    return fmt::format("{} could not describe its plan: {}\n", spec.text, plan.text);
  }
  return fmt::format("{} has no plan to show{}\n", spec.text,
                     served.implementation.empty() ? "" : "; it runs " + served.implementation);
}

int show(const ShowCommand& command, const Surroundings& surroundings) {
  const Problem parsed = read_problem(command.line);
  Problem problem = parsed;
  fmt::print("{}\n", print(problem));
  problem.reading = Reading::kImplemented;
  const std::string implemented = describe_geometry(problem);
  problem.reading = Reading::kDocumented;
  const std::string documented = describe_geometry(problem);
  if (implemented == documented) {
    fmt::print("as documented and as implemented:\n{}", implemented);
  } else {
    fmt::print("as implemented:\n{}as documented (the readings differ):\n{}", implemented,
               documented);
  }
  problem.reading = Reading::kFirstVersion;
  if (has_reading(problem.operation(), problem.reading)) {
    fmt::print("as the first version implemented it:\n{}", describe_geometry(problem));
  }
  problem.reading = Reading::kImplemented;
  fmt::print("{}", describe_latitude(problem));
  if (!command.plan) return 0;
  for (const BackendSpec& spec : command.backends.specs(surroundings)) {
    fmt::print("{}", plan_text(parsed, spec, command.backends.host_options(surroundings),
                               command.backends.threads));
  }
  return 0;
}

}  // namespace

void add_show_command(CLI::App& app, Surroundings& surroundings) {
  auto* sub = app.add_subcommand("show", "Show the resolved geometry of a problem line");
  sub->footer(
      "Examples:\n"
      "  concord show 'Convolution1 f32 src=1x5x5x1 weights=3x3x1x8 strides=2,2 "
      "auto_pad=same_upper'\n"
      "  concord show --plan --threads 1 'Convolution f32 src=1x56x56x64 weights=3x3x64x64 "
      "pads_begin=1,1 pads_end=1,1'");
  auto command = std::make_shared<ShowCommand>();
  sub->add_option("problem", command->line, "the problem line")->required();
  sub->add_flag("--plan", command->plan, "show how backends would compute it");
  sub->add_option("--backend", command->backends.backends, "whose plan (repeatable)")
      ->capture_default_str();
  sub->add_option("--threads", command->backends.threads, "how many threads the plan is for")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  sub->callback(
      [command, &surroundings] { surroundings.exit_code = show(*command, surroundings); });
}

}  // namespace concord::conformance
