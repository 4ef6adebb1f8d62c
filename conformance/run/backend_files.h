// SPDX-License-Identifier: Apache-2.0
// The build of a backend that is judged: its files and their hashes.
#ifndef CONCORD_CONFORMANCE_RUN_BACKEND_FILES_H_
#define CONCORD_CONFORMANCE_RUN_BACKEND_FILES_H_

#include <string>
#include <vector>

#include "conformance/worker/host.h"

namespace concord::conformance {

struct BackendFile {
  std::string path{};
  std::string sha256{};  ///< of its contents; empty if it could not be read
};

/// The plugin's file. Of a command: its program, as PATH finds it, and each file that the command
/// line names, also behind a '='. Libraries that these load are not among them.
std::vector<BackendFile> files_of(const BackendSpec& spec);

/// "conv.so SHA-256 ab12..., ...": what differs between two builds; empty if there are no files.
std::string build_text(const std::vector<BackendFile>& files);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_RUN_BACKEND_FILES_H_
