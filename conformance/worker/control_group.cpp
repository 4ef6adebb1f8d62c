// SPDX-License-Identifier: Apache-2.0
#include "conformance/worker/control_group.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <fstream>
#include <string_view>
#include <thread>

namespace concord::conformance {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "concord-";

bool write_to(const fs::path& file, const std::string& text) {
  std::ofstream stream(file);
  stream << text << std::flush;
  return static_cast<bool>(stream);
}

bool is_alive(pid_t process) { return kill(process, 0) == 0 || errno != ESRCH; }

// A group is named by the process that made it, and cannot be removed while there is a process in
// it.
void remove_left_behind(const fs::path& parent) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(parent, error)) {
    const std::string name = entry.path().filename();
    if (!name.starts_with(kPrefix)) continue;
    const std::string number = name.substr(kPrefix.size());
    if (number.empty() || number.size() > 9 ||
        !std::all_of(number.begin(), number.end(), [](char c) { return c >= '0' && c <= '9'; })) {
      continue;
    }
    if (!is_alive(std::stoi(number))) rmdir(entry.path().c_str());
  }
}

}  // namespace

bool ControlGroup::add(const OwnGroup& own, const std::string& file, std::uint64_t limit) {
  const fs::path made = own.parent / (std::string(kPrefix) + std::to_string(getpid()));
  const bool is_known = std::any_of(places_.begin(), places_.end(),
                                    [&](const Place& place) { return place.made == made; });
  if (!is_known) {
    remove_left_behind(own.parent);
    std::error_code error;
    if (!fs::create_directory(made, error)) return false;
  }
  if (fs::exists(made / file) && write_to(made / file, std::to_string(limit))) {
    if (!is_known) places_.push_back({own.folder, made});
    return true;
  }
  if (!is_known) rmdir(made.c_str());
  return false;
}

ControlGroup ControlGroup::make(const GroupLimits& limits, const std::string& root) {
  ControlGroup group;
  const auto limit = [&](std::string_view controller, const char* v1_file, const char* v2_file,
                         std::uint64_t most) {
    if (most == 0) return false;
    for (const OwnGroup& own : own_groups(root, controller)) {
      if (group.add(own, own.is_v2 ? v2_file : v1_file, most)) return true;
    }
    return false;
  };
  group.limits_memory_ = limit("memory", "memory.limit_in_bytes", "memory.max", limits.memory);
  group.limits_processes_ = limit("pids", "pids.max", "pids.max", limits.processes);
  return group;
}

void ControlGroup::enter() const {
  for (const Place& place : places_) write_to(place.made / "cgroup.procs", "0");
}

void ControlGroup::leave() const {
  for (const Place& place : places_) write_to(place.own / "cgroup.procs", "0");
}

void ControlGroup::remove() const {
  for (const Place& place : places_) {
    // The kernel counts a process that was waited for a little longer.
    for (int attempt = 0; attempt < 100 && rmdir(place.made.c_str()) != 0; ++attempt) {
      if (errno != EBUSY) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
}

}  // namespace concord::conformance
