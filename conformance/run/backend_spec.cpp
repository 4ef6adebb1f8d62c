// SPDX-License-Identifier: Apache-2.0
#include "conformance/run/backend_spec.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "conformance/run/backend_files.h"

namespace concord::conformance {

namespace fs = std::filesystem;

fs::path plugin_directory(const fs::path& executable) {
  const fs::path root = executable.parent_path().parent_path();
  std::error_code ignored;
  if (fs::is_directory(root / "plugins", ignored)) return root / "plugins";
  return root / "lib" / "concord" / "plugins";
}

namespace {

/// Is `path` a backend that is not loaded, but run?
bool is_program(const fs::path& path) {
  std::error_code ignored;
  const auto status = fs::status(path, ignored);
  return path.extension().empty() && fs::is_regular_file(status) &&
         (status.permissions() & fs::perms::owner_exec) != fs::perms::none;
}

/// `word` as one word of the shell.
std::string shell_word(std::string_view word) {
  std::string text = "'";
  for (const char each : word) text += each == '\'' ? std::string("'\\''") : std::string(1, each);
  return text + "'";
}

}  // namespace

std::vector<std::string> shipped_backends(const fs::path& directory) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(directory, error)) {
    const fs::path& path = entry.path();
    if (path.extension() == ".so" || is_program(path)) names.push_back(path.stem());
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
    return BackendSpec{
        .text = std::string(text), .config = command, .files = files_named_by(command)};
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
  // A configuration may hold any path.
  if (text.substr(0, text.find(':')).find('/') != std::string_view::npos) is_path = true;
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
  if (const fs::path program = fs::absolute(directory / name, ignored);
      !name.empty() && is_program(program)) {
    const std::string argument = spec.config.empty() ? "" : " " + shell_word(spec.config);
    return BackendSpec{.text = std::string(text),
                       .config = shell_word(program.string()) + argument,
                       .files = {program.string()}};
  }
  return refuse(fmt::format("no such backend comes with Concord; available: {}",
                            fmt::join(shipped_backends(directory), ", ")));
}

}  // namespace concord::conformance
