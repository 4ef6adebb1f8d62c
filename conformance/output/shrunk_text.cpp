// SPDX-License-Identifier: Apache-2.0
#include "conformance/output/shrunk_text.h"

#include <fmt/format.h>

#include "conformance/record/failure_text.h"
#include "conformance/run/given_data.h"

namespace concord::conformance {
namespace {

Inputs given_data(const Shrunk& shrunk) {
  const Recorded& recorded = *shrunk.smallest.recorded;
  return {recorded.src, recorded.weights, recorded.bias, recorded.diff_dst};
}

std::string setup_text(const TrialSetup& setup) {
  if (setup.warmed) return "only after the same problem with other data in the same process";
  if (!setup.before.empty()) {
    return setup.before.size() == 1
               ? "only after another case in the same process: " + after_text(setup.before.front())
               : fmt::format("only after {} other cases in the same process", setup.before.size());
  }
  if (setup.attempts > 1) {
    return fmt::format("intermittently: tried up to {} times", setup.attempts);
  }
  return {};
}

}  // namespace

std::string after_text(const Case& source) {
  const std::string problem = print(source.problem);
  if (source.recorded == nullptr) {
    return fmt::format("{} {} {}", to_string(source.fill), source.seed, problem);
  }
  const Recorded& r = *source.recorded;
  return print_data(source.problem, {r.src, r.weights, r.bias, r.diff_dst}) + " " + problem;
}

std::vector<std::string> after_texts(const Shrunk& shrunk) {
  std::vector<std::string> texts;
  if (shrunk.setup.warmed) texts.push_back(after_text(warm_up_of(shrunk.smallest)));
  for (const Case& before : shrunk.setup.before) texts.push_back(after_text(before));
  return texts;
}

std::string data_text(const Shrunk& shrunk) {
  if (shrunk.has_given_data) return print_data(shrunk.smallest.problem, given_data(shrunk));
  return fmt::format("{}, seed {}", to_string(shrunk.smallest.fill), shrunk.smallest.seed);
}

std::string replay_command(const Shrunk& shrunk, const BackendSpec& backend,
                           const RunDescription& description) {
  const Case& smallest = shrunk.smallest;
  const bool is_recorded = smallest.recorded != nullptr;
  // A golden case, whose wanted values are another system's.
  if (is_recorded && !shrunk.has_given_data) return replay_command(smallest, backend, description);
  std::string command = replay_command_of(backend, description);
  for (const std::string& text : after_texts(shrunk)) command += " --after " + shell_quoted(text);
  if (shrunk.setup.attempts > 1) command += fmt::format(" --attempts {}", shrunk.setup.attempts);
  command += is_recorded
                 ? " --data " + shell_quoted(data_text(shrunk))
                 : fmt::format(" --fill {} --seed {}", to_string(smallest.fill), smallest.seed);
  return command + " " + shell_quoted(print(smallest.problem));
}

std::string describe_shrunk(const Shrunk& shrunk, const BackendSpec& backend,
                            const RunDescription& description) {
  const std::string limit = shrunk.limit.empty() ? "" : ", until " + shrunk.limit;
  if (!shrunk.fails_again) {
    if (shrunk.trials == 0) return fmt::format("  not tried again: {}\n", shrunk.limit);
    return fmt::format("  the case does not fail again: {} ({} trials{})\n", shrunk.tried,
                       shrunk.trials, limit);
  }
  std::string text = fmt::format("  shrunk   {}, {} trials{}\n  problem  {}\n  data     {}\n",
                                 to_string(shrunk.result.tier), shrunk.trials, limit,
                                 print(shrunk.smallest.problem), data_text(shrunk));
  const std::string setup = setup_text(shrunk.setup);
  if (!setup.empty()) text += fmt::format("  fails    {}\n", setup);
  if (!shrunk.result.reason.empty()) text += fmt::format("  reason   {}\n", shrunk.result.reason);
  if (const auto& f = shrunk.result.failure) {
    text += fmt::format("  element  {}\n", element_text(*f));
  }
  for (const std::string& tap : shrunk.taps) text += "    " + tap + "\n";
  if (!shrunk.program.empty()) text += fmt::format("  program  {}\n", shrunk.program);
  return text + fmt::format("  replay   {}\n", replay_command(shrunk, backend, description));
}

}  // namespace concord::conformance
