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

/// This thread and what it starts from here on run on one processor, for a scope.
class OneProcessor {
 public:
  OneProcessor() {
    sched_getaffinity(0, sizeof before_, &before_);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<std::size_t>(sched_getcpu()), &one);
    sched_setaffinity(0, sizeof one, &one);
  }
  ~OneProcessor() { sched_setaffinity(0, sizeof before_, &before_); }
  OneProcessor(const OneProcessor&) = delete;
  OneProcessor& operator=(const OneProcessor&) = delete;

 private:
  cpu_set_t before_{};
};

/// So many threads that never wait, for a scope.
class BusyThreads {
 public:
  explicit BusyThreads(int count) {
    for (int i = 0; i < count; ++i) {
      threads_.emplace_back([this] {
        while (!stop_) {
        }
      });
    }
  }
  ~BusyThreads() { stop_ = true; }
  BusyThreads(const BusyThreads&) = delete;
  BusyThreads& operator=(const BusyThreads&) = delete;

 private:
  std::atomic<bool> stop_{false};
  std::vector<std::jthread> threads_{};
};

TEST(ProcessorWaits, AreOfThreadsThatAreReadyToRun) {
  const auto before = processor_waits(getpid());
  const OneProcessor one;
  const BusyThreads busy(3);
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
  const OneProcessor one;
  const BusyThreads busy(8);
  TimeLimit limit(getpid(), milliseconds(100));
  const auto begin = TimeLimit::Clock::now();
  while (!limit.has_passed()) std::this_thread::sleep_until(limit.next());
  EXPECT_LE(limit.next() - begin, TimeLimit::kMostExtension * milliseconds(100));
}

// A tenth of a second of processor time takes 1.3, of which the deadline is one, and less than the
// four of the longest extension, though other programs use the processor twice as much.
TEST(TimeLimit, ASlowPluginOnABusyProcessorDoesNotHang) {
  constexpr milliseconds kDeadline(1000);
  const OneProcessor one;
  Host host(test_plugin("hostile", "execute:toil"), test_options(kDeadline));
  ASSERT_TRUE(host.start());
  const BusyThreads busy(12);
  const auto begin = TimeLimit::Clock::now();
  const auto reply = host.execute(SmallCase().trial());
  const auto took = TimeLimit::Clock::now() - begin;
  ASSERT_TRUE(reply) << describe(reply.why());
  EXPECT_EQ(reply->execute_status, CONCORD_OK);
  EXPECT_GT(took, kDeadline) << "the deadline was long enough without an extension";
}

}  // namespace
}  // namespace concord::conformance
