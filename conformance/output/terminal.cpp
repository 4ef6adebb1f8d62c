// SPDX-License-Identifier: Apache-2.0
#include "conformance/output/terminal.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <vector>

#include "conformance/record/grouped.h"
#include "conformance/run/prepared_case.h"

namespace concord::conformance {
namespace {

constexpr std::size_t kLongestName = 24;  // beside seven columns, as many as fit

// One column of the table: a head, and a number for each backend.
struct Column {
  std::string head{};
  std::vector<std::size_t> counts{};
  bool always = false;

  std::size_t width() const {
    std::size_t widest = head.size();
    for (const std::size_t each : counts) widest = std::max(widest, grouped(each).size());
    return widest + 2;
  }
  bool occurs() const {
    return always || std::any_of(counts.begin(), counts.end(), [](auto n) { return n > 0; });
  }
};

std::vector<Column> columns_of(const RunOutcome& outcome) {
  constexpr std::string_view kHeads[] = {"passed", "failed",  "vacuous", "declined",
                                         "claims", "crashes", "hangs",   "errors"};
  std::vector<Column> columns;
  for (std::size_t i = 0; i < std::size(kHeads); ++i) {
    const bool always = i < 2 || kHeads[i] == "declined";
    columns.push_back({std::string(kHeads[i]), {}, always});
  }
  columns.push_back({"not run", {}, false});
  for (const BackendRun& backend : outcome.backends) {
    const Counts counts = count(backend);
    for (std::size_t i = 0; i < std::size(kHeads); ++i) {
      columns[i].counts.push_back(counts.by_verdict[i]);
    }
    columns.back().counts.push_back(counts.not_run);
  }
  std::erase_if(columns, [](const Column& column) { return !column.occurs(); });
  return columns;
}

std::size_t width_of(const std::vector<Column>& columns) {
  std::size_t width = 0;
  for (const Column& column : columns) width += column.width();
  return width;
}

// Those that are not in every table become one.
std::vector<Column> joined(const std::vector<Column>& columns) {
  std::vector<Column> kept;
  Column others{"others", std::vector<std::size_t>(columns.front().counts.size()), true};
  for (const Column& column : columns) {
    if (column.always || column.head == "vacuous") {
      kept.push_back(column);
      continue;
    }
    for (std::size_t b = 0; b < column.counts.size(); ++b) others.counts[b] += column.counts[b];
  }
  kept.push_back(std::move(others));
  return kept;
}

// Without its middle, if it is longer: what tells paths and commands apart is mostly the end.
std::string shortened(const std::string& name, std::size_t longest) {
  if (name.size() <= longest) return name;
  const std::size_t begin = (longest - 2) / 3;
  return name.substr(0, begin) + ".." + name.substr(name.size() - (longest - 2 - begin));
}

std::string_view column_text(Conclusion conclusion) {
  switch (conclusion) {
    case Conclusion::kServes:
      return "as served";
    case Conclusion::kSelected:
      return "no failure";
    case Conclusion::kUnknown:
      return "no verdict";
    default:
      return to_string(conclusion);
  }
}

// Could --lower have asked the backend for this problem's convolution?
bool has_convolution(const Problem& problem) {
  switch (problem.operation()) {
    case Operation::kConvolution1:
    case Operation::kAtrousConv2d:
    case Operation::kCntkConvolution:
    case Operation::kCntkConvolution2d:
      return true;
    default:
      return false;
  }
}

/// A reason of declining, and the cases that were declined for it.
struct Reason {
  std::string text{};
  std::vector<std::size_t> places{};
};

// The most frequent one first.
std::vector<Reason> reasons_of(const BackendRun& backend) {
  std::map<std::string, std::vector<std::size_t>> places;
  for (std::size_t i = 0; i < backend.results.size(); ++i) {
    const auto& result = backend.results[i];
    if (result && result->verdict == Verdict::kDeclined) places[result->reason].push_back(i);
  }
  std::vector<Reason> reasons;
  reasons.reserve(places.size());
  for (auto& [text, each] : places) reasons.push_back({text, std::move(each)});
  std::stable_sort(reasons.begin(), reasons.end(), [](const Reason& a, const Reason& b) {
    return a.places.size() > b.places.size();
  });
  return reasons;
}

}  // namespace

std::string plain_name(const BackendRun& backend) {
  if (!backend.spec.text.starts_with("exec:") || backend.identity.name.empty()) {
    return backend.spec.text;
  }
  return "exec:" + backend.identity.name;
}

std::string shown_name(const RunOutcome& outcome, const BackendRun& backend) {
  const std::string name = plain_name(backend);
  const auto called_so =
      std::count_if(outcome.backends.begin(), outcome.backends.end(),
                    [&](const BackendRun& each) { return plain_name(each) == name; });
  return called_so > 1 ? backend.spec.text : name;
}

std::string in_colour(std::string_view text, Conclusion conclusion) {
  const bool bad = conclusion == Conclusion::kDoesNot, unknown = conclusion == Conclusion::kUnknown;
  return fmt::format("\x1b[{}m{}\x1b[0m", bad ? "1;31" : unknown ? "33" : "32", text);
}

bool wants_colour() {
  const char* declined = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  return isatty(STDOUT_FILENO) == 1 && (declined == nullptr || *declined == '\0') &&
         terminal != nullptr && std::string_view(terminal) != "dumb";
}

std::string table(const RunOutcome& outcome, bool narrowed, bool coloured) {
  constexpr std::string_view kName = "backend", kLast = "conforms";
  constexpr std::size_t kLastWidth = std::string_view("  no verdict").size();
  if (outcome.backends.empty()) return "";
  std::vector<Column> columns = columns_of(outcome);
  std::size_t width = kName.size();
  for (const BackendRun& b : outcome.backends) {
    width = std::max(width, shown_name(outcome, b).size());
  }
  if (width_of(columns) + std::min(width, kLongestName) + kLastWidth > kTableWidth) {
    columns = joined(columns);
  }
  width = std::min(width, kTableWidth - kLastWidth - width_of(columns));
  std::string text = fmt::format("{:<{}}", kName, width);
  for (const Column& column : columns) text += fmt::format("{:>{}}", column.head, column.width());
  text += fmt::format("  {}\n", kLast);
  for (std::size_t b = 0; b < outcome.backends.size(); ++b) {
    const BackendRun& backend = outcome.backends[b];
    text += fmt::format("{:<{}}", shortened(shown_name(outcome, backend), width), width);
    for (const Column& column : columns) {
      text += fmt::format("{:>{}}", grouped(column.counts[b]), column.width());
    }
    const Conclusion conclusion = conclude(backend, narrowed);
    const auto word = column_text(conclusion);
    text += fmt::format("  {}\n", coloured ? in_colour(word, conclusion) : std::string(word));
  }
  return text;
}

std::string declined_text(const CaseList& cases, const RunOutcome& outcome,
                          const BackendRun& backend, bool lowered) {
  constexpr std::size_t kMost = 3;
  const auto reasons = reasons_of(backend);
  if (reasons.empty()) return "";
  std::size_t all = 0, lowerable = 0;
  for (const Reason& reason : reasons) {
    all += reason.places.size();
    lowerable += static_cast<std::size_t>(
        std::count_if(reason.places.begin(), reason.places.end(),
                      [&](std::size_t i) { return has_convolution(cases[i].problem); }));
  }
  std::string text = fmt::format("{} declined {} cases{}\n", shown_name(outcome, backend),
                                 grouped(all), reasons.size() > kMost ? ", mostly:" : ":");
  for (std::size_t i = 0; i < std::min(kMost, reasons.size()); ++i) {
    text += fmt::format("{:>9}  {}\n", grouped(reasons[i].places.size()),
                        reasons[i].text.empty() ? "(no reason)" : reasons[i].text);
  }
  if (!lowered && lowerable > 0) {
    text += fmt::format("  {} are of operations that --lower tries as a Convolution\n",
                        grouped(lowerable));
  }
  return text;
}

std::string to_do_text(const CaseList& cases, const BackendRun& backend,
                       const RunDescription& description) {
  std::string shortest;
  std::size_t first = 0;
  for (const Reason& reason : reasons_of(backend)) {
    for (const std::size_t i : reason.places) {
      const Case each = cases[i];
      std::string line = print(each.problem);
      if (!shortest.empty() && line.size() >= shortest.size()) continue;
      if (!PreparedCase(each).geometry()) continue;  // invalid: nothing to serve
      shortest = std::move(line);
      first = i;
    }
    if (!shortest.empty()) break;
  }
  if (shortest.empty()) return "";
  return fmt::format(
      "To serve the most frequent of these, begin with {}:\n  problem  {}\n  replay   {}\n",
      cases[first].id, shortest, replay_command(cases[first], backend.spec, description));
}

}  // namespace concord::conformance
