// SPDX-License-Identifier: Apache-2.0
// grade: does a suite find the bugs that were planted? The measure of the suite itself.
#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>
#include <sstream>
#include <tuple>

#include "conformance/catalog/chosen.h"
#include "conformance/catalog/sweeps.h"
#include "conformance/command/command.h"
#include "conformance/command/grade_choice.h"
#include "conformance/command/grade_finds.h"
#include "conformance/output/progress.h"
#include "conformance/output/standard_streams.h"
#include "conformance/run/backend_spec.h"
#include "conformance/run/job_bounds.h"
#include "vectors/write_file.h"

namespace concord::conformance {
namespace {

struct GradeCommand {
  CaseOptions cases{};
  std::vector<std::string> bugs{};
  std::vector<std::string> backends{};
  std::optional<std::string> family{};
  std::vector<std::string> without{};
  std::string choose{}, out{};
  std::optional<int> finds{};
  bool list = false;
  double deadline_seconds = 2;
  double at_least = 100;
  double memory_gib = 16;
  std::vector<std::string> sandbox_writable{};
  int threads = 1;
  std::optional<int> jobs{};
};

// Offsets beyond 32 bits are a condition that suite huge has, and it alone.
bool is_meant_by(const PlantedBug& bug, const std::string& suite) {
  return (bug.shows == "beyond 32 bits") == (suite == "huge");
}

std::vector<PlantedBug> chosen_bugs(const std::vector<PlantedBug>& all,
                                    const GradeCommand& command) {
  std::vector<PlantedBug> chosen;
  for (const std::string& name : command.bugs) {
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const PlantedBug& bug) { return bug.name == name; });
    if (found == all.end()) throw UsageError(fmt::format("--bug {}: no such planted bug", name));
    chosen.push_back(*found);
  }
  if (command.bugs.empty()) {
    std::copy_if(all.begin(), all.end(), std::back_inserter(chosen),
                 [&](const PlantedBug& bug) { return is_meant_by(bug, command.cases.suite); });
  }
  if (!command.family) return chosen;
  std::erase_if(chosen, [&](const PlantedBug& bug) {
    return fnmatch(command.family->c_str(), bug.family.c_str(), 0) != 0;
  });
  if (chosen.empty()) throw UsageError(fmt::format("--family {}: no such bugs", *command.family));
  return chosen;
}

CaseList selected_cases(const GradeCommand& command) {
  const CaseList all = command.cases.select();
  std::set<std::string> without(command.without.begin(), command.without.end());
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Case source = all[i];
    if (without.erase(source.id) > 0) continue;
    const bool may_be_chosen = !is_swept(source.id) && products_of(source) <= kMostProductsOfChosen;
    if (command.choose.empty() || may_be_chosen) places.push_back(i);
  }
  if (!without.empty()) {
    throw UsageError(fmt::format("--without {}: no such case", *without.begin()));
  }
  CaseList cases = all.at(places);
  if (cases.empty()) throw UsageError("no case matches " + command.cases.scope());
  return cases;
}

// Which bugs a suite finds does not depend on the order of its cases; how soon does. Cases that
// were chosen for the bugs that they find come first, unless it is they that are asked for. Then
// cheap cases, and sweeps, which are as cheap, but long and of two operations alone. Only the bugs
// that survive all of them meet the dear cases.
CaseList sorted_for(const GradeCommand& command, const CaseList& cases) {
  enum Rank { kChosen, kCheap, kSwept, kDear };
  constexpr double kMostProductsOfCheap = 1e6;
  const auto chosen = chosen_cases();
  std::vector<std::tuple<Rank, double, std::size_t>> order;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const Case source = cases[i];
    const double products = products_of(source);
    const bool first = command.choose.empty() && chosen.contains(source.id);
    const Rank rank = first                             ? kChosen
                      : is_swept(source.id)             ? kSwept
                      : products > kMostProductsOfCheap ? kDear
                                                        : kCheap;
    order.emplace_back(rank, products, i);
  }
  std::sort(order.begin(), order.end());
  std::vector<std::size_t> places;
  places.reserve(order.size());
  for (const auto& each : order) places.push_back(std::get<std::size_t>(each));
  return cases.at(places);
}

int print_score(const CaseList& cases, const std::vector<PlantedBug>& bugs,
                const RunOutcome& outcome, double at_least) {
  std::size_t found = 0, name_width = 0, family_width = 0;
  for (const PlantedBug& bug : bugs) {
    name_width = std::max(name_width, bug.name.size());
    family_width = std::max(family_width, bug.family.size());
  }
  constexpr std::string_view kRow = "{:<{}}  {:<{}}  {:<12}  {:<12}  {:>7}{:>9}  {}\n";
  fmt::print(kRow, "bug", name_width, "family", family_width, "verdict", "tier", "cases", "ms",
             "first case");
  for (std::size_t b = 0; b < bugs.size(); ++b) {
    const Find find = first_failure(cases, outcome.backends[b]);
    if (find.is_found()) ++found;
    fmt::print(kRow, bugs[b].name, name_width, bugs[b].family, family_width, verdict_of(find),
               tier_of(find), find.cases, fmt::format("{:.0f}", find.milliseconds),
               place_of(find, bugs[b]));
  }
  fmt::print("mutation score: {}/{} in {:.0f} s\n", found, bugs.size(), outcome.seconds);
  return 100 * static_cast<double>(found) >= at_least * static_cast<double>(bugs.size()) ? 0 : 1;
}

void write_choice(const std::string& path, const CaseList& cases,
                  const std::vector<PlantedBug>& bugs, const RunOutcome& outcome) {
  const auto trouble = vectors::write_file(path, text_of_choice(cases, bugs, outcome));
  if (trouble) throw UsageError("--choose: " + *trouble);
}

void write_finds(const std::string& path, const std::string& scope, const CaseList& cases,
                 const std::vector<PlantedBug>& bugs, const RunOutcome& outcome) {
  const std::string text = json_of_finds(scope, cases, bugs, outcome).dump(1) + "\n";
  const auto trouble = vectors::write_file(path, text);
  if (trouble) throw UsageError("--out: " + *trouble);
}

/// The bugs, and the backend that has each.
struct Graded {
  std::vector<PlantedBug> bugs{};
  std::vector<BackendSpec> specs{};
};

BackendSpec backend_named(const std::string& text, const std::filesystem::path& directory) {
  auto found = find_backend(text, directory);
  if (!found) throw UsageError(found.why().detail);
  return *std::move(found);
}

Graded what_to_grade(const GradeCommand& command, const Surroundings& surroundings) {
  const auto directory = plugin_directory(surroundings.executable);
  Graded graded;
  for (const std::string& text : command.backends) {
    graded.bugs.push_back({.name = text, .family = "backend", .sentence = "-", .shows = "always"});
    graded.specs.push_back(backend_named(text, directory));
  }
  if (!command.backends.empty()) return graded;
  graded.bugs = chosen_bugs(planted_bugs(directory), command);
  for (const PlantedBug& bug : graded.bugs) {
    graded.specs.push_back(backend_named("faulty:" + bug.name, directory));
  }
  return graded;
}

void check_writable(const std::string& option, const std::string& path) {
  if (path.empty()) return;
  const auto trouble = vectors::why_not_writable(path);
  if (trouble) throw UsageError(fmt::format("{}: {}", option, *trouble));
}

int grade(const GradeCommand& command, const Surroundings& surroundings) {
  const auto [bugs, specs] = what_to_grade(command, surroundings);
  if (command.list) {
    for (const PlantedBug& bug : bugs) {
      fmt::print("{}", line_of(bug));
    }
    return 0;
  }
  check_writable("--choose", command.choose);
  check_writable("--out", command.out);
  const CaseList cases = sorted_for(command, selected_cases(command));
  RunOptions options;
  options.examine.threads = command.threads;
  options.host = {.deadline = std::chrono::milliseconds(
                      static_cast<std::int64_t>(command.deadline_seconds * 1000)),
                  .worker_program = surroundings.executable.string(),
                  .memory_limit = static_cast<std::size_t>(command.memory_gib * 0x1p30),
                  .sandbox = {.writable = command.sandbox_writable}};
  const BoundedJobs bounded = choose_jobs(command.jobs, specs.size(), command.threads);
  if (command.jobs && !bounded.why.empty()) tell(fmt::format("concord: {}\n", bounded.why));
  options.jobs = bounded.jobs;
  options.max_failed = command.finds.value_or(command.choose.empty() ? 1 : kFindsOfBug);
  Journal none;
  ProgressBar bar;
  const std::atomic<bool> never{false};
  const RunOutcome outcome = run_cases(cases, specs, options, none, {}, never,
                                       [&](const Progress& progress) { bar.show(progress); });
  bar.finish();
  for (const BackendRun& backend : outcome.backends) {
    // A given backend that cannot be loaded is one that everybody notices: found.
    if (!backend.error.empty() && command.backends.empty()) throw UsageError(backend.error);
  }
  if (!command.choose.empty()) write_choice(command.choose, cases, bugs, outcome);
  if (!command.out.empty()) {
    write_finds(command.out, command.cases.scope(), cases, bugs, outcome);
  }
  return print_score(cases, bugs, outcome, command.at_least);
}

}  // namespace

void add_grade_command(CLI::App& app, Surroundings& surroundings) {
  auto* sub = app.add_subcommand("grade", "Measure a suite: which planted bugs does it find?");
  sub->footer(
      "Examples:\n"
      "  concord grade --suite smoke\n"
      "  concord grade --suite full --bug kernel_flip\n"
      "  concord grade --list --family 'cntk*'\n"
      "  concord grade --suite full --choose conformance/catalog/chosen.txt\n"
      "  concord grade --backend ./mutant1.so --backend ./mutant2.so --out finds.json\n"
      "Exit codes: 0 enough bugs were found, 1 too few, 2 no verdict.");
  auto command = std::make_shared<GradeCommand>();
  command->cases.add_to(*sub);
  auto* bug = sub->add_option("--bug", command->bugs, "only this planted bug (repeatable)");
  auto* family =
      sub->add_option("--family", command->family, "only bugs whose family matches this glob");
  sub->add_option(
         "--backend", command->backends,
         "grade by this backend instead of the planted bugs: a bug of its own (repeatable)")
      ->excludes(bug, family);
  sub->add_option("--without", command->without, "leave out the case of this id (repeatable)");
  sub->add_flag("--list", command->list, "list the planted bugs instead, one per line");
  sub->add_option("--choose", command->choose,
                  "write the few cases that find each bug twice to this file, cheap ones first");
  sub->add_option("--finds", command->finds,
                  "how many failing cases of each bug to look for; default: 1, with --choose 8")
      ->check(CLI::Range(1, 1000000));
  sub->add_option("--out", command->out, "write what found each bug to this file, as JSON");
  sub->add_option("--threads", command->threads, "how many threads the backend may use")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  sub->add_option("--jobs", command->jobs,
                  "cases at a time; default: as many as get --threads cores each, if there is "
                  "memory for so many processes")
      ->check(CLI::Range(1, 1024));
  sub->add_option("--deadline", command->deadline_seconds, "deadline of each request, in seconds")
      ->check(seconds_between(0.001, 86400))
      ->capture_default_str();
  sub->add_option("--memory-limit", command->memory_gib,
                  "memory limit of each process of a backend, in GiB")
      ->check(CLI::Range(0.1, 1048576.0))
      ->capture_default_str();
  add_sandbox_allow(*sub, command->sandbox_writable);
  sub->callback(
      [command, &surroundings] { surroundings.exit_code = grade(*command, surroundings); });
}

}  // namespace concord::conformance
