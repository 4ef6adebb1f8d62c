// SPDX-License-Identifier: Apache-2.0
#include "conformance/worker/control_group.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <set>

#include "conformance/worker/fake_root.h"

namespace concord::conformance {
namespace {

namespace fs = std::filesystem;

class MadeGroups : public FakeRoot {
 protected:
  std::set<std::string> folders_in(const std::string& path) const {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(root_ + path)) {
      if (entry.is_directory()) names.insert(entry.path().filename());
    }
    return names;
  }
};

// A number that no process has any more.
pid_t ended_process() {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  waitpid(child, nullptr, 0);
  return child;
}

TEST_F(MadeGroups, WithoutHierarchiesThereIsNone) {
  const ControlGroup group = ControlGroup::make({1 << 30, 100}, root_);
  EXPECT_FALSE(group.limits_memory() || group.limits_processes());
  group.enter();
  group.leave();
  group.remove();
}

// A folder gets no files here, as a group does not whose parent gives it no controllers.
TEST_F(MadeGroups, AGroupThatLimitsNothingIsNotKept) {
  write("/proc/self/cgroup", "0::/user.slice/session.scope\n8:pids:/a");
  write("/sys/fs/cgroup/user.slice/session.scope/cgroup.procs", "1");
  write("/sys/fs/cgroup/pids/a/cgroup.procs", "1");
  const ControlGroup group = ControlGroup::make({1 << 30, 100}, root_);
  EXPECT_FALSE(group.limits_memory() || group.limits_processes());
  EXPECT_EQ(folders_in("/sys/fs/cgroup/user.slice"), std::set<std::string>{"session.scope"});
  EXPECT_TRUE(folders_in("/sys/fs/cgroup/pids/a").empty());
}

TEST_F(MadeGroups, WhatAKilledKeeperLeftIsRemoved) {
  const std::string parent = "/sys/fs/cgroup/user.slice/";
  const std::string dead = "concord-" + std::to_string(ended_process());
  const std::string alive = "concord-" + std::to_string(getppid());
  write("/proc/self/cgroup", "0::/user.slice/session.scope");
  for (const std::string& name : {std::string("session.scope"), dead, alive,
                                  std::string("concord-x"), std::string("concord-")}) {
    fs::create_directories(root_ + parent + name);
  }
  ControlGroup::make({1 << 30, 100}, root_);
  EXPECT_EQ(folders_in(parent),
            (std::set<std::string>{"session.scope", alive, "concord-x", "concord-"}));
}

// On this machine; where its user may make none, nothing changes.
TEST(MadeGroup, HoldsWhatEntersAndIsRemovedAfterIt) {
  const ControlGroup group = ControlGroup::make({std::uint64_t{1} << 30, 100});
  const pid_t child = fork();
  if (child == 0) {
    group.enter();
    const bool is_limited = cgroup_process_limit() == 100u;
    group.leave();
    _exit(is_limited == group.limits_processes() && cgroup_process_limit() != 100u ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  group.remove();
  for (const OwnGroup& own : own_groups("", "pids")) {
    EXPECT_FALSE(fs::exists(own.parent / ("concord-" + std::to_string(getpid()))));
  }
}

}  // namespace
}  // namespace concord::conformance
