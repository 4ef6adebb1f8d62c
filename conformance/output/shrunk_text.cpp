// SPDX-License-Identifier: Apache-2.0
#include "conformance/output/shrunk_text.h"

#include <fmt/format.h>

#include "conformance/run/failure_text.h"
#include "conformance/run/given_data.h"

namespace concord::conformance {
namespace {

Inputs given_data(const Shrunk& shrunk) {
  const Recorded& recorded = *shrunk.smallest.recorded;
  return {recorded.src, recorded.weights, recorded.bias, recorded.diff_dst};
}

std::string manner_text(const Manner& manner) {
  if (manner.warmed) return "only after a case with other data in the same process";
  if (manner.attempts > 1) {
    return fmt::format("now and then: tried up to {} times", manner.attempts);
  }
  return {};
}

}  // namespace

std::string data_text(const Shrunk& shrunk) {
  if (shrunk.has_given_data) return print_data(shrunk.smallest.problem, given_data(shrunk));
  return fmt::format("{}, seed {}", to_string(shrunk.smallest.fill), shrunk.smallest.seed);
}

std::string replay_command(const Shrunk& shrunk, const BackendSpec& backend,
                           const RunDescription& description) {
  if (!shrunk.has_given_data) return replay_command(shrunk.smallest, backend, description);
  return replay_command_of(backend, description) + " --data " +
         shell_quoted(print_data(shrunk.smallest.problem, given_data(shrunk))) + " " +
         shell_quoted(print(shrunk.smallest.problem));
}

std::string describe_shrunk(const Shrunk& shrunk, const BackendSpec& backend,
                            const RunDescription& description) {
  if (!shrunk.fails_again) {
    return fmt::format("  tried by itself, {} times, the case does not fail again\n",
                       shrunk.trials);
  }
  std::string text = fmt::format("  shrunk   {}, {} trials{}\n  problem  {}\n  data     {}\n",
                                 to_string(shrunk.result.tier), shrunk.trials,
                                 shrunk.exhausted ? ", as many as the budget allows" : "",
                                 print(shrunk.smallest.problem), data_text(shrunk));
  const std::string manner = manner_text(shrunk.manner);
  if (!manner.empty()) text += fmt::format("  fails    {}\n", manner);
  if (!shrunk.result.reason.empty()) text += fmt::format("  reason   {}\n", shrunk.result.reason);
  if (const auto& f = shrunk.result.failure) {
    text += fmt::format("  element  {}\n", element_text(*f));
  }
  for (const std::string& tap : shrunk.taps) text += "    " + tap + "\n";
  if (!shrunk.program.empty()) text += fmt::format("  program  {}\n", shrunk.program);
  return text + fmt::format("  replay   {}\n", replay_command(shrunk, backend, description));
}

}  // namespace concord::conformance
