// SPDX-License-Identifier: Apache-2.0
#include "conformance/worker/orphans.h"

#include <sys/prctl.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>

namespace concord::conformance {
namespace {

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

// Ending one may make us its children's parent, so until there are none. Not for ever: a plugin's
// processes could start others faster than they are ended.
void Orphans::end_strangers() {
  for (int round = 0; round < 100; ++round) {
    bool any = false;
    for (const int pid : children()) {
      if (ours_.contains(pid) || before_.contains(pid)) continue;
      any = true;
      ::kill(pid, SIGKILL);
      while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
      }
    }
    if (!any) return;
  }
}

}  // namespace concord::conformance
