// SPDX-License-Identifier: Apache-2.0
// `concord new-plugin`: a folder to begin with, copied from the installation.
#include <fmt/format.h>

#include <array>

#include "conformance/command/command.h"
#include "conformance/command/installation.h"
#include "conformance/output/results.h"

namespace concord::conformance {
namespace {

namespace fs = std::filesystem;

/// A language, its folder in share/concord/starters, the commands in a copy of it, and what they
/// need.
struct Starter {
  const char *language, *folder, *build, *backend, *needs;
};
constexpr std::array kStarters = {
    Starter{"c", "c", "make", "./template.so", "a C compiler and make"},
    Starter{"c++", "cpp", "make", "./plugin.so", "a C++17 compiler and make"},
    Starter{"python", "python", "", "'exec:python3 plugin.py'", "Python 3.9 and numpy"},
    Starter{"javascript", "javascript", "", "'exec:node plugin.js'", "Node.js 18"},
};

const Starter& starter_of(const std::string& language) {
  std::string known;
  for (const Starter& each : kStarters) {
    if (each.language == language) return each;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", each.language);
  }
  throw UsageError(fmt::format("--language is '{}'; expected one of {}", language, known));
}

// Copies files, not links to them: a build's folder has links to the sources.
void copy_folder(const fs::path& from, const fs::path& to) {
  fs::create_directories(to);
  for (const auto& entry : fs::directory_iterator(from)) {
    const fs::path name = entry.path().filename();
    if (name == "__pycache__") continue;
    if (entry.is_directory()) {
      copy_folder(entry.path(), to / name);
    } else {
      fs::copy_file(entry.path(), to / name);
    }
  }
}

void make_plugin(const fs::path& folder, const std::string& language) {
  const Starter& starter = starter_of(language);
  const fs::path from = data_directory("starters") / starter.folder;
  std::error_code error;
  if (!fs::is_directory(from, error)) {
    throw UsageError(fmt::format("{} is missing: the installation is incomplete", from.string()));
  }
  if (fs::exists(folder, error) && !(fs::is_directory(folder) && fs::is_empty(folder))) {
    throw UsageError(fmt::format("'{}' exists, and is no empty folder", folder.string()));
  }
  try {
    copy_folder(from, folder);
  } catch (const fs::filesystem_error& failure) {
    throw UsageError(
        fmt::format("cannot write '{}': {}", folder.string(), failure.code().message()));
  }
  fmt::print("{} has a plugin that computes a little and conforms in it. It needs {}. Next:\n",
             folder.string(), starter.needs);
  fmt::print("  cd {}\n", shell_quoted(folder.string()));
  if (*starter.build != '\0') fmt::print("  {}\n", starter.build);
  fmt::print("  concord run --backend {}\n", starter.backend);
  fmt::print("README.md says how to go on.\n");
}

}  // namespace

void add_new_plugin_command(CLI::App& app, Surroundings& surroundings) {
  auto* sub = app.add_subcommand("new-plugin", "Make a folder with a plugin to begin with");
  sub->footer(
      "Examples:\n"
      "  concord new-plugin mylib --language c++\n"
      "  concord new-plugin mylib --language python");
  auto folder = std::make_shared<std::string>();
  auto language = std::make_shared<std::string>("c");
  sub->add_option("folder", *folder, "the new folder")->required();
  sub->add_option("--language", *language, "c, c++, python or javascript")->capture_default_str();
  sub->callback([folder, language, &surroundings] {
    make_plugin(*folder, *language);
    surroundings.exit_code = 0;
  });
}

}  // namespace concord::conformance
