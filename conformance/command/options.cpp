// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <limits>

#include "conformance/arithmetic/arithmetic.h"
#include "conformance/catalog/catalog.h"
#include "conformance/catalog/golden.h"
#include "conformance/catalog/listed.h"
#include "conformance/catalog/seed.h"
#include "conformance/command/command.h"
#include "conformance/fill/fill.h"
#include "conformance/output/results.h"
#include "conformance/run/backend_spec.h"
#include "conformance/run/given_data.h"
#include "reference/open_question.h"

namespace concord::conformance {
namespace {

std::vector<std::string> operation_names() {
  std::vector<std::string> names;
  for (const Operation operation : kOperations) names.emplace_back(to_string(operation));
  return names;
}

std::vector<std::string> dtype_names() {
  std::vector<std::string> names;
  for (const Dtype dtype : kDtypes) names.emplace_back(to_string(dtype));
  return names;
}

std::vector<std::string_view> fill_names() {
  std::vector<std::string_view> names;
  for (const Fill fill : kFills) names.push_back(to_string(fill));
  return names;
}

bool chosen(const std::vector<std::string>& choices, std::string_view name) {
  return choices.empty() || std::find(choices.begin(), choices.end(), name) != choices.end();
}

/// Part `index` of `count`, both counted from one.
struct Shard {
  std::size_t index = 1, count = 1;
};

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
    throw UsageError(fmt::format("--shard {}: there is no part {} of {}, which are counted from 1",
                                 text, shard.index, shard.count));
  }
  return shard;
}

Fill parse_fill(const std::string& text) {
  for (const Fill fill : kFills) {
    if (text == to_string(fill)) return fill;
  }
  throw UsageError(fmt::format("--fill {}: no such fill", text));
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
             ? fmt::format("the problem is invalid, for its {}: {}", fault, resolution.why().detail)
             : fmt::format("expect={}, but the problem is refused for its {}: {}", line.expected,
                           fault, resolution.why().detail);
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
                   "A line that is meant to be refused ends with expect=FAULT, or expect=invalid");
}

// Each problem of the file with integers and with reals, whatever its size.
std::vector<Case> cases_of_file(const std::string& path, const CaseOptions& options) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file) throw UsageError(fmt::format("--problems: {} cannot be read", path));
  auto read = read_listed({path, text});
  if (!read) throw UsageError("--problems: " + read.why().detail);
  std::vector<Listed> lines = *std::move(read);
  for (Listed& line : lines) set_reading(options, line.problem);
  check_expectations(path, lines);
  std::vector<Case> cases;
  for (const Listed& each : lines) {
    for (const Fill fill : {Fill::kIntegers, Fill::kUniform}) {
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

std::vector<Case> all_cases(const CaseOptions& options) {
  if (options.problems) return cases_of_file(*options.problems, options);
  if (options.suite != "golden") {
    return make_catalog(parse_suite(options.suite).value(), options.seed);
  }
  if (options.reading) throw UsageError("--reading: golden vectors have their own");
  auto cases = golden_cases(options.vectors);
  if (!cases) throw UsageError("--vectors: " + cases.why().detail);
  return *std::move(cases);
}

}  // namespace

CLI::Validator whole_number() {
  return {[](std::string& text) {
            std::uint64_t value = 0;
            const char* end = text.data() + text.size();
            const auto [stop, error] = std::from_chars(text.data(), end, value);
            if (error == std::errc() && stop == end) return std::string();
            return fmt::format("{} is not a whole number from 0 to {}", text,
                               std::numeric_limits<std::uint64_t>::max());
          },
          ""};
}

CLI::Validator seconds_between(double least, double most) {
  return {[least, most](std::string& text) {
            double value = 0;
            const bool good = CLI::detail::lexical_cast(text, value) && value >= least &&
                              value <= most;  // which no NaN is
            return good ? std::string()
                        : fmt::format("{} is not a number from {} to {}", text, least, most);
          },
          ""};
}

void CaseOptions::add_to(CLI::App& command, bool endless) {
  std::vector<std::string> suites = {"smoke", "full", "golden"};
  if (endless) suites.emplace_back("nightly");
  command.add_option("--suite", suite, fmt::format("{}", fmt::join(suites, ", ")))
      ->check(CLI::IsMember(suites))
      ->capture_default_str();
  command
      .add_option(
          "--problems", problems,
          "judge the problems of this file instead, a line each: NAME: PROBLEM; one that is "
          "to be refused ends with expect=FAULT (spec.md#refusals) or expect=invalid")
      ->check(CLI::ExistingFile);
  command.add_option("--operation", operations, "only this operation (repeatable)")
      ->check(CLI::IsMember(operation_names()));
  command.add_option("--dtype", dtypes, "only this dtype (repeatable)")
      ->check(CLI::IsMember(dtype_names()));
  command.add_option("--filter", filter, "only cases whose id matches this glob");
  command.add_option("--reading", reading, "judge every case by this reading of its document")
      ->check(CLI::IsMember({"implemented", "documented"}));
  command.add_option("--seed", seed, "the seed that all data follow from")
      ->check(whole_number())
      ->capture_default_str();
  vectors = default_vectors_folder();
  command.add_option("--vectors", vectors, "the folder of the golden sets")->capture_default_str();
  command.add_option("--shard", shard, "only part i of n of the cases, as i/n")
      ->capture_default_str();
}

std::vector<Case> CaseOptions::select(bool all_shards) const {
  return narrow(all_cases(*this), all_shards);
}

std::vector<Case> CaseOptions::narrow(std::vector<Case> candidates, bool all_shards) const {
  const Shard part = all_shards ? Shard{} : parse_shard(shard);
  std::vector<Case> selected;
  std::size_t place = 0;
  for (Case& candidate : candidates) {
    if (!chosen(operations, to_string(candidate.problem.operation())) ||
        !chosen(dtypes, to_string(candidate.problem.dtype)) ||
        (filter && fnmatch(filter->c_str(), candidate.id.c_str(), 0) != 0)) {
      continue;
    }
    if (place++ % part.count != part.index - 1) continue;
    set_reading(*this, candidate.problem);
    selected.push_back(std::move(candidate));
  }
  return selected;
}

bool CaseOptions::are_narrowed() const {
  return problems || filter || !operations.empty() || !dtypes.empty();
}

std::string CaseOptions::scope() const {
  std::string text = problems.value_or(suite);
  if (!operations.empty()) text += fmt::format(", {}", fmt::join(operations, " "));
  text += dtypes.empty() ? ", all dtypes" : fmt::format(", {}", fmt::join(dtypes, " "));
  if (filter) text += ", filter " + *filter;
  if (reading) text += ", " + *reading;
  if (shard != "1/1") text += ", shard " + shard;
  return text + fmt::format(", seed {}", seed);
}

void DataOptions::add_to(CLI::App& command) {
  command.add_option("--fill", fill, fmt::format("{}", fmt::join(fill_names(), ", ")))
      ->capture_default_str();
  command.add_option("--seed", seed, "the seed that the data follow from")
      ->check(whole_number())
      ->capture_default_str();
  command.add_option("--data", data,
                     "every element in place of a fill: src=0*12,1,0*5;weights=1,2;bias=0");
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

void BackendOptions::add_to(CLI::App& command) {
  command
      .add_option("--backend", backends,
                  "NAME, NAME:CONFIG, PATH.so, PATH.so:CONFIG or exec:COMMAND (repeatable)")
      ->required();
  command.add_option("--class", arithmetic,
                     "judge by this arithmetic class in place of the declared one");
  command.add_flag("--lower", lower,
                   "ask for the Convolution that a problem is in other words, where a backend "
                   "declines the problem");
  command.add_option("--threads", threads, "how many threads a backend may use")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  command
      .add_option("--deadline", deadline_seconds,
                  "seconds that a backend has to answer one request")
      ->check(seconds_between(0.001, 86400))
      ->capture_default_str();
  command
      .add_option("--max-work", max_work,
                  "do not judge a case that takes the reference more multiply-adds")
      ->check(CLI::Range(1.0, 1e300))
      ->capture_default_str();
  command
      .add_option("--memory-limit", memory_gib,
                  "GiB of memory that a process of a backend may have of its own")
      ->check(CLI::Range(0.1, 1048576.0))
      ->capture_default_str();
}

std::vector<BackendSpec> BackendOptions::specs(const Surroundings& surroundings) const {
  std::vector<BackendSpec> specs;
  for (const std::string& text : backends) {
    auto found = find_backend(text, plugin_directory(surroundings.executable));
    if (!found) throw UsageError(found.why().detail);
    for (const BackendSpec& earlier : specs) {
      if (earlier.text == found->text) {
        throw UsageError(fmt::format("--backend {}: given twice", found->text));
      }
    }
    specs.push_back(*std::move(found));
  }
  return specs;
}

ExamineOptions BackendOptions::examine_options() const {
  ExamineOptions options{.threads = threads, .max_work = max_work, .lower = lower};
  if (!arithmetic) return options;
  const auto parsed = parse_arithmetic(*arithmetic);
  if (!parsed) throw UsageError(fmt::format("--class {}: {}", *arithmetic, parsed.why().detail));
  options.arithmetic = *parsed;
  return options;
}

void BackendOptions::describe(RunDescription& description) const {
  description.arithmetic = arithmetic;
  description.lower = lower;
  description.threads = threads;
  const HostOptions host = host_options({});
  description.deadline = host.deadline;
  description.memory_limit = host.memory_limit;
  description.max_work = max_work;
}

HostOptions BackendOptions::host_options(const Surroundings& surroundings) const {
  return {.deadline = std::chrono::milliseconds(static_cast<std::int64_t>(deadline_seconds * 1000)),
          .worker_program = surroundings.executable.string(),
          .memory_limit = static_cast<std::size_t>(memory_gib * 0x1p30)};
}

}  // namespace concord::conformance
