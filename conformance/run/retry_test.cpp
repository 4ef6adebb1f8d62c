// SPDX-License-Identifier: Apache-2.0
#include "conformance/run/retry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

namespace concord::conformance {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

Case case_of(const std::string& id) {
  Case made;
  made.id = id;
  made.problem =
      *parse("Convolution f32 src=2x3x2 weights=1x2x4 bias=4 data_format=NXC weights_format=XIO");
  return made;
}

/// Two cases on one host of the hostile plugin, whose query does the deed and otherwise infers a
/// wrong shape: without a loss both fail.
class Retry : public testing::Test {
 protected:
  Retry() : mark_(testing::TempDir() + "concord_retry_mark") {
    std::filesystem::remove(mark_);
    setenv("CONCORD_HOSTILE_MARK", mark_.c_str(), 1);
  }
  ~Retry() override {
    unsetenv("CONCORD_HOSTILE_MARK");
    std::filesystem::remove(mark_);
  }

  // The plugin may leave its mark where the next process of it finds it.
  HostOptions host_options() const {
    return {.deadline = std::chrono::seconds(1),
            .worker_program = TEST_WORKER,
            .sandbox = {.writable = {std::filesystem::path(mark_).parent_path().string()}}};
  }

  /// Of the one case `id`, which the deed loses; `before` came before it.
  CaseResult result_of(const char* id, const std::string& deed, const Case* before = nullptr) {
    const Case only = case_of(id);
    PreparedCase prepared(only);
    Host host({"hostile", TEST_HOSTILE, deed}, host_options());
    RetryBudget budget;
    return examine_again_if_lost(prepared, before, host, {}, budget);
  }

  CaseResult second_of_two(const std::string& deed) {
    Host host({"hostile", TEST_HOSTILE, deed}, host_options());
    const Case first = case_of("a"), second = case_of("b");
    PreparedCase before(first), prepared(second);
    RetryBudget budget;
    result_before_ = examine(before, host, {});
    return examine_again_if_lost(prepared, &first, host, {}, budget);
  }

  std::string mark_;
  CaseResult result_before_;
};

TEST_F(Retry, ASignalFromOutsideThatDoesNotComeAgainLeavesTheVerdictToTheOtherTries) {
  const CaseResult result = result_of("a", "query:kill_once");
  EXPECT_EQ(result.verdict, Verdict::kFail);
  EXPECT_THAT(result.reason, HasSubstr("dst"));
  EXPECT_THAT(result.reason, EndsWith("; a signal from outside ended 1 of 2 tries (in query: "
                                      "SIGKILL), but not the last, alone"));
}

TEST_F(Retry, ASignalThatComesEachTimeIsTheBackendsOwn) {
  const CaseResult result = second_of_two("query:kill");
  EXPECT_EQ(result.verdict, Verdict::kCrash);
  EXPECT_EQ(result.reason, "in query: SIGKILL");
}

TEST_F(Retry, ACrashThatDoesNotComeAgainStaysAFailureWithItsRate) {
  const Case other = case_of("a");
  const CaseResult result = result_of("b", "query:abort_once", &other);
  EXPECT_EQ(result.verdict, Verdict::kCrash);
  EXPECT_EQ(result.reason,
            "in query: SIGABRT; flaky: failed 1 of 3 times, but not the last, "
            "alone and after a");
}

TEST_F(Retry, ASignalFromOutsideMayEndATryOfACrashThatDoesNotComeAgain) {
  const CaseResult result = result_of("b", "query:abort_then_kill");
  EXPECT_EQ(result.verdict, Verdict::kCrash);
  EXPECT_EQ(result.reason,
            "in query: SIGABRT; flaky: failed 2 of 3 times, but not the last, alone");
}

// Each case asks twice: the third call is the first of the second case.
TEST_F(Retry, ACrashThatTakesTheCaseBeforeIsReportedWithIt) {
  const CaseResult result = second_of_two("query:abort_third");
  EXPECT_EQ(result_before_.verdict, Verdict::kFail);
  EXPECT_EQ(result.verdict, Verdict::kCrash);
  EXPECT_EQ(result.reason, "in query: SIGABRT; not when tried alone, but again after a");
}

// Who kills a process may kill the one that tries the pair of cases again, too.
TEST_F(Retry, ASignalFromOutsideMayEndATryAfterTheCaseBefore) {
  const CaseResult result = second_of_two("query:kill_third_twice");
  EXPECT_EQ(result.verdict, Verdict::kFail);
  EXPECT_THAT(result.reason, EndsWith("; a signal from outside ended 2 of 4 tries (in query: "
                                      "SIGKILL), but not the last, alone and after a"));
}

TEST_F(Retry, ASignalThatComesEachTimeAfterTheCaseBeforeIsTheBackendsOwn) {
  const CaseResult result = second_of_two("query:kill_third");
  EXPECT_EQ(result.verdict, Verdict::kCrash);
  EXPECT_EQ(result.reason, "in query: SIGKILL; not when tried alone, but again after a");
}

TEST_F(Retry, ACrashEachTimeIsReportedAsItIs) {
  EXPECT_EQ(second_of_two("query:segv").reason,
            "in query: SIGSEGV: sent by a call such as kill or raise");
}

TEST(RetryBudgets, AreBounded) {
  CaseResult crash, hang, killed;
  crash.verdict = Verdict::kCrash;
  hang.verdict = Verdict::kHang;
  crash.loss = hang.loss = Loss::kOwn;
  killed.loss = Loss::kPerhapsOutside;
  RetryBudget budget;
  for (const bool taken : {true, true, true, false, false}) EXPECT_EQ(budget.take(crash), taken);
  for (const bool taken : {true, false, false}) EXPECT_EQ(budget.take(hang), taken);
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(budget.take(killed));
  for (int i = 0; i < 3; ++i) budget.note_own_signal();
  EXPECT_FALSE(budget.take(killed));
  EXPECT_FALSE(budget.take(CaseResult{}));
}

}  // namespace
}  // namespace concord::conformance
