// SPDX-License-Identifier: Apache-2.0
// Resolves the text after --backend to a file and a configuration.
#ifndef CONCORD_CONFORMANCE_RUN_BACKEND_SPEC_H_
#define CONCORD_CONFORMANCE_RUN_BACKEND_SPEC_H_

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/worker/host.h"
#include "spec/result.h"

namespace concord::conformance {

/// The folder of the backends that come with Concord, for the program at `executable`: a build's
/// plugins/ beside its bin/, or lib/concord/plugins under an installation's prefix.
std::filesystem::path plugin_directory(const std::filesystem::path& executable);

/// The names of the backends in `directory`, sorted: NAME.so is a plugin, an executable file NAME a
/// program as of "exec:", of which a configuration is the argument.
std::vector<std::string> shipped_backends(const std::filesystem::path& directory);

/// Reads "NAME", "NAME:CONFIG", "PATH.so", "PATH.so:CONFIG" or "exec:COMMAND"; anything else with a
/// slash or ending in .so is a path.
/// Errors  kSyntax naming what was written: no such shipped backend, no such file, no command
Result<BackendSpec> find_backend(std::string_view text, const std::filesystem::path& directory);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_RUN_BACKEND_SPEC_H_
