// SPDX-License-Identifier: Apache-2.0
// What `concord vectors add` and `concord vectors import` share: who produced a set, and how far
// its numbers can be relied on.
#ifndef CONCORD_CONFORMANCE_COMMAND_VECTOR_OPTIONS_H_
#define CONCORD_CONFORMANCE_COMMAND_VECTOR_OPTIONS_H_

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "vectors/add.h"

namespace concord::conformance {

/// --producer, --producer-version, --command, --date and --licence: the head of a new set.
struct HeadOptions {
  std::string producer{}, version{}, command{}, date{}, licence{};

  void add_to(CLI::App& app);
  /// None if no option is given.
  /// Errors  UsageError: some are given, but not all
  std::optional<vectors::Manifest> head(const std::string& set) const;
};

/// Sets the exactness that `text` states: "exact", "correctly_rounded", "arithmetic", or
/// "printed=4" of a dst that was printed with four significant digits.
/// Errors  UsageError that begins with `name`, the place of the text
void set_exactness(const std::string& text, const std::string& name, vectors::NewVector& vector);

/// Sets the producer's class, which is not empty.
/// Errors  as above
void set_arithmetic(const std::string& text, const std::string& name, vectors::NewVector& vector);

/// The problem on `line`, which is one that its specification lets pass.
/// Errors  as above
Problem recorded_problem(const std::string& line, const std::string& name);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_COMMAND_VECTOR_OPTIONS_H_
