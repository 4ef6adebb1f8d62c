// SPDX-License-Identifier: Apache-2.0
#include "conformance/run/backend_spec.h"

#include <fmt/ranges.h>

#include <algorithm>

namespace concord::conformance {

namespace fs = std::filesystem;

fs::path plugin_directory(const fs::path& executable) {
  const fs::path root = executable.parent_path().parent_path();
  std::error_code ignored;
  if (fs::is_directory(root / "plugins", ignored)) return root / "plugins";
  return root / "lib" / "concord" / "plugins";
}

std::vector<std::string> shipped_backends(const fs::path& directory) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(directory, error)) {
    if (entry.path().extension() == ".so") names.push_back(entry.path().stem());
  }
  std::sort(names.begin(), names.end());
  return names;
}

Result<BackendSpec> find_backend(std::string_view text, const fs::path& directory) {
  const auto refuse = [&](const std::string& why) {
    return Refusal{Fault::kSyntax, fmt::format("backend '{}': {}", text, why)};
  };
  constexpr std::string_view kCommandPrefix = "exec:";
  if (text.starts_with(kCommandPrefix)) {
    const std::string command(text.substr(kCommandPrefix.size()));
    if (command.empty()) return refuse("a command must follow the colon");
    return BackendSpec{.text = std::string(text), .config = command};
  }
  constexpr std::string_view kSuffix = ".so";
  // A path ends with the first ".so" that a colon or nothing follows: paths may hold colons.
  std::size_t end = text.size();
  bool is_path = false;
  for (std::size_t at = text.find(kSuffix); at != std::string_view::npos;
       at = text.find(kSuffix, at + 1)) {
    const std::size_t behind = at + kSuffix.size();
    if (behind != text.size() && text[behind] != ':') continue;
    is_path = true;
    end = behind;
    break;
  }
  if (!is_path && text.find('/') != std::string_view::npos) is_path = true;
  if (!is_path) end = std::min(text.find(':'), text.size());

  const std::string name(text.substr(0, end));
  BackendSpec spec{.text = std::string(text),
                   .path = is_path ? name : (directory / (name + ".so")).string(),
                   .config = end < text.size() ? std::string(text.substr(end + 1)) : ""};
  std::error_code ignored;
  if (!name.empty() && fs::is_regular_file(spec.path, ignored)) {
    spec.path = fs::absolute(spec.path, ignored).string();
    return spec;
  }
  if (is_path) return refuse("there is no file " + name);
  return refuse(fmt::format("no such backend comes with Concord; available: {}",
                            fmt::join(shipped_backends(directory), ", ")));
}

}  // namespace concord::conformance
