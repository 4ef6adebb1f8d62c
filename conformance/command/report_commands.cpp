// SPDX-License-Identifier: Apache-2.0
#include "conformance/command/command.h"
#include "conformance/command/python_program.h"

namespace concord::conformance {
namespace {

void add(CLI::App& app, const std::string& name, const std::string& summary) {
  auto* sub = app.add_subcommand(name, summary);
  sub->prefix_command();  // everything behind the name is the program's own
  sub->set_help_flag();
  sub->callback([sub, name] { become_python(name, sub->remaining()); });
}

}  // namespace

void add_report_commands(CLI::App& app) {
  add(app, "import", "Make a problems file of the convolutions in a model, log or trace");
  add(app, "report", "Make one HTML page from results files");
  add(app, "diff", "Show what changed between two results files");
  add(app, "merge", "Join the results files of shards");
  add(app, "statement", "Make a conformance statement of a results file, or check one");
}

}  // namespace concord::conformance
