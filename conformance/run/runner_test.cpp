// SPDX-License-Identifier: Apache-2.0
#include "conformance/run/runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace concord::conformance {
namespace {

/// Cases "0", "1" and so on on the hostile plugin, whose answers are all wrong.
CaseList wrong_cases(std::size_t count) {
  std::vector<Case> cases(count);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    cases[i].id = std::to_string(i);
    cases[i].problem =
        *parse("Convolution f32 src=2x3x2 weights=1x2x4 bias=4 data_format=NXC weights_format=XIO");
  }
  return cases;
}

/// What is found by a run that resumes one that was killed while it tried cases "1" and "2".
BackendRun resume_killed(const CaseList& cases, const std::string& deed,
                         std::optional<int> max_failed) {
  const std::string path = testing::TempDir() + "concord_runner_test.journal";
  const nlohmann::ordered_json identity = {{"run", "of this test"}};
  {
    Journal killed;
    EXPECT_FALSE(killed.start(path, identity));
    for (const char* id : {"1", "2"}) killed.begin({"hostile", id});
  }
  Journal journal;
  const auto known = journal.resume(path, identity);
  EXPECT_EQ(journal.deaths().size(), 2U);
  RunOptions options;
  options.host.worker_program = TEST_WORKER;
  options.max_failed = max_failed;
  const std::atomic<bool> never{false};
  const RunOutcome outcome = run_cases(cases, {{"hostile", TEST_HOSTILE, deed}}, options, journal,
                                       known.value(), never, [](const Progress&) {});
  std::filesystem::remove(path);
  return outcome.backends.front();
}

TEST(Suspects, AreNotTriedOnABackendThatIsGivenUp) {
  const BackendRun backend = resume_killed(wrong_cases(3), "", 1);
  EXPECT_EQ(backend.abandoned, "testing stopped after 1 failures");
  EXPECT_FALSE(backend.results[0]);
  EXPECT_TRUE(backend.results[1]);
  EXPECT_FALSE(backend.results[2]);
}

TEST(Failures, AreTheFirstOnesHoweverManyJobsLookForThem) {
  RunOptions options;
  options.host.worker_program = TEST_WORKER;
  options.max_failed = 5;
  options.jobs = 4;
  Journal journal;
  const std::atomic<bool> never{false};
  const RunOutcome outcome = run_cases(wrong_cases(40), {{"hostile", TEST_HOSTILE, ""}}, options,
                                       journal, {}, never, [](const Progress&) {});
  const BackendRun& backend = outcome.backends.front();
  EXPECT_EQ(backend.abandoned, "testing stopped after 5 failures");
  for (std::size_t i = 0; i < 40; ++i) EXPECT_EQ(backend.results[i].has_value(), i < 5) << i;
}

TEST(Suspects, AreTriedInProcessesThatAreClosed) {
  // Nothing but suspects: no other process of the backend is closed.
  const CaseList suspects = wrong_cases(3).at({1, 2});
  EXPECT_EQ(resume_killed(suspects, "", {}).misconduct, "");
  EXPECT_EQ(resume_killed(suspects, "close:abort", {}).misconduct,
            "did not exit cleanly: in close: SIGABRT: printed 'the plugin gives up'");
}

/// What a run finds that loads the backend for the first time.
BackendRun run_of(const std::string& deed) {
  const std::string mark = testing::TempDir() + "concord_runner_mark";
  std::filesystem::remove(mark);
  setenv("CONCORD_HOSTILE_MARK", mark.c_str(), 1);
  RunOptions options;
  options.host.worker_program = TEST_WORKER;
  options.host.sandbox.writable = {testing::TempDir()};
  Journal journal;
  const std::atomic<bool> never{false};
  const RunOutcome outcome = run_cases(wrong_cases(3), {{"hostile", TEST_HOSTILE, deed}}, options,
                                       journal, {}, never, [](const Progress&) {});
  unsetenv("CONCORD_HOSTILE_MARK");
  std::filesystem::remove(mark);
  return outcome.backends.front();
}

TEST(UnknownConfigurations, MayBeRefusedOrNotButWithoutHarm) {
  EXPECT_EQ(run_of("").misconduct, "");
  const auto at_unknown = [](const char* deed) {
    setenv("CONCORD_HOSTILE_UNKNOWN", deed, 1);
    const BackendRun backend = run_of("");
    unsetenv("CONCORD_HOSTILE_UNKNOWN");
    EXPECT_EQ(backend.error, "");
    return backend.misconduct;
  };
  const std::string what = "does not refuse an unknown configuration of 300 bytes: ";
  EXPECT_EQ(at_unknown("refuse"), "");
  EXPECT_EQ(at_unknown("abort"), what + "in open: SIGABRT: printed 'the plugin gives up'");
  EXPECT_THAT(at_unknown("long_reason"),
              testing::AllOf(testing::StartsWith(what),
                             testing::HasSubstr("open's reason has no terminating zero")));
}

TEST(Introduction, ASignalFromOutsideDoesNotKeepABackendFromItsVerdict) {
  const BackendRun backend = run_of("open:kill_once");
  EXPECT_EQ(backend.error, "");
  EXPECT_EQ(backend.results.size(), 3U);
}

TEST(Introduction, ASignalThatComesAgainIsTheBackendsOwn) {
  EXPECT_EQ(run_of("open:kill").error, "in open: SIGKILL");
}

}  // namespace
}  // namespace concord::conformance
