// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>

#include "conformance/command/command.h"
#include "conformance/command/operations_table.h"
#include "conformance/run/backend_spec.h"

namespace concord::conformance {
namespace {

void list_cases(const CaseOptions& options) {
  for (const Case& each : options.select()) {
    fmt::print("{}\t{}{}\n", each.id, print(each.problem),
               each.note.empty() ? "" : "\t# " + each.note);
  }
}

void list_backends(const Surroundings& surroundings) {
  for (const auto& name : shipped_backends(plugin_directory(surroundings.executable))) {
    fmt::print("{}\n", name);
  }
}

}  // namespace

void add_list_command(CLI::App& app, Surroundings& surroundings) {
  auto* sub =
      app.add_subcommand("list", "List the cases of a suite, the backends, or the operations");
  sub->footer(
      "Examples:\n"
      "  concord list --suite full --filter 'resnet50/*'\n"
      "  concord list --backends");
  auto options = std::make_shared<CaseOptions>();
  auto backends = std::make_shared<bool>(false);
  auto operations = std::make_shared<bool>(false);
  options->add_to(*sub);
  sub->add_flag("--backends", *backends, "list the backends that come with Concord instead");
  sub->add_flag("--operations", *operations,
                "list the operations with their attributes instead, as a Markdown table")
      ->excludes("--backends");
  sub->callback([options, backends, operations, &surroundings] {
    if (*operations) {
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
