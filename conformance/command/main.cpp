// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "conformance/command/command.h"

namespace concord::conformance {
namespace {

int run_command_line(int argc, char** argv) {
  Surroundings surroundings;
  surroundings.executable = std::filesystem::read_symlink("/proc/self/exe");
  surroundings.command_line.assign(argv, argv + argc);
  CLI::App app("Concord judges convolution libraries by five specifications.", "concord");
  app.set_version_flag("--version", CONCORD_VERSION);
  app.require_subcommand(1);
  app.footer("Exit codes: 0 conforms, 1 does not conform, 2 could not say.");
  add_run_command(app, surroundings);
  add_list_command(app, surroundings);
  add_show_command(app, surroundings);
  add_replay_command(app, surroundings);
  add_grade_command(app, surroundings);
  add_report_commands(app, surroundings);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    // CLI11 does not name a word that is no subcommand.
    const bool unknown = argc > 1 && argv[1][0] != '-' && app.get_subcommands().empty();
    const std::string what =
        unknown ? fmt::format("there is no subcommand {}", argv[1]) : error.what();
    fmt::print(stderr, "concord: {} (--help says what there is)\n", what);
    return 2;
  }
  return surroundings.exit_code;
}

}  // namespace
}  // namespace concord::conformance

int main(int argc, char** argv) {
  try {
    // Hidden: the process that loads a plugin.
    if (argc == 4 && std::strcmp(argv[1], "worker") == 0) {
      return concord::conformance::worker_main(std::atoi(argv[3]));
    }
    return concord::conformance::run_command_line(argc, argv);
  } catch (const std::exception& trouble) {
    fmt::print(stderr, "concord: {}\n", trouble.what());
    return 2;
  }
}
