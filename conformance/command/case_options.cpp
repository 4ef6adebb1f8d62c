// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include "conformance/case/seed.h"
#include "conformance/catalog/catalog.h"
#include "conformance/catalog/exhaustive.h"
#include "conformance/catalog/golden.h"
#include "conformance/catalog/listed.h"
#include "conformance/command/batch_run.h"
#include "conformance/command/command.h"
#include "conformance/command/job_array.h"
#include "conformance/fill/fill.h"
#include "conformance/run/shard.h"
#include "conformance/run/work.h"
#include "reference/open_question.h"

namespace concord::conformance {
namespace {

std::vector<std::string> operation_names() {
  std::vector<std::string> names;
  names.reserve(std::size(kOperations));
  for (const Operation operation : kOperations) names.emplace_back(to_string(operation));
  return names;
}

std::vector<std::string> dtype_names() {
  std::vector<std::string> names;
  names.reserve(std::size(kDtypes));
  for (const Dtype dtype : kDtypes) names.emplace_back(to_string(dtype));
  return names;
}

bool chosen(const std::vector<std::string>& choices, std::string_view name) {
  return choices.empty() || std::find(choices.begin(), choices.end(), name) != choices.end();
}

bool read_whole(const char* begin, const char* end, std::size_t& value) {
  const auto [stop, error] = std::from_chars(begin, end, value);
  return error == std::errc() && stop == end;
}

Shard parse_shard(const std::string& text) {
  Shard shard;
  const char* end = text.data() + text.size();
  const auto [slash, error] = std::from_chars(text.data(), end, shard.index);
  const bool good = error == std::errc() && slash != end && *slash == '/' &&
                    read_whole(slash + 1, end, shard.count);
  if (!good) throw UsageError(fmt::format("--shard {}: not of the form 2/5", text));
  if (shard.index < 1 || shard.index > shard.count) {
    throw UsageError(fmt::format("--shard {}: there is no part {} of {}; parts count from 1", text,
                                 shard.index, shard.count));
  }
  return shard;
}

void set_reading(const CaseOptions& options, Problem& problem) {
  if (!options.reading) return;
  problem.reading = *options.reading == "documented" ? Reading::kDocumented : Reading::kImplemented;
}

// What is wrong with a line whose problem is refused, or is not although it says so: a sentence.
std::optional<std::string> complaint(const Listed& line) {
  const auto resolution = reference::resolve(line.problem);
  if (resolution) {
    if (line.expected.empty()) return std::nullopt;
    return fmt::format("expect={}, but the problem is valid", line.expected);
  }
  const std::string_view fault = to_string(resolution.why().fault);
  if (line.expected == fault || line.expected == "invalid") return std::nullopt;
  if (reference::open_question(line.problem)) return std::nullopt;
  return line.expected.empty()
             ? fmt::format("the problem is invalid ({}): {}", fault, resolution.why().detail)
             : fmt::format("expect={}, but the problem is refused as {}: {}", line.expected, fault,
                           resolution.why().detail);
}

// Most likely they are mistakes, and a backend that refuses them would conform.
void check_expectations(const std::string& path, const std::vector<Listed>& lines) {
  std::string complaints;
  for (const Listed& line : lines) {
    const auto wrong = complaint(line);
    if (!wrong) continue;
    complaints += fmt::format("{}:{}: {}: {}\n", path, line.line, line.name, *wrong);
  }
  if (complaints.empty()) return;
  throw UsageError("--problems: " + complaints +
                   "A line that must be refused ends with expect=FAULT, or expect=invalid");
}

std::vector<Fill> chosen_fills(const CaseOptions& options) {
  if (options.fills.empty()) return {Fill::kIntegers, Fill::kUniform};
  std::vector<Fill> fills;
  for (const std::string& each : options.fills) fills.push_back(parse_fill(each));
  return fills;
}

std::string text_of_file(const std::string& path, std::string_view option = "--problems") {
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file) throw UsageError(fmt::format("{}: {} cannot be read", option, path));
  return text;
}

// The ids that --cases lists, if it is given.
std::optional<std::set<std::string>> listed_ids(const CaseOptions& options) {
  if (!options.listed) return std::nullopt;
  std::set<std::string> ids;
  std::istringstream lines(text_of_file(*options.listed, "--cases"));
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty()) ids.insert(line);
  }
  return ids;
}

// A case that is listed but does not exist is a mistake, such as another suite's.
void check_listed(const CaseOptions& options, const CaseList& cases) {
  auto ids = listed_ids(options);
  if (!ids) return;
  for (std::size_t i = 0; i < cases.size() && !ids->empty(); ++i) ids->erase(cases[i].id);
  if (ids->empty()) return;
  throw UsageError(fmt::format("--cases {}: {} has no case '{}'", *options.listed, options.source(),
                               *ids->begin()));
}

// Each problem of a problems file with each fill, whatever its size.
std::vector<Case> cases_of_text(const std::string& text, const CaseOptions& options) {
  const std::string path = options.source();
  auto read = read_listed({path, text});
  if (!read) throw UsageError("--problems: " + read.why().detail);
  std::vector<Listed> lines = *std::move(read);
  for (Listed& line : lines) set_reading(options, line.problem);
  check_expectations(path, lines);
  const std::vector<Fill> fills = chosen_fills(options);
  std::vector<Case> cases;
  for (const Listed& each : lines) {
    for (const Fill fill : fills) {
      if (const auto why = why_no_fill(fill, each.problem); why && !options.fills.empty()) {
        throw UsageError(
            fmt::format("--fill {}: {}:{}: {}", to_string(fill), path, each.line, *why));
      }
      Case made;
      made.id = fmt::format("problems/{}/{}/{}", each.name, to_string(each.problem.dtype),
                            to_string(fill));
      made.problem = each.problem;
      made.fill = fill;
      made.seed = case_seed(options.seed, made.id);
      made.origin = path;
      cases.push_back(std::move(made));
    }
  }
  return cases;
}

/// The cases of a list, judged by the reading that was asked for.
class Reread : public CaseSource {
 public:
  Reread(CaseList list, CaseOptions options)
      : list_(std::move(list)), options_(std::move(options)) {}
  std::size_t size() const override { return list_.size(); }
  Case at(std::size_t number) const override {
    Case source = list_[number];
    set_reading(options_, source.problem);
    return source;
  }

 private:
  CaseList list_;
  CaseOptions options_;
};

CaseList all_cases(const CaseOptions& options) {
  if (options.model.file) return cases_of_text(options.model.imported().problems, options);
  if (options.problems) return cases_of_text(text_of_file(*options.problems), options);
  if (!options.fills.empty()) throw UsageError("--fill: the cases of a suite have their own");
  if (options.are_in_batches()) return exhaustive_cases(options.seed);
  if (options.suite != "golden") {
    return make_catalog(parse_suite(options.suite).value(), options.seed);
  }
  if (options.reading) throw UsageError("--reading: golden vectors have their own");
  auto cases = golden_cases(options.vectors);
  if (!cases) throw UsageError("--vectors: " + cases.why().detail);
  return *std::move(cases);
}

}  // namespace

void CaseOptions::add_to(CLI::App& command, const std::vector<std::string>& more_suites) {
  std::vector<std::string> suites = {"smoke", "full", "huge", "golden"};
  suites.insert(suites.end(), more_suites.begin(), more_suites.end());
  command.add_option("--suite", suite, fmt::format("{}", fmt::join(suites, ", ")))
      ->check(CLI::IsMember(suites))
      ->capture_default_str();
  command
      .add_option(
          "--problems", problems,
          "judge the problems of this file instead, one per line, as NAME: PROBLEM; one that "
          "must be refused ends with expect=FAULT (spec.md#refusals) or expect=invalid")
      ->check(CLI::ExistingFile);
  model.add_to(command);
  command.add_option("--fill", fills,
                     fmt::format("with --problems and --model: only this kind of data (repeatable; "
                                 "default: integers and uniform), of {}",
                                 fmt::join(fill_names(), ", ")));
  command.add_option("--operation", operations, "only this operation (repeatable)")
      ->check(CLI::IsMember(operation_names()));
  command.add_option("--dtype", dtypes, "only this dtype (repeatable)")
      ->check(CLI::IsMember(dtype_names()));
  command.add_option("--filter", filter, "only cases whose id matches this glob");
  command.add_option("--cases", listed, "only the cases whose ids this file lists, one per line")
      ->check(CLI::ExistingFile);
  command.add_option("--reading", reading, "judge every case by this reading of its document")
      ->check(CLI::IsMember({"implemented", "documented"}));
  command.add_option("--seed", seed, "the seed of all data")
      ->check(whole_number())
      ->capture_default_str();
  vectors = default_vectors_folder();
  command.add_option("--vectors", vectors, "the folder of the golden sets")
      ->default_str(kOwnVectors);
  command
      .add_option("--shard", shard,
                  "only part i of n of the cases, as i/n, parts of about the same cost (of "
                  "exhaustive: every n-th batch); auto takes "
                  "both from the environment of "
                  "GoogleTest, Slurm or GitLab")
      ->transform(
          [](const std::string& text) { return text == "auto" ? shard_of_environment() : text; })
      ->capture_default_str();
}

CaseList CaseOptions::select(bool all_shards) const {
  const CaseList cases = all_cases(*this);
  check_listed(*this, cases);
  return narrow(cases, all_shards);
}

CaseList CaseOptions::narrow(const CaseList& candidates, bool all_shards) const {
  const Shard part = all_shards ? Shard{} : parse_shard(shard);
  if (part.count == 1 && !reading && !are_narrowed()) return candidates;
  const auto ids = listed_ids(*this);
  std::vector<std::size_t> places;
  std::vector<double> costs;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const Case candidate = candidates[i];
    if (!chosen(operations, to_string(candidate.problem.operation())) ||
        !chosen(dtypes, to_string(candidate.problem.dtype)) ||
        (filter && fnmatch(filter->c_str(), candidate.id.c_str(), 0) != 0) ||
        (ids && !ids->contains(candidate.id))) {
      continue;
    }
    places.push_back(i);
    if (part.count > 1) costs.push_back(predicted_cost(candidate.problem));
  }
  if (part.count > 1) {
    auto of_part = places_of_shard(costs, part);
    for (std::size_t& place : of_part) place = places[place];
    places = std::move(of_part);
  }
  CaseList selected = candidates.at(places);
  if (!reading) return selected;
  CaseList reread;
  reread.append(std::make_shared<Reread>(std::move(selected), *this));
  return reread;
}

Batches CaseOptions::batches() const {
  const Shard part = parse_shard(shard);
  Batches batches{.suite = all_cases(*this), .shard = part.index, .shards = part.count};
  check_listed(*this, batches.suite);
  if (are_narrowed() || reading) {
    batches.narrow = [options = *this](const CaseList& batch) {
      return options.narrow(batch, true);
    };
  }
  return batches;
}

bool CaseOptions::are_narrowed() const {
  return are_given() || filter || listed || !operations.empty() || !dtypes.empty();
}

std::string CaseOptions::source() const {
  return model.file ? *model.file : problems.value_or(suite);
}

std::string CaseOptions::scope() const {
  std::string text = source();
  if (!operations.empty()) text += fmt::format(", {}", fmt::join(operations, " "));
  text += dtypes.empty() ? ", all dtypes" : fmt::format(", {}", fmt::join(dtypes, " "));
  if (filter) text += ", filter " + *filter;
  if (listed) text += ", cases of " + *listed;
  if (reading) text += ", " + *reading;
  if (shard != "1/1") text += ", shard " + shard;
  return text + fmt::format(", seed {}", seed);
}

}  // namespace concord::conformance
