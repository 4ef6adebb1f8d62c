// SPDX-License-Identifier: Apache-2.0
#include "conformance/run/backend_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "vectors/sha256.h"

namespace concord::conformance {
namespace {

namespace fs = std::filesystem;

bool is_file(const std::string& path) {
  std::error_code ignored;
  return !path.empty() && fs::is_regular_file(path, ignored);
}

// The words of a command as a shell splits them, without what it would substitute.
std::vector<std::string> words_of(const std::string& command) {
  std::vector<std::string> words;
  std::string word;
  bool begun = false;
  char quote = 0;
  for (std::size_t at = 0; at < command.size(); ++at) {
    const char c = command[at];
    if (quote != 0 ? c == quote : c == '\'' || c == '"') {
      quote = quote != 0 ? char{0} : c;
      begun = true;
    } else if (c == '\\' && quote != '\'' && at + 1 < command.size()) {
      word += command[++at];
      begun = true;
    } else if (quote == 0 && std::string_view(" \t\n;&|()<>").find(c) != std::string_view::npos) {
      if (begun) words.push_back(word);
      word.clear();
      begun = false;
    } else {
      word += c;
      begun = true;
    }
  }
  if (begun) words.push_back(word);
  return words;
}

// The program of that name in PATH; `name` itself if it is a path; empty if there is none.
std::string program_of(const std::string& name) {
  if (name.find('/') != std::string::npos) return is_file(name) ? name : "";
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    std::string found = (folder.empty() ? "." : folder) + "/" + name;
    if (is_file(found)) return found;
  }
  return {};
}

// What may stand before the program's name: NAME=VALUE sets a variable of its environment.
bool is_before_program(const std::string& word) {
  if (word == "exec") return true;
  const std::size_t end = word.find('=');
  return end != std::string::npos && end > 0 && word.find('/') > end;
}

std::vector<std::string> paths_of_command(const std::string& command) {
  std::vector<std::string> paths;
  bool program_named = false;
  for (const std::string& word : words_of(command)) {
    std::string path = word;
    if (!program_named && !is_before_program(word)) {
      program_named = true;
      path = program_of(word);
    } else if (!is_file(path) && word.find('=') != std::string::npos) {
      path = word.substr(word.find('=') + 1);
    }
    if (is_file(path)) paths.push_back(path);
  }
  return paths;
}

}  // namespace

std::vector<BackendFile> files_of(const BackendSpec& spec) {
  const auto paths =
      spec.path.empty() ? paths_of_command(spec.config) : std::vector<std::string>{spec.path};
  std::vector<BackendFile> files;
  for (const std::string& path : paths) {
    std::error_code ignored;
    std::string whole = fs::absolute(path, ignored).lexically_normal().string();
    const bool known = std::any_of(files.begin(), files.end(),
                                   [&](const BackendFile& file) { return file.path == whole; });
    if (!known) files.push_back({whole, vectors::sha256_of_file(path).value_or("")});
  }
  return files;
}

std::string build_text(const std::vector<BackendFile>& files) {
  std::string text;
  for (const BackendFile& file : files) {
    text += fmt::format("{}{} SHA-256 {}", text.empty() ? "" : ", ",
                        fs::path(file.path).filename().string(),
                        file.sha256.empty() ? "unknown" : file.sha256);
  }
  return text;
}

}  // namespace concord::conformance
