// SPDX-License-Identifier: Apache-2.0
#include "conformance/command/imported_model.h"

#include <fmt/format.h>

#include <sstream>

#include "conformance/command/command.h"
#include "conformance/command/python_program.h"

namespace concord::conformance {
namespace {

// The comments behind the first, which names the file: `# REMARK`.
std::vector<std::string> remarks_of(const std::string& problems) {
  std::vector<std::string> remarks;
  std::istringstream lines(problems);
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line) && line.starts_with("# ")) remarks.push_back(line.substr(2));
  return remarks;
}

}  // namespace

void ModelOptions::add_to(CLI::App& command) {
  auto* model = command
                    .add_option("--model", file,
                                "judge the convolutions of this ONNX model, or of another file "
                                "that concord import reads, instead")
                    ->check(CLI::ExistingFile)
                    ->excludes("--problems");
  command.add_option("--batch", batch, "with --model: as for concord import")->needs(model);
  command.add_option("--input", inputs, "with --model: as for concord import (repeatable)")
      ->needs(model);
}

const ImportedModel& ModelOptions::imported() const {
  if (imported_) return *imported_;
  std::vector<std::string> arguments;
  if (batch) arguments.push_back("--batch=" + *batch);
  for (const std::string& input : inputs) arguments.push_back("--input=" + input);
  arguments.insert(arguments.end(), {"--", *file});
  const PythonOutput output = run_python("import", arguments);
  if (output.exit_code != 0 && output.exit_code != 1) {  // 1: some convolutions are not imported
    throw UsageError(fmt::format("--model: {} cannot be imported", *file));
  }
  imported_ = std::make_shared<const ImportedModel>(
      ImportedModel{.problems = output.text, .remarks = remarks_of(output.text)});
  return *imported_;
}

}  // namespace concord::conformance
