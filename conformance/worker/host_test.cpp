// SPDX-License-Identifier: Apache-2.0
// Host with a plugin that behaves, or that only answers oddly.
#include "conformance/worker/host.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <iostream>
#include <thread>

#include "conformance/worker/hostile_host.h"

namespace concord::conformance {
namespace {

using testing::HasSubstr;

TEST(Host, ReportsWhatThePluginSaysOfItself) {
  Host host(test_plugin("hostile"), test_options());
  const auto started = host.start();
  ASSERT_TRUE(started);
  EXPECT_EQ(started->name, "hostile");
  EXPECT_EQ(started->version, "6.6.6");
}

TEST(Host, PassesTheAnswerOfAQuery) {
  Host host(test_plugin("hostile"), test_options());
  const auto answered = host.query(SmallCase().problem());
  ASSERT_TRUE(answered);
  const auto& reply = *answered;
  EXPECT_EQ(reply.status, CONCORD_OK);
  EXPECT_EQ(reply.dst_dims, (Extents{2, 3}));  // the plugin says src.dims[0] and num_inputs
  EXPECT_EQ(reply.arithmetic.accumulator, CONCORD_ACCUMULATE_F64);
  EXPECT_TRUE(reply.same_bits_any_threads);
  EXPECT_FALSE(reply.bits_vary_by_run);
  EXPECT_EQ(reply.implementation, "counts");
}

TEST(Host, ShowsThePlanThatAPluginTells) {
  const SmallCase small;
  Host host(test_plugin("hostile"), test_options());
  const auto plan = *host.describe_plan(small.problem(), 3);
  EXPECT_EQ(plan.status, CONCORD_OK);
  EXPECT_EQ(plan.text, "counts 2 elements\nby 3 threads\n");
  Host declines(test_plugin("hostile", "describe:declined"), test_options());
  EXPECT_EQ(declines.describe_plan(small.problem(), 1).value().status, CONCORD_UNSUPPORTED);
}

TEST(Host, SurvivesAPlanThatDoesNotEndAndOneThatDies) {
  const SmallCase small;
  Host endless(test_plugin("hostile", "describe:unterminated"), test_options());
  EXPECT_GE(endless.describe_plan(small.problem(), 1).value().text.size(),
            std::size_t{CONCORD_TEXT});
  Host dies(test_plugin("hostile", "describe:segv"), test_options());
  const auto answered = dies.describe_plan(small.problem(), 1);
  ASSERT_TRUE(find_failure<WorkerFailure>(answered));
  EXPECT_EQ(find_failure<WorkerFailure>(answered)->stage, Stage::kDescribe);
}

TEST(Host, ExecutesIntoAStridedDst) {
  Host host(test_plugin("hostile"), test_options());
  const SmallCase small;
  const auto answered = host.execute(small.trial());
  ASSERT_TRUE(answered);
  const auto& reply = *answered;
  EXPECT_EQ(reply.prepare_status, CONCORD_OK);
  EXPECT_EQ(reply.execute_status, CONCORD_OK) << reply.reason;
  EXPECT_EQ(reply.bytes_written_outside, 0u);
  ASSERT_EQ(reply.dst.size(), 54 * sizeof(float));
  EXPECT_EQ(element(reply.dst, 0), 0.f);
  EXPECT_EQ(element(reply.dst, 10), 4.f);  // the plugin counts its elements
  EXPECT_EQ(element(reply.dst, 53), 23.f);
  EXPECT_GE(reply.execute_seconds, 0);
}

TEST(Host, CountsBytesWrittenIntoGaps) {
  Host host(test_plugin("hostile", "execute:gaps"), test_options());
  const SmallCase small;
  const auto answered = host.execute(small.trial());
  ASSERT_TRUE(answered);
  // 54 - 24 gaps of 4 bytes; of a small float the two low bytes can look like no poison or like it,
  // but not both.
  EXPECT_EQ(answered->bytes_written_outside, 4u * 30u);
}

TEST(Host, CountsBytesWrittenBeforeDstAndAroundTheWorkspace) {
  const SmallCase small;
  Host before(test_plugin("hostile", "execute:write_before_dst"), test_options());
  EXPECT_EQ(before.execute(small.trial()).value().bytes_written_outside, 3u);
  Host around(test_plugin("hostile", "execute:write_around_workspace"), test_options());
  EXPECT_EQ(around.execute(small.trial()).value().bytes_written_outside, 2u);
}

TEST(Host, ComparesTheBitsOfLaterExecutions) {
  const SmallCase small;
  Host same(test_plugin("hostile"), test_options());
  EXPECT_TRUE(same.execute(small.trial(3)).value().other_dst.empty());
  Host varies(test_plugin("hostile", "execute:varies"), test_options());
  const auto reply = *varies.execute(small.trial(2));
  EXPECT_EQ(element(reply.dst, 0), 1.f);  // dst is the first execution's
  ASSERT_EQ(reply.other_dst.size(), reply.dst.size());
  EXPECT_EQ(element(reply.other_dst, 0), 2.f);
}

TEST(Host, TakesEveryNaNForTheSameButNotForAnElementThatWasNeverWritten) {
  const SmallCase small;
  Host nan(test_plugin("hostile", "execute:nan_varies"), test_options());
  EXPECT_TRUE(nan.execute(small.trial(3)).value().other_dst.empty());
  Host unwritten(test_plugin("hostile", "execute:unwritten"), test_options());
  const auto reply = *unwritten.execute(small.trial(2));
  EXPECT_TRUE(std::isnan(element(reply.dst, 0)));
  ASSERT_FALSE(reply.other_dst.empty());
  EXPECT_TRUE(std::isfinite(element(reply.other_dst, 0)));
}

TEST(Host, PreparesAnewForOtherThreadsAndComparesTheBits) {
  const SmallCase small;
  Trial trial = small.trial(2);
  trial.threads = 3;
  trial.other_threads = 7;
  Host same(test_plugin("hostile"), test_options());
  const auto equal = *same.execute(trial);
  EXPECT_TRUE(equal.other_threads_dst.empty());
  EXPECT_EQ(equal.threads, 7);
  Host shows(test_plugin("hostile", "execute:show_threads"), test_options());
  const auto reply = *shows.execute(trial);
  EXPECT_TRUE(reply.other_dst.empty());
  EXPECT_EQ(element(reply.dst, 0), 3.f);
  ASSERT_FALSE(reply.other_threads_dst.empty());
  EXPECT_EQ(element(reply.other_threads_dst, 0), 7.f);
  EXPECT_TRUE(shows.execute(small.trial(2)).value().other_threads_dst.empty());
  Host dies(test_plugin("hostile", "prepare_for_7:abort"), test_options());
  EXPECT_THAT(find_failure<WorkerFailure>(dies.execute(trial))->detail,
              HasSubstr("(with threads=7; with threads=3 it had computed)"));
}

// As a backend whose threads or device are still at work, for which only release() waits.
TEST(Host, SeesWhatIsNotWrittenBeforeTheRelease) {
  const SmallCase small;
  Trial trial = small.trial(2);
  Host late(test_plugin("hostile", "execute:late"), test_options());
  EXPECT_NE(element((*late.execute(trial)).dst, 0), 0.f);
  EXPECT_NE(element((*late.execute(small.trial(1))).dst, 0), 0.f);
  trial.other_threads = 7;
  Host late_for_7(test_plugin("hostile", "execute:late_for_7"), test_options());
  const auto reply = *late_for_7.execute(trial);
  EXPECT_EQ(element(reply.dst, 0), 0.f);
  EXPECT_FALSE(reply.other_threads_dst.empty());
}

TEST(Host, ShowsConstantWeightsToPrepare) {
  Host host(test_plugin("hostile", "prepare:read_weights"), test_options());
  const SmallCase small;
  const auto reply = *host.execute(small.trial());
  EXPECT_EQ(reply.prepare_status, CONCORD_FAULT);
  EXPECT_EQ(reply.reason, "first weight 2");
  Trial hidden = small.trial();
  hidden.constant_weights = false;
  EXPECT_EQ(host.execute(hidden).value().prepare_status, CONCORD_OK);
}

// What the hostile plugin does in a trial with other weights, which are 5.
TrialReply reply_to(const std::string& deed, Sequence sequence) {
  Host host(test_plugin("hostile", "execute:" + deed), test_options());
  const SmallCase small;
  const std::vector<float> weights(8, 5), bias(4, 7);
  Trial trial = small.trial(2), later = trial;
  later.weights = std::as_bytes(std::span(weights));
  later.bias = std::as_bytes(std::span(bias));
  trial.constant_weights = later.constant_weights = sequence != Sequence::kOtherInputs;
  trial.sequence = sequence;
  if (sequence != Sequence::kNothing) trial.later = &later;
  return *host.execute(trial);
}

TEST(Host, ExecutesWithOtherInputsAfterTheFirstExecution) {
  const TrialReply reply = reply_to("show_weight", Sequence::kOtherInputs);
  EXPECT_EQ(element(reply.dst, 0), 2.f);
  EXPECT_TRUE(reply.other_dst.empty());
  ASSERT_EQ(reply.later_dst.size(), reply.dst.size());
  EXPECT_EQ(element(reply.later_dst, 0), 5.f);
  EXPECT_EQ(element(reply.later_dst, 10), 4.f);
  EXPECT_TRUE(reply.other_later_dst.empty());
  EXPECT_EQ(element(reply_to("show_handle", Sequence::kOtherInputs).later_dst, 0), 1.f);
  EXPECT_TRUE(reply_to("show_weight", Sequence::kNothing).later_dst.empty());
}

TEST(Host, ExecutesASecondHandleBesideTheFirstAndAfterItsRelease) {
  const TrialReply reply = reply_to("show_weight", Sequence::kSecondHandle);
  EXPECT_EQ(element(reply.dst, 0), 2.f);
  EXPECT_EQ(element(reply.later_dst, 0), 5.f);
  EXPECT_TRUE(reply.other_dst.empty());
  EXPECT_TRUE(reply.other_later_dst.empty());
  const TrialReply handles = reply_to("show_handle", Sequence::kSecondHandle);
  EXPECT_EQ(element(handles.dst, 0), 1.f);
  EXPECT_EQ(element(handles.later_dst, 0), 2.f);
}

TEST(Host, TellsWhatOneHandleDoesToTheOther) {
  const TrialReply shared = reply_to("show_last_prepared", Sequence::kSecondHandle);
  EXPECT_EQ(element(shared.dst, 0), 2.f);
  EXPECT_EQ(element(shared.later_dst, 0), 5.f);
  ASSERT_FALSE(shared.other_dst.empty());
  EXPECT_EQ(element(shared.other_dst, 0), 5.f);
  const TrialReply released = reply_to("show_releases", Sequence::kSecondHandle);
  EXPECT_TRUE(released.other_dst.empty());
  ASSERT_FALSE(released.other_later_dst.empty());
  EXPECT_EQ(element(released.other_later_dst, 0), 1.f);
}

TEST(Host, TellsThatTheProcessIsLeftChangedWhateverElseIsAskedOfIt) {
  const SmallCase small;
  const Trial plain = small.trial(2), later = small.trial();
  Trial second_handle = plain, other_threads = plain, many_rounds = plain, all = plain;
  second_handle.sequence = all.sequence = Sequence::kSecondHandle;
  second_handle.later = all.later = &later;
  other_threads.other_threads = all.other_threads = 7;
  many_rounds.many_rounds = all.many_rounds = true;
  const auto state_after = [](const std::string& deed, const Trial& trial) {
    Host host(test_plugin("hostile", deed), test_options());
    return host.execute(trial).value().process_state;
  };
  for (const Trial& trial : {plain, second_handle, other_threads, many_rounds, all}) {
    for (const char* deed : {"prepare:umask", "execute:umask", "release:umask",
                             "prepare:umask_refuse", "execute:status"}) {
      const bool changes = std::string(deed).find("umask") != std::string::npos;
      EXPECT_EQ(state_after(deed, trial), changes ? "the umask is 000" : "") << deed;
    }
  }
  EXPECT_EQ(state_after("prepare_for_7:umask", all), "the umask is 000");
  EXPECT_EQ(state_after("prepare_for_7:umask", second_handle), "");
  EXPECT_EQ(state_after("execute:umask_fail_20th", many_rounds), "the umask is 000");
}

TEST(Host, PassesStatusesThatAreNone) {
  const SmallCase small;
  Host query(test_plugin("hostile", "query:status"), test_options());
  EXPECT_EQ(query.query(small.problem()).value().status, 1234);
  Host prepare(test_plugin("hostile", "prepare:status"), test_options());
  EXPECT_EQ(prepare.execute(small.trial()).value().prepare_status, -5);
  Host execute(test_plugin("hostile", "execute:status"), test_options());
  const auto reply = *execute.execute(small.trial());
  EXPECT_EQ(reply.execute_status, 99);
  EXPECT_EQ(reply.reason, "out of ideas");
}

TEST(Host, PassesADeclinedQueryWithItsReason) {
  Host host(test_plugin("hostile", "query:decline"), test_options());
  const auto reply = *host.query(SmallCase().problem());
  EXPECT_EQ(reply.status, CONCORD_UNSUPPORTED);
  EXPECT_EQ(reply.reason, "only on Sundays");
}

TEST(Host, TurnsAnImpossibleRankIntoAFault) {
  for (const char* config : {"query:rank", "query:negative_rank"}) {
    Host host(test_plugin("hostile", config), test_options());
    const auto reply = *host.query(SmallCase().problem());
    EXPECT_EQ(reply.status, CONCORD_FAULT);
    EXPECT_THAT(reply.reason, HasSubstr("dimensions; expected 0 to 8"));
  }
}

TEST(Host, PassesAbsurdExtentsOn) {
  Host host(test_plugin("hostile", "query:dims"), test_options());
  const auto reply = *host.query(SmallCase().problem());
  EXPECT_EQ(reply.dst_dims.at(0), INT64_MIN);
}

TEST(Host, MarksTextsThatAreNotUtf8) {
  Host host(test_plugin("hostile", "query:text"), test_options());
  EXPECT_THAT(host.query(SmallCase().problem())->reason, HasSubstr("\uFFFD"));
}

TEST(Host, TakesATextWithoutATerminatingZeroForAFault) {
  const SmallCase small;
  const std::string end = " has no terminating zero within 256 bytes";
  Host query(test_plugin("hostile", "query:unterminated"), test_options());
  const auto queried = *query.query(small.problem());
  EXPECT_EQ(queried.status, CONCORD_FAULT);
  EXPECT_EQ(queried.reason, "adapter_part" + end);
  Host prepare(test_plugin("hostile", "prepare:unterminated"), test_options());
  const auto prepared = *prepare.execute(small.trial());
  EXPECT_EQ(prepared.prepare_status, CONCORD_FAULT);
  EXPECT_EQ(prepared.reason, "prepare's reason" + end);
  Host execute(test_plugin("hostile", "execute:unterminated"), test_options());
  const auto executed = *execute.execute(small.trial());
  EXPECT_EQ(executed.execute_status, CONCORD_FAULT);
  EXPECT_EQ(executed.reason, "execute's reason" + end);
}

TEST(Host, TakesATextThatWasNotWrittenForAFault) {
  Host host(test_plugin("hostile", "execute:half_a_reason"), test_options());
  const auto reply = *host.execute(SmallCase().trial());
  EXPECT_EQ(reply.execute_status, CONCORD_FAULT);
  EXPECT_EQ(reply.reason, "execute's reason begins with what was in its buffer before");
}

TEST(Host, KnowsAReasonThatNobodyWrote) {
  Host host(test_plugin("hostile", "execute:silent"), test_options());
  const auto reply = *host.execute(SmallCase().trial());
  EXPECT_EQ(reply.execute_status, 99);
  EXPECT_EQ(reply.reason, "");
}

TEST(Host, RefusesAWorkspaceThatNobodyCanGive) {
  const std::pair<const char*, const char*> wishes[] = {
      {"prepare:huge", "a workspace of 18446744073709551615 bytes"},
      {"prepare:alignment", "workspace_alignment of 48, which is not a power of two"},
      {"prepare:wide_alignment", "workspace_alignment of 1099511627776"}};
  for (const auto& [config, reason] : wishes) {
    Host host(test_plugin("hostile", config), test_options());
    const auto reply = *host.execute(SmallCase().trial());
    EXPECT_EQ(reply.prepare_status, CONCORD_FAULT);
    EXPECT_THAT(reply.reason, HasSubstr(reason));
  }
}

TEST(Host, GivesAWorkspaceOfWideAlignmentOrNone) {
  for (const char* config : {"prepare:page_alignment", "prepare:no_workspace"}) {
    Host host(test_plugin("hostile", config), test_options());
    const auto reply = *host.execute(SmallCase().trial(2));
    EXPECT_EQ(reply.execute_status, CONCORD_OK);
    EXPECT_EQ(reply.bytes_written_outside, 0u);
  }
}

TEST(Host, ServesTensorsWithoutElements) {
  Host host(test_plugin("hostile"), test_options());
  const auto problem =
      parse("Convolution f32 src=0x3x2 weights=1x2x4 dst=0x3x4 data_format=NXC weights_format=XIO");
  const std::vector<std::byte> weights(32);
  const auto reply = *host.execute({*problem, {}, weights, {}});
  EXPECT_EQ(reply.execute_status, CONCORD_OK);
  EXPECT_TRUE(reply.dst.empty());
}

TEST(Host, GivesProblemsOfAllSizesInTurnTheirOwnMemory) {
  Host host(test_plugin("hostile"), test_options());
  for (const char* dst : {"2x3x4", "2000x300x4", "1x1x1", "64x1x16", "3000x300x8", "2x3x4"}) {
    const SmallCase small(dst);
    const auto reply = *host.execute(small.trial());
    EXPECT_EQ(reply.bytes_written_outside, 0u) << dst;
    const std::size_t elements = reply.dst.size() / sizeof(float);
    EXPECT_EQ(element(reply.dst, elements - 1), static_cast<float>(elements - 1)) << dst;
  }
}

TEST(Host, PassesThousandsOfTinyCases) {
  Host host(test_plugin("hostile"), test_options());
  const SmallCase small;
  constexpr int kCases = 2000;
  ASSERT_TRUE(host.start());
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < kCases; ++i) {
    ASSERT_EQ(host.query(small.problem()).value().status, CONCORD_OK);
    const auto reply = *host.execute(small.trial());
    ASSERT_EQ(element(reply.dst, 53), 23.f);
  }
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  const int rate = static_cast<int>(kCases / taken.count());
  RecordProperty("cases_per_second", rate);
  std::cout << rate << " cases/s of four requests each\n";
}

TEST(Host, WorksBesideOthersInOtherThreads) {
  const auto work = [](const char* config, int& done) {
    Host host(test_plugin("hostile", config), test_options());
    const SmallCase small;
    for (int i = 0; i < 100; ++i) {
      const auto answered = host.execute(small.trial());
      const bool expected =
          *config == '\0' ? bool{answered} : find_failure<WorkerFailure>(answered) != nullptr;
      done += expected ? 1 : 0;
    }
  };
  int behaved = 0, crashed = 0;
  std::thread one([&] { work("", behaved); }), other([&] { work("execute:segv", crashed); });
  one.join();
  other.join();
  EXPECT_EQ(behaved, 100);
  EXPECT_EQ(crashed, 100);
}

TEST(Host, OutlivesTheThreadThatStartedItsProcess) {
  Host host(test_plugin("hostile"), test_options());
  std::thread([&] { (void)host.start(); }).join();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_TRUE(host.execute(SmallCase().trial()));
}

TEST(Host, StopsAPluginThatBehaves) {
  Host host(test_plugin("hostile"), test_options());
  EXPECT_FALSE(host.stop().has_value());  // there is nothing to stop
  ASSERT_TRUE(host.start());
  const auto failure = host.stop();
  EXPECT_FALSE(failure.has_value()) << failure->detail;
}

}  // namespace
}  // namespace concord::conformance
