// SPDX-License-Identifier: Apache-2.0
// What a confined process sees of the file system: all of it, but it cannot change it.
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <string_view>
#include <utility>

#include "conformance/worker/descriptor.h"
#include "conformance/worker/sandbox.h"

namespace concord::conformance {
namespace {

namespace fs = std::filesystem;

std::string failed(const char* call, const std::string& path) {
  return std::string(call) + " " + path + ": " + std::strerror(errno);
}

// Files there are in memory, which no limit of the process counts.
constexpr const char* kPrivateFolder = "mode=1777,size=512m,nr_inodes=65536";

/// A part of the tree as it is now, to be put back where it was after something has covered it.
struct Part {
  fs::path path;
  Descriptor tree;
};

// Without links and dots, because a mount covers what a path means, not how it is written.
fs::path plain(const std::string& path) {
  std::error_code error;
  fs::path found = fs::canonical(path, error);
  return error ? fs::path() : found;
}

Part take(const fs::path& path) {
  return {path, Descriptor(open_tree(AT_FDCWD, path.c_str(),
                                     OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE))};
}

std::string put_back(const Part& part) {
  if (move_mount(part.tree.get(), "", AT_FDCWD, part.path.c_str(), MOVE_MOUNT_F_EMPTY_PATH) == 0) {
    return "";
  }
  return failed("move_mount", part.path);
}

bool is_below(const fs::path& path, const fs::path& folder) {
  const auto [end, rest] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return end == folder.end() && rest != path.end();
}

// The entry of `folder` that leads to `path`.
fs::path entry_towards(const fs::path& path, const fs::path& folder) {
  return folder / *std::next(path.begin(), std::distance(folder.begin(), folder.end()));
}

/// Covers `folder` with an empty one that is the process's own, but for its entries that lead to
/// something that must stay visible.
std::string cover(const fs::path& folder, const std::vector<fs::path>& visible,
                  const char* options) {
  std::vector<Part> parts;
  for (const fs::path& path : visible) {
    if (path == folder) return "";
    if (!is_below(path, folder)) continue;
    const fs::path entry = entry_towards(path, folder);
    const bool taken = std::any_of(parts.begin(), parts.end(),
                                   [&](const Part& part) { return part.path == entry; });
    if (taken) continue;
    parts.push_back(take(entry));
    if (!parts.back().tree) return failed("open_tree", entry);
  }
  if (mount("tmpfs", folder.c_str(), "tmpfs", MS_NOSUID | MS_NODEV, options) != 0) {
    return failed("mount", folder);
  }
  for (const Part& part : parts) {
    std::error_code error;
    struct stat status {};
    fstat(part.tree.get(), &status);
    if (S_ISDIR(status.st_mode)) {
      fs::create_directory(part.path, error);
    } else {
      Descriptor(open(part.path.c_str(), O_CREAT | O_CLOEXEC | O_WRONLY, 0600));
    }
    if (std::string why = put_back(part); !why.empty()) return why;
  }
  return "";
}

std::string hide(const fs::path& path, const std::vector<fs::path>& visible) {
  std::error_code error;
  if (fs::is_directory(path, error)) return cover(path, visible, "mode=0555,size=0");
  if (mount("/dev/null", path.c_str(), nullptr, MS_BIND, nullptr) == 0) return "";
  return failed("mount", path);
}

std::vector<fs::path> existing(const std::vector<std::string>& paths) {
  std::vector<fs::path> found;
  for (const std::string& path : paths) {
    if (fs::path canonical = plain(path); !canonical.empty()) found.push_back(std::move(canonical));
  }
  return found;
}

// What the paths lead to, and the symbolic links themselves.
std::vector<fs::path> with_links(const std::vector<std::string>& paths) {
  std::vector<fs::path> found = existing(paths);
  for (const fs::path path : paths) {
    const fs::path folder = plain(path.parent_path());
    std::error_code error;
    if (folder.empty() || !fs::is_symlink(folder / path.filename(), error)) continue;
    found.push_back(folder / path.filename());
  }
  return found;
}

// The devices of every process, and those of accelerators.
bool is_harmless_device(const std::string& name) {
  constexpr std::string_view kNames[] = {"null", "zero", "full", "random", "urandom",
                                         "dri",  "kfd",  "dxg",  "accel"};
  return name.starts_with("nvidia") ||
         std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

// Takes them, read-only where they are folders.
std::string take_devices(std::vector<Part>& devices) {
  mount_attr read_only{};
  read_only.attr_set = MOUNT_ATTR_RDONLY;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/dev", error)) {
    if (!is_harmless_device(entry.path().filename())) continue;
    devices.push_back(take(entry.path()));
    const int tree = devices.back().tree.get();
    if (tree < 0) return failed("open_tree", entry.path());
    if (mount_setattr(tree, "", AT_EMPTY_PATH | AT_RECURSIVE, &read_only, sizeof read_only) != 0) {
      return failed("mount_setattr", entry.path());
    }
  }
  return "";
}

}  // namespace

std::string restrict_files(const SandboxOptions& options) {
  auto visible = with_links(options.visible);
  const auto allowed = existing(options.writable);
  visible.insert(visible.end(), allowed.begin(), allowed.end());
  if (mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return failed("mount", "/");
  std::vector<Part> writable;
  for (const fs::path& path : allowed) {
    writable.push_back(take(path));
    if (!writable.back().tree) return failed("open_tree", path);
  }
  std::vector<Part> devices;
  if (std::string why = take_devices(devices); !why.empty()) return why;
  // The rights to devices, as to disks, are those of the files that stand for them.
  mount_attr restricted{};
  restricted.attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NODEV;
  if (mount_setattr(AT_FDCWD, "/", AT_RECURSIVE, &restricted, sizeof restricted) != 0) {
    return failed("mount_setattr", "/");
  }
  for (const Part& part : devices) {
    if (std::string why = put_back(part); !why.empty()) return why;
  }
  for (const char* folder : {"/tmp", "/var/tmp", "/run", "/dev/shm"}) {
    const fs::path path = plain(folder);
    if (path.empty()) continue;
    if (std::string why = cover(path, visible, kPrivateFolder); !why.empty()) return why;
  }
  for (const Part& part : writable) {
    if (std::string why = put_back(part); !why.empty()) return why;
  }
  // At last: what is hidden may lie in a folder that is writable.
  for (const fs::path& path : existing(options.hidden)) {
    if (std::string why = hide(path, visible); !why.empty()) return why;
  }
  // Where the kernel forbids it, as in many containers, the old one stays: it names processes that
  // cannot be reached. Read-only, because the settings of the kernel in it are the machine's.
  mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC | MS_RDONLY, nullptr);
  return "";
}

}  // namespace concord::conformance
