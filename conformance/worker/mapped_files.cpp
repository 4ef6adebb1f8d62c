// SPDX-License-Identifier: Apache-2.0
#include "conformance/worker/mapped_files.h"

#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>
#include <vector>

namespace concord::conformance {
namespace {

std::filesystem::path folder_of(int process) {
  return std::filesystem::path("/proc") / std::to_string(process);
}

std::vector<int> children_of(int process) {
  std::vector<int> found;
  std::error_code error;
  for (const auto& thread :
       std::filesystem::directory_iterator(folder_of(process) / "task", error)) {
    std::ifstream list(thread.path() / "children");
    for (int child = 0; list >> child;) found.push_back(child);
  }
  return found;
}

// "7f...-7f... r-xp 00000000 fe:01 1234   /usr/lib/libm.so.6", if it is of a file's code that is
// still there.
std::string code_file_of(const std::string& line) {
  const std::size_t rights = line.find(' ') + 1, path = line.find('/');
  if (path == std::string::npos || line.substr(rights, 4).find('x') == std::string::npos) return "";
  std::error_code error;
  return std::filesystem::is_regular_file(line.substr(path), error) ? line.substr(path) : "";
}

void add(int process, std::set<std::string>& paths) {
  std::ifstream maps(folder_of(process) / "maps");
  for (std::string line; std::getline(maps, line);) {
    if (std::string path = code_file_of(line); !path.empty()) paths.insert(std::move(path));
  }
  for (const int child : children_of(process)) add(child, paths);
}

}  // namespace

std::set<std::string> mapped_files(int process) {
  std::set<std::string> paths;
  add(process, paths);
  return paths;
}

}  // namespace concord::conformance
