// SPDX-License-Identifier: Apache-2.0
// The problems of a model, log or trace, as `concord import` makes them: --model.
#ifndef CONCORD_CONFORMANCE_COMMAND_IMPORTED_MODEL_H_
#define CONCORD_CONFORMANCE_COMMAND_IMPORTED_MODEL_H_

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace concord::conformance {

/// A problems file that no file holds.
struct ImportedModel {
  std::string problems{};              ///< lines `NAME: PROBLEM`, and comments
  std::vector<std::string> remarks{};  ///< what was not imported with its reason, and the like
};

/// --model, --batch and --input.
struct ModelOptions {
  std::optional<std::string> file{}, batch{};
  std::vector<std::string> inputs{};

  void add_to(CLI::App& command);
  /// The problems of `file`, read once; what is not imported is told on standard error.
  /// Errors  UsageError: it has none that can be imported, or cannot be read
  const ImportedModel& imported() const;

 private:
  mutable std::shared_ptr<const ImportedModel> imported_{};
};

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_COMMAND_IMPORTED_MODEL_H_
