// SPDX-License-Identifier: Apache-2.0
#include "conformance/worker/cgroup.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <vector>

namespace concord::conformance {
namespace {

namespace fs = std::filesystem;

/// The folders of one process's groups of one hierarchy, its own first, up to the top one.
struct Groups {
  bool v2 = false;
  std::vector<fs::path> folders{};
};

// "a,memory,b" names "memory".
bool names(std::string_view controllers, std::string_view controller) {
  const std::string all = "," + std::string(controllers) + ",";
  return all.find("," + std::string(controller) + ",") != std::string::npos;
}

// A container sees its own group at the top of the mount whatever path the kernel gives: folders
// that do not exist hold no files, and those above them are looked at all the same.
std::vector<fs::path> ancestors(const fs::path& top, const std::string& path) {
  std::vector<fs::path> folders;
  for (fs::path below = fs::path(path).relative_path(); !below.empty();
       below = below.parent_path()) {
    folders.push_back(top / below);
  }
  folders.push_back(top);
  return folders;
}

// A line of /proc/self/cgroup: "4:memory:/path" in v1, "0::/path" in v2.
std::vector<Groups> groups_of(const std::string& root, std::string_view controller) {
  std::vector<Groups> all;
  std::ifstream list(root + "/proc/self/cgroup");
  for (std::string line; std::getline(list, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string path = line.substr(second + 1), mount = root + "/sys/fs/cgroup";
    if (controllers.empty()) {
      all.push_back({true, ancestors(mount, path)});
      all.push_back({true, ancestors(mount + "/unified", path)});
    } else if (names(controllers, controller)) {
      all.push_back({false, ancestors(mount + "/" + std::string(controller), path)});
      all.push_back({false, ancestors(mount + "/" + controllers, path)});
    }
  }
  return all;
}

// The number in a file; nothing if there is no file, or it says "max".
std::optional<std::uint64_t> number_in(const fs::path& file) {
  std::ifstream stream(file);
  std::uint64_t number = 0;
  if (!(stream >> number)) return std::nullopt;
  return number;
}

std::optional<std::uint64_t> less_of(std::optional<std::uint64_t> a,
                                     std::optional<std::uint64_t> b) {
  if (!a || !b) return a ? a : b;
  return std::min(*a, *b);
}

}  // namespace

std::optional<std::uint64_t> cgroup_memory_limit(const std::string& root) {
  std::optional<std::uint64_t> least;
  for (const Groups& groups : groups_of(root, "memory")) {
    for (const fs::path& folder : groups.folders) {
      least =
          less_of(least, number_in(folder / (groups.v2 ? "memory.max" : "memory.limit_in_bytes")));
    }
  }
  return least;
}

std::optional<std::uint64_t> cgroup_processes_left(const std::string& root) {
  std::optional<std::uint64_t> least;
  for (const Groups& groups : groups_of(root, "pids")) {
    for (const fs::path& folder : groups.folders) {
      const auto limit = number_in(folder / "pids.max");
      const std::uint64_t used = number_in(folder / "pids.current").value_or(0);
      if (limit) least = less_of(least, *limit - std::min(*limit, used));
    }
  }
  return least;
}

std::optional<std::uint64_t> cgroup_process_limit(const std::string& root) {
  std::optional<std::uint64_t> least;
  for (const Groups& groups : groups_of(root, "pids")) {
    for (const fs::path& folder : groups.folders) {
      least = less_of(least, number_in(folder / "pids.max"));
    }
  }
  return least;
}

std::vector<OwnGroup> own_groups(const std::string& root, std::string_view controller) {
  std::vector<OwnGroup> own;
  for (const Groups& groups : groups_of(root, controller)) {
    const fs::path& top = groups.folders.back();
    const fs::path& folder = fs::exists(groups.folders.front()) ? groups.folders.front() : top;
    if (!fs::exists(folder)) continue;
    const bool is_below = groups.v2 && folder != top;
    own.push_back({groups.v2, folder, is_below ? folder.parent_path() : folder});
  }
  return own;
}

}  // namespace concord::conformance
