// SPDX-License-Identifier: Apache-2.0
#include "conformance/diagnose/places.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

namespace concord::conformance {
namespace {

constexpr std::size_t kFewest = 3;

/// Of the failures whose dst is longer than one along an axis.
struct Ends {
  std::size_t failures = 0, first = 0, last = 0;
};

// Of discrete problems by what an axis means, of others by its number.
std::string axis_word(const Problem& problem, std::size_t axis, std::size_t rank) {
  if (!is_discrete(problem.operation())) return fmt::format("index of axis {}", axis);
  const bool is_nxc = data_format_of(problem) == DataFormat::kNXC;
  const std::size_t channel = is_nxc ? rank - 1 : 1;
  if (axis == 0) return "image";
  if (axis == channel) return "channel";
  const std::size_t last = is_nxc ? rank - 2 : rank - 1;
  if (axis == last) return "column";
  return axis + 1 == last ? "row" : fmt::format("index of axis {}", axis);
}

bool is_alone(const std::vector<std::size_t>& counts, std::size_t at) {
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if ((counts[i] != 0) != (i == at)) return false;
  }
  return true;
}

}  // namespace

std::string wrong_places(const CaseList& cases, const Sparse<CaseResult>& results) {
  std::map<std::string, Ends> by_axis;
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (!results[i] || !is_failure(results[i]->verdict) || !results[i]->failure) continue;
    const WrongMap& map = results[i]->failure->where;
    const Problem problem = cases[i].problem;
    for (std::size_t axis = 0; axis < map.counts.size(); ++axis) {
      if (map.counts[axis].size() < 2) continue;
      Ends& ends = by_axis[axis_word(problem, axis, map.dims.size())];
      ++ends.failures;
      ends.first += is_alone(map.counts[axis], 0) ? 1U : 0U;
      ends.last += is_alone(map.counts[axis], map.counts[axis].size() - 1) ? 1U : 0U;
    }
  }
  std::string text;
  for (const auto& [axis, ends] : by_axis) {
    if (ends.failures < kFewest || std::max(ends.first, ends.last) < ends.failures) continue;
    text += fmt::format("{} the {} {}", text.empty() ? "every wrong element lies in" : " and",
                        ends.first == ends.failures ? "first" : "last", axis);
  }
  return text;
}

}  // namespace concord::conformance
