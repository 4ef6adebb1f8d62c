// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "conformance/command/command.h"
#include "conformance/command/installation.h"

namespace concord::conformance {
namespace {

namespace fs = std::filesystem;

// Becomes the Python program: its output and its exit code are the command's.
int become(const fs::path& script, const std::vector<std::string>& arguments) {
  std::error_code ignored;
  if (!fs::is_regular_file(script, ignored)) {
    throw UsageError(fmt::format("{} is missing: the installation is incomplete", script.string()));
  }
  std::vector<std::string> words = {CONCORD_PYTHON, script.string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  execv(argv[0], argv.data());
  throw UsageError(fmt::format("cannot start {}: {}", CONCORD_PYTHON, std::strerror(errno)));
}

void add(CLI::App& app, Surroundings& surroundings, const std::string& name,
         const std::string& summary) {
  auto* sub = app.add_subcommand(name, summary);
  sub->prefix_command();  // everything behind the name is the program's own
  sub->set_help_flag();
  sub->callback([sub, name, &surroundings] {
    surroundings.exit_code = become(data_directory("reports") / (name + ".py"), sub->remaining());
  });
}

}  // namespace

void add_report_commands(CLI::App& app, Surroundings& surroundings) {
  add(app, surroundings, "report", "Make one HTML page from results files");
  add(app, surroundings, "diff", "Show what changed between two results files");
  add(app, surroundings, "merge", "Join the results files of shards");
  add(app, surroundings, "statement",
      "Make a conformance statement of a results file, or check one");
}

}  // namespace concord::conformance
