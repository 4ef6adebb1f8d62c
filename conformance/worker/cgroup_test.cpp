// SPDX-License-Identifier: Apache-2.0
#include "conformance/worker/cgroup.h"

#include <gtest/gtest.h>

#include "conformance/worker/fake_root.h"

namespace concord::conformance {
namespace {

TEST_F(FakeRoot, WithoutGroupsThereIsNoLimit) {
  EXPECT_FALSE(cgroup_memory_limit(root_));
  write("/proc/self/cgroup", "0::/user.slice");
  EXPECT_FALSE(cgroup_memory_limit(root_));
  EXPECT_FALSE(cgroup_processes_left(root_));
}

TEST_F(FakeRoot, TheLeastLimitOfAGroupAndThoseAboveItCountsInVersion2) {
  write("/proc/self/cgroup", "0::/ci.slice/job7.scope");
  write("/sys/fs/cgroup/ci.slice/job7.scope/memory.max", "max");
  EXPECT_FALSE(cgroup_memory_limit(root_));
  write("/sys/fs/cgroup/ci.slice/memory.max", "2147483648");
  EXPECT_EQ(cgroup_memory_limit(root_), 2147483648u);
  write("/sys/fs/cgroup/ci.slice/job7.scope/memory.max", "1073741824");
  EXPECT_EQ(cgroup_memory_limit(root_), 1073741824u);
}

TEST_F(FakeRoot, TheLeastLimitCountsInVersion1) {
  write("/proc/self/cgroup", "5:cpu,cpuacct:/x\n4:memory:/docker/abc\n1:pids:/docker/abc");
  write("/sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes", "9223372036854771712");
  write("/sys/fs/cgroup/memory/docker/memory.limit_in_bytes", "536870912");
  EXPECT_EQ(cgroup_memory_limit(root_), 536870912u);
}

// The kernel gives the path outside, the mount begins with the container's own group.
TEST_F(FakeRoot, AContainersOwnGroupIsFoundAtTheTopOfTheMount) {
  write("/proc/self/cgroup", "4:memory:/docker/abc");
  write("/sys/fs/cgroup/memory/memory.limit_in_bytes", "268435456");
  EXPECT_EQ(cgroup_memory_limit(root_), 268435456u);
}

TEST_F(FakeRoot, ProcessesAreCountedAgainstEachGroupsLimit) {
  write("/proc/self/cgroup", "0::/a/b");
  write("/sys/fs/cgroup/a/pids.max", "100");
  write("/sys/fs/cgroup/a/pids.current", "95");
  write("/sys/fs/cgroup/a/b/pids.max", "20");
  write("/sys/fs/cgroup/a/b/pids.current", "3");
  EXPECT_EQ(cgroup_processes_left(root_), 5u);
  EXPECT_EQ(cgroup_process_limit(root_), 20u);
  write("/sys/fs/cgroup/a/pids.current", "120");
  EXPECT_EQ(cgroup_processes_left(root_), 0u);
}

}  // namespace
}  // namespace concord::conformance
