// SPDX-License-Identifier: Apache-2.0
#include "backends/clblast/kernel_cache.h"

#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>
#include <utility>

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

/// Where pocl keeps kernels if nobody changes that; empty where it has no such place.
std::filesystem::path present_cache() {
  const auto folder_of = [](const char* variable, const char* below) {
    const char* value = getenv(variable);
    return value == nullptr || *value == '\0' ? std::filesystem::path()
                                              : std::filesystem::path(value) / below;
  };
  for (const auto& [variable, below] :
       {std::pair{"POCL_CACHE_DIR", ""}, {"XDG_CACHE_HOME", "pocl/kcache"}}) {
    if (auto folder = folder_of(variable, below); !folder.empty()) return folder;
  }
  return folder_of("HOME", ".cache/pocl/kcache");
}

}  // namespace

void find_kernel_cache() {
  const auto folder = present_cache();
  if (!folder.empty() && is_writable(folder)) return;
  char fresh[] = "/tmp/concord-pocl-XXXXXX";
  if (mkdtemp(fresh) != nullptr) setenv("POCL_CACHE_DIR", fresh, /*overwrite=*/1);
}

}  // namespace concord::backends
