// SPDX-License-Identifier: Apache-2.0
// concord_experiments: one experiment of the paper, as JSON and a picture.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "experiments/experiment.h"

namespace concord::experiments {
namespace {

struct Arguments {
  std::string backend{};
  std::filesystem::path out = ".";
  int threads = 1;
  bool fast = false;
};

// The engine that was built beside this program.
std::string own_plugin() {
  const auto program = std::filesystem::read_symlink("/proc/self/exe");
  return program.parent_path().parent_path() / "plugins" / "optimized.so";
}

void write(const std::filesystem::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) throw std::runtime_error("cannot write " + path.string());
}

void write_results(const Experiment& experiment, const Arguments& arguments) {
  std::filesystem::create_directories(arguments.out);
  Backend backend(arguments.backend, arguments.threads);
  const Outcome outcome = run(experiment, backend, arguments.fast ? Effort::kFast : Effort::kFull);
  write(arguments.out / (experiment.name + ".json"), outcome.numbers.dump(1) + "\n");
  write(arguments.out / (experiment.name + ".svg"), outcome.svg);
  fmt::print("{}", outcome.summary);
}

}  // namespace
}  // namespace concord::experiments

int main(int argc, char** argv) {
  using concord::experiments::Experiment;
  concord::experiments::Arguments arguments;
  CLI::App app(
      "Runs one experiment of the paper on the continuous convolution layer, and writes NAME.json\n"
      "and NAME.svg. Example: concord_experiments figure7 --out build/figures");
  app.require_subcommand(1);
  app.fallthrough();
  app.add_option("--out", arguments.out, "the folder to write to")->capture_default_str();
  app.add_option("--backend", arguments.backend, "the plugin that computes; default: our engine");
  app.add_option("--threads", arguments.threads)->check(CLI::PositiveNumber)->capture_default_str();
  app.add_flag("--fast", arguments.fast, "a small version, in seconds");
  for (const Experiment& experiment : concord::experiments::experiments()) {
    app.add_subcommand(experiment.name, experiment.title)->callback([&] {
      if (arguments.backend.empty()) arguments.backend = concord::experiments::own_plugin();
      concord::experiments::write_results(experiment, arguments);
    });
  }
  try {
    CLI11_PARSE(app, argc, argv);
  } catch (const std::exception& trouble) {
    fmt::print(stderr, "concord_experiments: {}\n", trouble.what());
    return 2;
  }
  return 0;
}
