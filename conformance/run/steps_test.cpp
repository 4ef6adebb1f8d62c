// SPDX-License-Identifier: Apache-2.0
#include "conformance/run/steps.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <span>
#include <vector>

#include "conformance/case/seed.h"
#include "conformance/run/worker_loss.h"

namespace concord::conformance {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr std::uint64_t kSameInputs = 2, kOtherInputs = 3, kSecondHandle = 4;

Case small_case(std::uint64_t seed) {
  Case source;
  source.problem = parse("Convolution f32 src=1x3x1 weights=2x1x1").value();
  source.fill = Fill::kIntegers;
  source.seed = seed;
  return source;
}

// What a backend answers that serves the case.
Asked accepted(const PreparedCase& prepared) {
  Asked asked{prepared.source().problem, {}, {}};
  asked.complete.dst = prepared.geometry()->dst;
  asked.reply.status = CONCORD_OK;
  asked.reply.dst_dims = prepared.geometry()->dst.dims;
  return asked;
}

// What a backend leaves that computes right. With one channel there is but one order of elements.
TrialReply right_reply(PreparedCase& prepared, const Ready& ready) {
  const auto& values = prepared.data(ready.arithmetic).oracle.value;
  const std::vector<float> dst(values.begin(), values.end());
  const auto bytes = std::as_bytes(std::span(dst));
  TrialReply reply;
  reply.dst.assign(bytes.begin(), bytes.end());
  return reply;
}

class Steps : public testing::Test {
 protected:
  Case source_ = small_case(kSameInputs);
  PreparedCase prepared_{source_};
  Asked asked_ = accepted(prepared_);
};

TEST_F(Steps, PrepareMakesTheInputsOfAnAcceptedCase) {
  const auto ready = prepare(prepared_, asked_, {.threads = 3});
  ASSERT_TRUE(ready);
  EXPECT_EQ(ready->inputs.src.size(), 3 * sizeof(float));
  EXPECT_EQ(ready->inputs.weights.size(), 2 * sizeof(float));
  EXPECT_EQ(ready->sequence, Sequence::kNothing);
  EXPECT_TRUE(ready->later.weights.empty());
  EXPECT_EQ(ready->threads, 3);
  EXPECT_EQ(ready->other_threads, 1);
}

TEST(Prepare, MakesOtherInputsWhereTheSeedSaysSo) {
  for (const auto& [seed, sequence] : {std::pair{kOtherInputs, Sequence::kOtherInputs},
                                       std::pair{kSecondHandle, Sequence::kSecondHandle}}) {
    const Case source = small_case(seed);
    PreparedCase prepared(source);
    const auto ready = prepare(prepared, accepted(prepared), {});
    ASSERT_TRUE(ready);
    EXPECT_EQ(ready->sequence, sequence);
    EXPECT_EQ(ready->later.weights.size(), ready->inputs.weights.size());
    EXPECT_NE(ready->later.src, ready->inputs.src);
  }
}

// So that a cache which knows weights by their beginning is found.
TEST(Prepare, KeepsTheFirstChannelsWeightsInSomeCases) {
  int kept = 0;
  for (std::uint64_t seed = 1; seed < 65; seed += 2) {
    Case source = small_case(seed);
    source.problem = parse("Convolution f32 src=1x9x3x1 weights=3x3x1x2").value();
    PreparedCase prepared(source);
    const auto& weights = prepared.data({}).inputs.weights;
    const auto& later = prepared.later_data({}).inputs.weights;
    EXPECT_NE(weights, later) << seed;
    if (std::equal(weights.begin(), weights.begin() + 9, later.begin())) ++kept;
  }
  EXPECT_EQ(kept, 16);
}

TEST_F(Steps, PrepareSettlesADeclinedCaseBeforeAnyDataAreMade) {
  asked_.reply.status = CONCORD_UNSUPPORTED;
  asked_.reply.reason = "not today";
  const auto ready = prepare(prepared_, asked_, {});
  ASSERT_FALSE(ready);
  EXPECT_EQ(ready.why().verdict, Verdict::kDeclined);
  EXPECT_EQ(ready.why().reason, "not today");
  EXPECT_EQ(prepared_.evaluations(), 0u);
}

TEST_F(Steps, PrepareSettlesACaseOfUnknownArithmetic) {
  asked_.reply.arithmetic.accumulator = 77;
  const auto ready = prepare(prepared_, asked_, {});
  ASSERT_FALSE(ready);
  EXPECT_EQ(ready.why().verdict, Verdict::kFail);
  EXPECT_THAT(ready.why().reason, StartsWith("query declared no arithmetic: "));
}

TEST_F(Steps, PrepareSettlesACaseThatTakesTooMuchWork) {
  const auto ready = prepare(prepared_, asked_, {.max_work = 1});
  ASSERT_FALSE(ready);
  EXPECT_EQ(ready.why().verdict, Verdict::kHarnessError);
  EXPECT_THAT(ready.why().reason, HasSubstr("--max-work"));
}

TEST_F(Steps, JudgeLetsTheRightValuesPass) {
  const auto ready = prepare(prepared_, asked_, {});
  ASSERT_TRUE(ready);
  const CaseResult result = judge(prepared_, asked_, *ready, right_reply(prepared_, *ready));
  EXPECT_EQ(result.verdict, Verdict::kPass) << result.reason;
  EXPECT_EQ(result.tier, Tier::kExact);
}

TEST_F(Steps, JudgeFailsAWrongValueBeforeASideEffect) {
  const auto ready = prepare(prepared_, asked_, {});
  ASSERT_TRUE(ready);
  TrialReply reply = right_reply(prepared_, *ready);
  reply.bytes_written_outside = 4;
  EXPECT_EQ(judge(prepared_, asked_, *ready, reply).tier, Tier::kSideEffects);
  reply.dst[3] ^= std::byte{0x40};
  EXPECT_EQ(judge(prepared_, asked_, *ready, reply).tier, Tier::kExact);
}

TEST(Prepare, AsksForTwoExecutionsAloneWhereTheSeedSaysSo) {
  for (std::uint64_t high = 0; high < 1000; ++high) {
    const Case source = small_case(high << 16 | kPlainConduct);
    const PreparedCase prepared(source);
    EXPECT_EQ(prepared.sequence(), Sequence::kNothing);
    EXPECT_FALSE(prepared.hides_weights());
    EXPECT_EQ(prepared.executions(), 2);
    EXPECT_FALSE(prepared.on_another_thread());
    EXPECT_FALSE(prepared.many_rounds());
    EXPECT_EQ(prepared.other_threads(1, true), 0);
  }
}

TEST(Prepare, AsksMoreOfRealsWhereNoDataAreExact) {
  const auto counts = [](const char* line) {
    int sequences = 0, threads = 0, rounds = 0;
    for (std::uint64_t seed = 0; seed < 1024; ++seed) {
      Case source = small_case(seed * 0x9e3779b97f4a7c15);
      source.problem = *parse(line);
      source.fill = Fill::kUniform;
      const PreparedCase prepared(source);
      sequences += prepared.sequence() != Sequence::kNothing ? 1 : 0;
      threads += prepared.other_threads(1, false) != 0 ? 1 : 0;
      rounds += prepared.many_rounds() ? 1 : 0;
    }
    return std::vector{sequences, threads, rounds};
  };
  const auto of_chain = counts(
      "ContinuousChain f32 src=1x2x8x9 weights=2x61 scales_h=3/4,2/3 scales_w=2/3,5/6 widths=4,5");
  EXPECT_NEAR(of_chain[0], 768, 60);
  EXPECT_NEAR(of_chain[1], 512, 60);
  EXPECT_NEAR(of_chain[2], 16, 12);
  EXPECT_EQ(
      counts("ContinuousConvolution f32 src=1x2x7x6 weights=61 scale=2/3 channels=2 widths=4,5"),
      (std::vector{0, 0, 0}));
}

TEST(Prepare, HidesWeightsWhereInputsChangeAndInHalfOfTheOtherCases) {
  const auto hidden = [](Fill fill) {
    int cases = 0;
    for (std::uint64_t seed = 0; seed < 1024; ++seed) {
      Case source = small_case(seed * 0x9e3779b97f4a7c15);
      source.fill = fill;
      const PreparedCase prepared(source);
      if (fill == Fill::kIntegers) {
        EXPECT_EQ(prepared.hides_weights(), prepared.sequence() == Sequence::kOtherInputs);
      }
      cases += prepared.hides_weights() ? 1 : 0;
    }
    return cases;
  };
  for (const Fill fill : kFills) EXPECT_NEAR(hidden(fill), 512, 60) << to_string(fill);
  EXPECT_EQ(hidden(Fill::kRecorded), 0);
}

TEST(Prepare, ThreeInFourCasesOfASweepOverWindowsAreExecutedTwiceAlone) {
  int plain = 0;
  for (int i = 0; i < 4000; ++i) {
    const std::uint64_t seed = case_seed(1, fmt::format("tuples_2d/{}/f32/integers", i));
    plain += (seed & kConductBits) == kPlainConduct ? 1 : 0;
    EXPECT_NE(case_seed(1, fmt::format("triples/{}/f32/integers", i)) & kConductBits,
              kPlainConduct);
  }
  EXPECT_NEAR(plain, 3000, 150);
}

TEST(Prepare, AsksOfIntegersForAnotherNumberOfThreadsWhateverIsPromised) {
  const auto counts_from = [](std::uint64_t first) {
    std::multiset<int> counts;
    for (std::uint64_t seed = first; seed < first + 8 * 16; seed += 16) {
      const Case source = small_case(seed);
      PreparedCase prepared(source);
      counts.insert(prepare(prepared, accepted(prepared), {.threads = 3})->other_threads);
    }
    return counts;
  };
  EXPECT_EQ(counts_from(0), (std::multiset<int>{0, 0, 0, 0, 1, 4, 4, 7}));
  EXPECT_EQ(counts_from(65'536), (std::multiset<int>{0, 0, 0, 0, 5, 8, 16, 33})) << "one in 32";
}

TEST_F(Steps, JudgeJudgesWhatAnotherNumberOfThreadsComputes) {
  const auto ready = prepare(prepared_, asked_, {});
  ASSERT_TRUE(ready);
  TrialReply reply = right_reply(prepared_, *ready);
  reply.other_threads_dst = reply.dst;
  EXPECT_EQ(judge(prepared_, asked_, *ready, reply).verdict, Verdict::kPass);
  reply.other_threads_dst[3] ^= std::byte{0x40};
  const CaseResult result = judge(prepared_, asked_, *ready, reply);
  EXPECT_EQ(result.verdict, Verdict::kFail);
  EXPECT_EQ(result.tier, Tier::kExact);
  EXPECT_THAT(result.reason, StartsWith("with threads="));
}

TEST_F(Steps, JudgeCallsAPrepareThatRefusesABrokenClaim) {
  const auto ready = prepare(prepared_, asked_, {});
  ASSERT_TRUE(ready);
  TrialReply reply;
  reply.prepare_status = CONCORD_UNSUPPORTED;
  EXPECT_EQ(judge(prepared_, asked_, *ready, reply).verdict, Verdict::kClaimBroken);
}

TEST_F(Steps, RecordKeepsTheVerdictAndAddsWhatTheBackendSaid) {
  asked_.lowered = "the line";
  asked_.reply.implementation = "fast";
  CaseResult result;
  result.verdict = Verdict::kVacuous;
  result.reason = "why";
  EXPECT_EQ(record(result, asked_, std::nullopt).arithmetic, "");
  const CaseResult recorded = record(result, asked_, concord_arithmetic{});
  EXPECT_EQ(recorded.verdict, Verdict::kVacuous);
  EXPECT_EQ(recorded.reason, "why");
  EXPECT_EQ(recorded.arithmetic, "strict");
  EXPECT_EQ(recorded.lowered, "the line");
  EXPECT_EQ(recorded.implementation, "fast");
}

TEST(WorkerLoss, TellsTheBackendsFaultFromOurs) {
  EXPECT_EQ(result_of(LoadFailure{"no memory", true}).verdict, Verdict::kHarnessError);
  EXPECT_EQ(result_of(LoadFailure{"no memory", true}).loss, Loss::kNotStarted);
  EXPECT_EQ(result_of(LoadFailure{"no symbol", false}).verdict, Verdict::kCrash);
  EXPECT_EQ(result_of(LoadFailure{"no symbol", false}).loss, Loss::kOwn);
  using Kind = WorkerFailure::Kind;
  EXPECT_EQ(result_of(WorkerFailure{Kind::kHang, Stage::kExecute}).verdict, Verdict::kHang);
  EXPECT_EQ(result_of(WorkerFailure{Kind::kCrash, Stage::kExecute}).verdict, Verdict::kCrash);
  EXPECT_EQ(result_of(WorkerFailure{Kind::kStopped, Stage::kExecute}).loss, Loss::kStopped);
}

TEST(Step, AbortsWhereTheWrongOneOfTheTwoIsRead) {
  const Step<int> passed = 3;
  EXPECT_EQ(*passed, 3);
  EXPECT_DEATH(static_cast<void>(passed.why()), "asked a success for its reason");
  const Step<int> settled = CaseResult{};
  EXPECT_DEATH(static_cast<void>(*settled), "asked a failure for its value");
}

}  // namespace
}  // namespace concord::conformance
