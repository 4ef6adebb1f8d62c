// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include "conformance/command/build_id.h"
#include "conformance/command/command.h"
#include "conformance/command/installation.h"
#include "conformance/output/standard_streams.h"
#include "conformance/worker/lack.h"
#include "conformance/worker/sandbox.h"

namespace concord::conformance {
namespace {

// A word that no command knows is what to name, rather than what it left missing.
std::string explain(const CLI::App& app, const CLI::ParseError& error) {
  const std::vector<std::string> unknown = app.remaining(true);
  if (dynamic_cast<const CLI::RequiredError*>(&error) == nullptr || unknown.empty()) {
    return error.what();
  }
  return fmt::format("{}: no such command or option", unknown.front());
}

// {fmt} throws where standard output cannot be written, and does not know its name.
std::string explain(const std::exception& trouble) {
  const auto* system = dynamic_cast<const std::system_error*>(&trouble);
  if (system != nullptr && is_lack(system->code().value())) {
    return explain_error(system->code().value());
  }
  if (system == nullptr || std::ferror(stdout) == 0) return trouble.what();
  return "cannot write standard output: " + system->code().message();
}

// What was printed counts as said only if it was written.
int flushed(int exit_code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return exit_code;
  tell(fmt::format("concord: cannot write standard output: {}\n", std::strerror(errno)));
  return 2;
}

int run_command_line(int argc, char** argv) {
  Surroundings surroundings;
  surroundings.executable = running_program();
  surroundings.command_line.assign(argv, argv + argc);
  CLI::App app("Concord judges convolution libraries by five specifications.", "concord");
  app.set_version_flag("--version", fmt::format("{} (commit {})", CONCORD_VERSION, build_id()));
  app.require_subcommand(1);
  app.footer("Exit codes: 0 conforms, 1 does not conform, 2 no verdict.");
  add_run_command(app, surroundings);
  add_list_command(app, surroundings);
  add_show_command(app, surroundings);
  add_replay_command(app, surroundings);
  add_shrink_command(app, surroundings);
  add_spec_command(app, surroundings);
  add_grade_command(app, surroundings);
  add_power_command(app, surroundings);
  add_vectors_command(app, surroundings);
  add_report_commands(app);
  add_new_plugin_command(app, surroundings);
  add_manual_command(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return flushed(app.exit(error));  // --help, --version
    tell(fmt::format("concord: {} (see --help)\n", explain(app, error)));
    return 2;
  }
  return flushed(surroundings.exit_code);
}

}  // namespace
}  // namespace concord::conformance

int main(int argc, char** argv) {
  try {
    // Hidden: the process of a backend.
    if (const auto code = concord::conformance::serve_host(argc, argv)) return *code;
    concord::conformance::occupy_standard_descriptors();
    concord::conformance::raise_descriptor_limit();
    concord::conformance::shield_memory();
    return concord::conformance::run_command_line(argc, argv);
  } catch (const std::exception& trouble) {
    concord::conformance::tell(
        fmt::format("concord: {}\n", concord::conformance::explain(trouble)));
    return 2;
  }
}
