// SPDX-License-Identifier: Apache-2.0
#include "backends/clblast/kernel_cache.h"

#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>

namespace concord::backends {
namespace {

/// Can a folder be made at `path`, or written if it is there?
bool is_writable(std::filesystem::path path) {
  std::error_code error;
  while (path.has_relative_path() && !std::filesystem::exists(path, error)) {
    path = path.parent_path();
  }
  return std::filesystem::is_directory(path, error) && access(path.c_str(), W_OK) == 0;
}

/// Where pocl keeps kernels if nobody tells it; empty where it has no such place.
std::filesystem::path default_cache() {
  const auto folder_of = [](const char* variable, const char* below) {
    const char* value = getenv(variable);
    return value == nullptr || *value == '\0' ? std::filesystem::path()
                                              : std::filesystem::path(value) / below;
  };
  auto folder = folder_of("XDG_CACHE_HOME", "pocl/kcache");
  return folder.empty() ? folder_of("HOME", ".cache/pocl/kcache") : folder;
}

}  // namespace

void find_kernel_cache() {
  if (getenv("POCL_CACHE_DIR") != nullptr) return;
  const auto folder = default_cache();
  if (!folder.empty() && is_writable(folder)) return;
  char fresh[] = "/tmp/concord-pocl-XXXXXX";
  if (mkdtemp(fresh) != nullptr) setenv("POCL_CACHE_DIR", fresh, /*overwrite=*/0);
}

}  // namespace concord::backends
