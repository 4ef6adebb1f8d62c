// SPDX-License-Identifier: Apache-2.0
#include "conformance/output/brief.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "conformance/case/seed.h"
#include "conformance/case/traits.h"
#include "conformance/output/service.h"
#include "conformance/record/brief_result.h"
#include "conformance/record/result_json.h"

namespace concord::conformance {
namespace {

using Json = nlohmann::ordered_json;

/// Values numbered in the order in which they come first.
class Numbered {
 public:
  /// `make` gives the value of a key that is new.
  template <class Make>
  std::size_t operator()(const std::string& key, const Make& make) {
    const auto [place, is_new] = numbers_.try_emplace(key, numbers_.size());
    if (is_new) values_.push_back(make());
    return place->second;
  }
  std::size_t operator()(const std::string& word) {
    return (*this)(word, [&] { return word; });
  }
  /// All of them, once.
  Json take_values() { return std::move(values_); }

 private:
  std::unordered_map<std::string, std::size_t> numbers_;
  Json values_ = Json::array();
};

std::string end_of_id(const Case& source) {
  return fmt::format("/{}/{}", to_string(source.problem.dtype), to_string(source.fill));
}

bool is_derived(const Case& source, std::uint64_t seed) {
  return source.recorded == nullptr && source.id.ends_with(end_of_id(source)) &&
         source.seed == case_seed(seed, source.id);
}

// The words of a text, numbered.
Json numbers_of(const std::string& text, Numbered& words) {
  Json::array_t numbers;
  numbers.reserve(1 + static_cast<std::size_t>(std::count(text.begin(), text.end(), ' ')));
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    numbers.emplace_back(words(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return numbers;
}

bool has_result(const RunOutcome& outcome, std::size_t index) {
  return std::any_of(outcome.backends.begin(), outcome.backends.end(), [&](const BackendRun& b) {
    return index < b.results.size() && b.results[index];
  });
}

Json number_or_null(const std::optional<double>& value, double limit) {
  return value ? number_json(shortened(*value, limit)) : Json(nullptr);
}

bool is_on_one_line(const Json& json) {
  return !json.is_structured() || json.empty() ||
         (json.is_array() && !json.front().is_structured());
}

void append(const Json& json, std::size_t depth, std::string& text) {
  if (is_on_one_line(json)) {
    text += json.dump(-1, ' ', false, Json::error_handler_t::replace);
    return;
  }
  const bool is_object = json.is_object();
  text += is_object ? '{' : '[';
  const char* comma = "\n";
  for (auto each = json.begin(); each != json.end(); ++each) {
    text += comma;
    text.append(depth + 1, ' ');
    if (is_object) text += Json(each.key()).dump() + ": ";
    append(*each, depth + 1, text);
    comma = ",\n";
  }
  text += '\n';
  text.append(depth, ' ');
  text += is_object ? '}' : ']';
}

}  // namespace

CaseTable::CaseTable(const CaseList& cases, const RunOutcome& outcome, std::uint64_t seed)
    : numbers_(cases.size()) {
  Numbered traits, trait_sets, fills, words;
  Json problems = Json::array();
  std::string latest, latest_name;
  std::size_t count = 0;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const Case& source = cases[i];
    if (!is_derived(source, seed) || !has_result(outcome, i)) continue;
    numbers_[i] = count++;
    const std::string name = source.id.substr(0, source.id.size() - end_of_id(source).size());
    const std::string problem = print(source.problem);
    if (problems.empty() || latest != name + ' ' + problem) {
      const std::vector<std::string> names = traits_of(source.problem);
      const std::size_t trait_set = trait_sets(fmt::format("{}", fmt::join(names, "\n")), [&] {
        Json numbers = Json::array();
        for (const std::string& each : names) numbers.push_back(traits(each));
        return numbers;
      });
      const std::size_t kept = common_beginning(latest_name, name);
      problems.push_back(
          {kept, name.substr(kept), numbers_of(problem, words), trait_set, Json::array()});
      latest = name + ' ' + problem;
      latest_name = name;
    }
    const std::string fill(to_string(source.fill));
    problems.back()[4].push_back(fills(fill));
  }
  json_ = {{"traits", traits.take_values()},
           {"trait_sets", trait_sets.take_values()},
           {"fills", fills.take_values()},
           {"words", words.take_values()},
           {"problems", std::move(problems)}};
}

bool is_in_brief(const CaseTable& table, const BackendRun& backend, std::size_t index) {
  const auto& result = backend.results[index];
  return result && table.number(index) && is_brief(*result);
}

Json brief_json(const CaseTable& table, const BackendRun& backend) {
  Numbered outcomes;
  Json runs = Json::array(), outcome = Json::array(), elements = Json::array(),
       margin = Json::array(), resolution = Json::array(), milliseconds = Json::array();
  for (std::size_t i = 0; i < backend.results.size(); ++i) {
    if (!is_in_brief(table, backend, i)) continue;
    const CaseResult& result = *backend.results[i];
    const std::size_t number = *table.number(i);
    const bool goes_on =
        !runs.empty() &&
        runs.back()[0].get<std::size_t>() + runs.back()[1].get<std::size_t>() == number;
    if (goes_on) {
      runs.back()[1] = runs.back()[1].get<std::size_t>() + 1;
    } else {
      runs.push_back({number, 1});
    }
    outcome.push_back(outcomes(outcome_key(result), [&] { return outcome_json(result); }));
    elements.push_back(result.elements);
    margin.push_back(number_or_null(result.margin, 1));
    resolution.push_back(number_or_null(result.resolution, kResolution));
    milliseconds.push_back(std::round(100 * result.milliseconds) / 100);
  }
  return {{"outcomes", outcomes.take_values()},
          {"cases", std::move(runs)},
          {"outcome", std::move(outcome)},
          {"elements", std::move(elements)},
          {"margin", std::move(margin)},
          {"resolution", std::move(resolution)},
          {"milliseconds", std::move(milliseconds)}};
}

std::string printed(const Json& document) {
  std::string text;
  append(document, 0, text);
  return text + '\n';
}

}  // namespace concord::conformance
