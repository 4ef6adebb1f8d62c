// SPDX-License-Identifier: Apache-2.0
#include "conformance/run/backend_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "conformance/run/backend_spec.h"
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

}  // namespace

std::vector<std::string> files_named_by(const std::string& command) {
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

std::vector<BackendFile> files_of(const BackendSpec& spec) {
  const auto paths =
      spec.path.empty() ? files_named_by(spec.config) : std::vector<std::string>{spec.path};
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

const std::string& LibraryDigests::sha256_of(const std::string& path) {
  const auto [known, is_new] = digests_.try_emplace(path);
  if (is_new) known->second = vectors::sha256_of_file(path).value_or("");
  return known->second;
}

std::vector<BackendFile> LibraryDigests::files(const std::set<std::string>& paths,
                                               const std::set<std::string>& without) {
  std::vector<BackendFile> found;
  for (const std::string& path : paths) {
    if (!without.contains(path)) found.push_back({path, sha256_of(path)});
  }
  return found;
}

std::vector<std::string> LibraryDigests::shipped_in(const std::vector<BackendFile>& own,
                                                    const std::vector<BackendFile>& libraries) {
  std::set<std::string> contents;
  for (const auto* files : {&own, &libraries}) {
    for (const BackendFile& file : *files) {
      const bool is_shipped = fs::path(file.path).parent_path() == shipped_;
      if (is_shipped && files == &own) return {};
      if (!file.sha256.empty()) contents.insert(file.sha256);
    }
  }
  std::vector<std::string> names;
  for (const std::string& name : shipped_backends(shipped_)) {
    if (contents.contains(sha256_of(shipped_ / (name + ".so")))) names.push_back(name);
  }
  return names;
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
