// SPDX-License-Identifier: Apache-2.0
#include "conformance/worker/time_limit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

#include "conformance/worker/host.h"
#include "conformance/worker/hostile_host.h"

namespace concord::conformance {
namespace {

using std::chrono::milliseconds;

/// This thread, the threads and the processes that it starts share one processor with as many busy
/// threads, for a scope.
class BusyProcessor {
 public:
  explicit BusyProcessor(int threads) {
    sched_getaffinity(0, sizeof before_, &before_);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<std::size_t>(sched_getcpu()), &one);
    sched_setaffinity(0, sizeof one, &one);
    for (int i = 0; i < threads; ++i) {
      busy_.emplace_back([this] {
        while (!stop_) {
        }
      });
    }
  }
  ~BusyProcessor() {
    stop_ = true;
    sched_setaffinity(0, sizeof before_, &before_);
  }
  BusyProcessor(const BusyProcessor&) = delete;
  BusyProcessor& operator=(const BusyProcessor&) = delete;

 private:
  cpu_set_t before_{};
  std::atomic<bool> stop_{false};
  std::vector<std::jthread> busy_{};
};

TEST(ProcessorWaits, AreOfThreadsThatAreReadyToRun) {
  const auto before = processor_waits(getpid());
  const BusyProcessor busy(3);
  std::this_thread::sleep_for(milliseconds(1000));
  int waiting = 0;
  for (const auto& [thread, wait] : processor_waits(getpid())) {
    waiting += before.contains(thread) || wait < milliseconds(200) ? 0 : 1;
  }
  EXPECT_EQ(waiting, 3);
}

TEST(ProcessorWaits, OfAProcessThatDoesNotExistAreNone) {
  EXPECT_THAT(processor_waits(-1), testing::IsEmpty());
}

TEST(TimeLimit, PassesAtTheDeadlineIfTheProcessSleeps) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    close(ends[1]);
    char byte = 0;
    _exit(read(ends[0], &byte, 1) == 0 ? 0 : 1);
  }
  const auto begin = TimeLimit::Clock::now();
  TimeLimit limit(child, milliseconds(400));
  while (!limit.has_passed()) std::this_thread::sleep_until(limit.next());
  const auto took = TimeLimit::Clock::now() - begin;
  EXPECT_GE(took, milliseconds(400));
  EXPECT_LT(limit.next() - begin, milliseconds(4 * 400));
  close(ends[0]);
  close(ends[1]);
  waitpid(child, nullptr, 0);
}

TEST(TimeLimit, IsNotForEverOnABusyProcessor) {
  const BusyProcessor busy(8);
  TimeLimit limit(getpid(), milliseconds(100));
  const auto begin = TimeLimit::Clock::now();
  while (!limit.has_passed()) std::this_thread::sleep_until(limit.next());
  EXPECT_LE(limit.next() - begin, TimeLimit::kMostExtension * milliseconds(100));
}

// A tenth of a second of processor time takes nearly two, of which the deadline is one, and less
// than the four of the longest extension, though other programs use the processor as much again.
TEST(TimeLimit, ASlowPluginOnABusyProcessorDoesNotHang) {
  Host host(test_plugin("hostile", "execute:toil"), test_options(milliseconds(1000)));
  ASSERT_TRUE(host.start());
  const BusyProcessor busy(16);
  const auto reply = host.execute(SmallCase().trial());
  ASSERT_TRUE(reply) << describe(reply.why());
  EXPECT_EQ(reply->execute_status, CONCORD_OK);
}

}  // namespace
}  // namespace concord::conformance
