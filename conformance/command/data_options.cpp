// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "conformance/command/command.h"
#include "conformance/fill/fill.h"
#include "conformance/run/given_data.h"

namespace concord::conformance {

std::vector<std::string_view> fill_names() {
  std::vector<std::string_view> names;
  for (const Fill fill : kFills) names.push_back(to_string(fill));
  return names;
}

Fill parse_fill(const std::string& text) {
  for (const Fill fill : kFills) {
    if (text == to_string(fill)) return fill;
  }
  throw UsageError(fmt::format("--fill {}: no such fill", text));
}

void DataOptions::add_to(CLI::App& command) {
  command.add_option("--fill", fill, fmt::format("{}", fmt::join(fill_names(), ", ")))
      ->capture_default_str();
  command.add_option("--seed", seed, "the seed of the data")
      ->check(whole_number())
      ->capture_default_str();
  command.add_option(
      "--data", data,
      "explicit elements instead of a fill: src=0*12,1,0*5;weights=0x1.8p-3,2;bias=0");
}

Problem read_problem(const std::string& line, std::string_view name) {
  auto problem = parse(line);
  if (!problem) throw UsageError(fmt::format("{}: {}", name, problem.why().detail));
  return *std::move(problem);
}

Case DataOptions::case_of(const std::string& line) const {
  const Problem problem = read_problem(line);
  Case source;
  if (data) {
    const auto geometry = reference::resolve(problem);
    if (!geometry) throw UsageError("--data: the problem is invalid: " + geometry.why().detail);
    auto inputs = parse_data(*data, problem);
    if (!inputs) throw UsageError("--data: " + inputs.why().detail);
    source = with_data(problem, *std::move(inputs));
  }
  source.problem = problem;
  if (!data) source.fill = parse_fill(fill);
  if (const auto why = why_no_fill(source.fill, problem); why && !data) {
    throw UsageError(fmt::format("--fill {}: {}", fill, *why));
  }
  source.seed = seed;
  return source;
}

}  // namespace concord::conformance
