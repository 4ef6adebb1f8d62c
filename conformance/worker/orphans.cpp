// SPDX-License-Identifier: Apache-2.0
#include "conformance/worker/orphans.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

namespace concord::conformance {
namespace {

// How long processes are ended that start others all the while.
constexpr std::chrono::seconds kChase{5};
// How often in a row, and how far apart, none is seen before they count as gone.
constexpr int kQuietRounds = 3;
constexpr std::chrono::milliseconds kQuietRound{1};

// As the system lists them, by the thread that started them. Empty where it has no such list.
std::set<int> children() {
  std::set<int> found;
  std::error_code error;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task", error)) {
    std::ifstream list(thread.path() / "children");
    for (int pid = 0; list >> pid;) found.insert(pid);
  }
  return found;
}

}  // namespace

Orphans::Orphans() : before_(children()) {
  // From now on orphans of our descendants are given to us, not to process 1.
  prctl(PR_SET_CHILD_SUBREAPER, 1);
}

Orphans& Orphans::instance() {
  static Orphans orphans;
  return orphans;
}

void Orphans::adopt(const std::function<int()>& start) {
  const std::lock_guard lock(mutex_);
  if (const int pid = start(); pid != 0) ours_.insert(pid);
}

void Orphans::bury(int worker) {
  const std::lock_guard lock(mutex_);
  ours_.erase(worker);
  end_strangers();
}

bool Orphans::end_strangers_once() {
  bool any = false;
  for (const int pid : children()) {
    if (ours_.contains(pid) || before_.contains(pid)) continue;
    any = true;
    // With its group: a child that it is about to leave behind is in it until it begins its own.
    if (const int group = getpgid(pid); group > 0 && group != getpgrp() && !ours_.contains(group)) {
      ::kill(-group, SIGKILL);
    }
    ::kill(pid, SIGKILL);
    while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  return any;
}

// Ending one may make us its children's parent, so until there are none. Each link of a chain, in
// which every process starts the next and exits, is met or has ended by itself. Not for ever: a
// chain without an end can outrun us.
void Orphans::end_strangers() {
  const auto end = std::chrono::steady_clock::now() + kChase;
  if (!end_strangers_once()) return;
  // The list may miss one of them while others come and go.
  for (int quiet = 0; quiet < kQuietRounds && std::chrono::steady_clock::now() < end;) {
    quiet = end_strangers_once() ? 0 : quiet + 1;
    if (quiet > 0) std::this_thread::sleep_for(kQuietRound);
  }
}

}  // namespace concord::conformance
