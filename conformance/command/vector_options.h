// SPDX-License-Identifier: Apache-2.0
// What `concord vectors add` and `concord vectors import` share: who produced a set, and how far
// its numbers can be relied on.
#ifndef CONCORD_CONFORMANCE_COMMAND_VECTOR_OPTIONS_H_
#define CONCORD_CONFORMANCE_COMMAND_VECTOR_OPTIONS_H_

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

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

/// Sets the problem on `line`, which is one that its specification lets pass, and the shape of its
/// dst.
/// Errors  UsageError that begins with `name`, the place of the line
void set_problem(const std::string& line, const std::string& name, vectors::NewVector& vector);

/// Sets the exactness that `text` states: "exact", "correctly_rounded", "arithmetic", or
/// "printed=4" of a dst that was printed with four significant digits; and the producer's class,
/// which may be empty.
/// Errors  UsageError that begins with `name` or `class_name`, the places of the texts: as well if
///         there is a class where none belongs, or none where one does
void set_exactness(const std::string& text, const std::string& name, const std::string& arithmetic,
                   const std::string& class_name, vectors::NewVector& vector);

/// Adds the vectors to the set in the folder `root`, and prints what it has then.
/// Errors  UsageError: nothing was added
void add_to_set(const std::string& root, const std::string& set, const HeadOptions& head,
                const std::vector<vectors::NewVector>& added);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_COMMAND_VECTOR_OPTIONS_H_
