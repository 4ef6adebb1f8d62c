// SPDX-License-Identifier: Apache-2.0
#include "conformance/diagnose/places.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

namespace concord::conformance {
namespace {

constexpr std::size_t kFewest = 3;
// From so many indices on, the map's first and last part have more than one.
constexpr Extent kWideFirst = WrongMap::kParts + 1, kWideLast = 2 * WrongMap::kParts;
static_assert(WrongMap::kParts == 16, "the sentence speaks of sixteenths");

/// The wrong elements at one end of an axis.
struct End {
  std::size_t failures = 0;  ///< that have all of them in the map's part there
  std::size_t wide = 0;      ///< failures whose part there has several indices
};

/// Of the failures whose dst is longer than one along an axis.
struct AxisEnds {
  std::size_t failures = 0;
  std::string plural{};
  End first{}, last{};
};

std::string axis_number(std::string_view word, std::size_t axis) {
  return fmt::format("{} of axis {}", word, axis);
}

// Of discrete problems by what an axis means, of others by its number.
std::string axis_word(const Problem& problem, std::size_t axis, std::size_t rank) {
  if (!is_discrete(problem.operation())) return axis_number("index", axis);
  const bool is_nxc = data_format_of(problem) == DataFormat::kNXC;
  const std::size_t channel = is_nxc ? rank - 1 : 1;
  if (axis == 0) return "image";
  if (axis == channel) return "channel";
  const std::size_t last = is_nxc ? rank - 2 : rank - 1;
  if (axis == last) return "column";
  return axis + 1 == last ? "row" : axis_number("index", axis);
}

std::string plural_of(const std::string& word, std::size_t axis) {
  return word.starts_with("index") ? axis_number("indices", axis) : word + "s";
}

bool is_alone(const std::vector<std::size_t>& counts, std::size_t at) {
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if ((counts[i] != 0) != (i == at)) return false;
  }
  return true;
}

void count_axis(AxisEnds& ends, const std::vector<std::size_t>& counts, Extent extent) {
  ++ends.failures;
  ends.first.failures += is_alone(counts, 0) ? 1U : 0U;
  ends.last.failures += is_alone(counts, counts.size() - 1) ? 1U : 0U;
  ends.first.wide += extent >= kWideFirst ? 1U : 0U;
  ends.last.wide += extent >= kWideLast ? 1U : 0U;
}

// "the last column", or the share of the columns that the part of the map holds.
std::string end_text(const End& end, std::string_view which, const std::string& axis,
                     const AxisEnds& ends, Extent least_wide) {
  if (end.wide == 0) return fmt::format("the {} {}", which, axis);
  if (end.wide == ends.failures) {
    return fmt::format("the {} sixteenth of the {}", which, ends.plural);
  }
  return fmt::format("the {} {} (of {} or more: the {} sixteenth)", which, axis, least_wide, which);
}

}  // namespace

std::string wrong_places(const CaseList& cases, const Sparse<CaseResult>& results) {
  std::map<std::string, AxisEnds> by_axis;
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (!results[i] || !is_failure(results[i]->verdict) || !results[i]->failure) continue;
    const WrongMap& map = results[i]->failure->where;
    const Problem problem = cases[i].problem;
    for (std::size_t axis = 0; axis < map.counts.size(); ++axis) {
      if (map.counts[axis].size() < 2) continue;
      const std::string word = axis_word(problem, axis, map.dims.size());
      AxisEnds& ends = by_axis[word];
      ends.plural = plural_of(word, axis);
      count_axis(ends, map.counts[axis], map.dims[axis]);
    }
  }
  std::string text;
  for (const auto& [axis, ends] : by_axis) {
    const bool all_first = ends.first.failures == ends.failures;
    const bool all_last = ends.last.failures == ends.failures;
    if (ends.failures < kFewest || !(all_first || all_last)) continue;
    text += text.empty() ? "every wrong element lies in " : " and ";
    text += all_first ? end_text(ends.first, "first", axis, ends, kWideFirst)
                      : end_text(ends.last, "last", axis, ends, kWideLast);
  }
  return text;
}

}  // namespace concord::conformance
