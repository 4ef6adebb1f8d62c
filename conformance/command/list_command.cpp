// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <string>

#include "conformance/command/batch_run.h"
#include "conformance/command/command.h"
#include "conformance/command/installation.h"
#include "conformance/command/operations_table.h"
#include "conformance/command/planted_bugs.h"
#include "conformance/run/backend_spec.h"

namespace concord::conformance {
namespace {

void print_cases(const CaseList& cases) {
  for (const Case& each : cases) {
    fmt::print("{}\t{}{}\n", each.id, print(each.problem),
               each.note.empty() ? "" : "\t# " + each.note);
  }
}

void list_cases(const CaseOptions& options) {
  if (!options.are_in_batches()) return print_cases(options.select());
  const Batches batches = options.batches();
  for (const std::size_t number : batches.numbers()) print_cases(batches.at(number));
}

/// The available ones by their names; of each other one of optional_backends.txt what it needs.
void list_backends(const Surroundings& surroundings) {
  const auto available = shipped_backends(plugin_directory(surroundings.executable));
  for (const auto& name : available) fmt::print("{}\n", name);
  std::ifstream rows(data_directory("optional_backends.txt"));
  for (std::string row; std::getline(rows, row);) {
    const std::size_t end = row.find(' ');
    if (row.empty() || row.front() == '#' || end == std::string::npos) continue;
    const std::string name = row.substr(0, end);
    if (std::find(available.begin(), available.end(), name) != available.end()) continue;
    fmt::print("{}: not built here, needs {}\n", name, row.substr(row.find_first_not_of(' ', end)));
  }
}

}  // namespace

void add_list_command(CLI::App& app, Surroundings& surroundings) {
  auto* sub = app.add_subcommand(
      "list", "List the cases of a suite, the backends, the operations, or the planted bugs");
  sub->footer(
      "Examples:\n"
      "  concord list --suite full --filter 'resnet50/*'\n"
      "  concord list --backends\n"
      "  concord list --bugs");
  auto options = std::make_shared<CaseOptions>();
  auto backends = std::make_shared<bool>(false);
  auto operations = std::make_shared<bool>(false);
  auto bugs = std::make_shared<bool>(false);
  options->add_to(*sub, {"exhaustive"});
  sub->add_flag("--backends", *backends,
                "list the backends that come with Concord, and what the others need, instead");
  sub->add_flag("--operations", *operations,
                "list the operations with their attributes instead, as a Markdown table")
      ->excludes("--backends");
  sub->add_flag("--bugs", *bugs,
                "list the planted bugs of the backend faulty instead: name, family, when it shows, "
                "what is wrong")
      ->excludes("--backends", "--operations");
  sub->callback([options, backends, operations, bugs, &surroundings] {
    if (*bugs) {
      for (const PlantedBug& bug : planted_bugs(plugin_directory(surroundings.executable))) {
        fmt::print("{}", line_of(bug));
      }
    } else if (*operations) {
      fmt::print("{}", operations_table());
    } else if (*backends) {
      list_backends(surroundings);
    } else {
      list_cases(*options);
    }
    surroundings.exit_code = 0;
  });
}

}  // namespace concord::conformance
