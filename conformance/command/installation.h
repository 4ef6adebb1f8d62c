// SPDX-License-Identifier: Apache-2.0
// The files that belong to the program. All are found from where it lies, so that an installation
// can be moved; no path of the sources is compiled in.
#ifndef CONCORD_CONFORMANCE_COMMAND_INSTALLATION_H_
#define CONCORD_CONFORMANCE_COMMAND_INSTALLATION_H_

#include <filesystem>
#include <string_view>

namespace concord::conformance {

/// The file of this process's program.
std::filesystem::path running_program();

/// PREFIX/share/concord/NAME, where this program is PREFIX/bin/concord: "reports" or "vectors".
/// A build's prefix is its folder, which holds links to the sources.
std::filesystem::path data_directory(std::string_view name);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_COMMAND_INSTALLATION_H_
