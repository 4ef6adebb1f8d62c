// SPDX-License-Identifier: Apache-2.0
// A plugin's shared object: loaded, and its table checked before anything in it is called.
#ifndef CONCORD_CONFORMANCE_WORKER_PLUGIN_FILE_H_
#define CONCORD_CONFORMANCE_WORKER_PLUGIN_FILE_H_

#include <optional>
#include <string>

#include "plugin/concord_plugin.h"
#include "spec/result.h"

namespace concord::conformance {

/// Loads the shared object and asks it for its table. It stays loaded until the process ends.
/// Errors  kSyntax naming the file, what it lacks and what was expected: a missing file, no shared
///         object, no symbol, another ABI, a table too small, a null in the table
Result<const concord_plugin*> load_plugin(const std::string& path);

/// What is wrong with a table, such as "its execute is null", if anything is.
std::optional<std::string> fault_of_table(const concord_plugin* table);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_WORKER_PLUGIN_FILE_H_
