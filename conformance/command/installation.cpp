// SPDX-License-Identifier: Apache-2.0
#include "conformance/command/installation.h"

namespace concord::conformance {

namespace fs = std::filesystem;

fs::path running_program() { return fs::read_symlink("/proc/self/exe"); }

fs::path data_directory(std::string_view name) {
  return running_program().parent_path().parent_path() / "share" / "concord" / name;
}

}  // namespace concord::conformance
