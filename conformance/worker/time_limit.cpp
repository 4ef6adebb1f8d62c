// SPDX-License-Identifier: Apache-2.0
#include "conformance/worker/time_limit.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <vector>

namespace concord::conformance {
namespace {

using std::chrono::nanoseconds;

// Most requests are answered by this part of their deadline; nothing is read for those.
constexpr int kFirstLook = 8;

}  // namespace

std::map<int, nanoseconds> processor_waits(int process) {
  std::map<int, nanoseconds> waits;
  std::vector<int> unread{process};
  while (!unread.empty()) {
    const int next = unread.back();
    unread.pop_back();
    std::error_code error;
    const std::filesystem::path tasks = "/proc/" + std::to_string(next) + "/task";
    for (std::filesystem::directory_iterator task(tasks, error), end; !error && task != end;
         task.increment(error)) {
      std::ifstream times(task->path() / "schedstat"), children(task->path() / "children");
      long long running = 0, waiting = 0;
      if (!(times >> running >> waiting)) continue;
      // A number that was given again while we read must not lead us round.
      if (!waits.emplace(std::stoi(task->path().filename()), waiting).second) continue;
      for (int child = 0; children >> child;) unread.push_back(child);
    }
  }
  return waits;
}

void TimeLimit::restart() {
  start_ = Clock::now();
  next_ = start_ + deadline_ / kFirstLook;
  waits_before_.reset();
}

bool TimeLimit::has_passed() {
  const auto now = Clock::now();
  if (now < next_) return false;
  if (!waits_before_) {
    waits_before_ = processor_waits(process_);
    // On a machine so busy that we come late, the process was hardly better off.
    next_ = std::max(start_ + deadline_, now + deadline_ / kFirstLook);
    return false;
  }
  nanoseconds longest{0};
  for (const auto& [thread, wait] : processor_waits(process_)) {
    const auto before = waits_before_->find(thread);
    longest = std::max(longest, before == waits_before_->end() ? wait : wait - before->second);
  }
  next_ = start_ + deadline_ + std::min<nanoseconds>(longest, (kMostExtension - 1) * deadline_);
  return now >= next_;
}

}  // namespace concord::conformance
