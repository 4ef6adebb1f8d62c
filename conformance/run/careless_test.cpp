// SPDX-License-Identifier: Apache-2.0
// A plugin that reads what means nothing, or takes numbers that it does not know, has failed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "conformance/case/seed.h"
#include "conformance/run/examine.h"
#include "conformance/run/judge_query.h"
#include "conformance/run/unknown_number.h"

namespace concord::conformance {
namespace {

constexpr std::uint64_t kSeeds = 64;

// What becomes of a served problem with each of many seeds.
std::multiset<std::string> reasons_of(const std::string& config, Verdict verdict) {
  Host host({.text = "careless", .path = TEST_CARELESS, .config = config},
            {.worker_program = TEST_WORKER});
  Case source;
  source.problem = parse("Convolution f32 src=1x5x4x3 weights=2x2x3x3 strides=2,1").value();
  std::multiset<std::string> reasons;
  for (source.seed = 0; source.seed < kSeeds; ++source.seed) {
    PreparedCase prepared(source);
    const CaseResult result = examine(prepared, host, {});
    if (result.verdict == verdict) reasons.insert(result.reason);
  }
  return reasons;
}

TEST(Careless, WhatIsBehindTheLastExtentAndValueMeansNothing) {
  const auto reasons = reasons_of("behind", Verdict::kFail);
  ASSERT_EQ(reasons.size(), kSeeds);
  EXPECT_THAT(*reasons.begin(), testing::HasSubstr("CONCORD_INVALID (src has a negative extent)"));
}

// One in eight, for so many numbers has this problem.
TEST(Careless, UnknownNumbersAreDeclined) {
  const auto reasons = reasons_of("formats", Verdict::kFail);
  std::size_t found = 0;
  for (const std::string number : {"1000", "-1"}) {
    const auto count =
        reasons.count("query answered CONCORD_OK to this problem with weights_format " + number +
                      ", which no version of the plugin ABI has: CONCORD_UNSUPPORTED "
                      "declines what is unknown");
    EXPECT_GT(count, 0U);
    found += count;
  }
  EXPECT_EQ(found, reasons.size());
  EXPECT_NEAR(static_cast<double>(found), kSeeds / 8.0, kSeeds / 16.0);
}

TEST(Careless, ACrashIsSaidToBeOfAnUnknownNumber) {
  const auto reasons = reasons_of("table", Verdict::kCrash);
  EXPECT_GT(reasons.size(), 0U);
  for (const std::string& reason : reasons) {
    EXPECT_THAT(reason, testing::StartsWith("in query of an unknown enumerator: SIGABRT"));
  }
}

// The second query of a case finds other bytes there.
TEST(Careless, AFlagThatIsNeverSetIsNoticed) {
  const auto reasons = reasons_of("flag", Verdict::kFail);
  ASSERT_GT(reasons.size(), 0U);
  for (const std::string& reason : reasons) {
    EXPECT_THAT(reason, testing::AllOf(testing::StartsWith("query answered CONCORD_OK"),
                                       testing::HasSubstr(", bits_vary_by_run")));
  }
}

std::string unknown_in(const std::string& line, std::uint64_t seed) {
  Case source;
  source.problem = *parse(line);
  source.seed = seed;
  const auto unknown = unknown_number_of(PreparedCase(source));
  return unknown ? unknown->name : "";
}

TEST(Careless, ASmallerProblemHasTheSameUnknownNumber) {
  std::set<std::string> names;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const std::string name =
        unknown_in("Convolution f32 src=1x5x4x3 weights=2x2x3x3 bias=3 strides=2,1", seed);
    names.insert(name);
    if (name == "bias's dtype") continue;
    EXPECT_EQ(name, unknown_in("Convolution f32 src=1x5x3 weights=2x3x3 strides=2", seed));
  }
  EXPECT_EQ(names.size(), 9U);
}

TEST(Careless, CasesOfSweepsAndThoseToBeRefusedHaveNone) {
  constexpr const char* kServed = "Convolution f32 src=1x5x3 weights=2x3x3";
  EXPECT_NE(unknown_in(kServed, 0), "");
  std::size_t others = 0;
  for (int i = 0; i < 64; ++i) {
    EXPECT_EQ(unknown_in(kServed, case_seed(1, "tuples_1d/" + std::to_string(i))), "");
    others += unknown_in(kServed, case_seed(1, "pairs/" + std::to_string(i))).empty() ? 0U : 1U;
  }
  EXPECT_NEAR(static_cast<double>(others), 48, 16);
  EXPECT_EQ(unknown_in("Convolution f32 src=1x5x3 weights=2x2x3", 0), "");
}

std::optional<CaseResult> judged(concord_status status) {
  return judge_unknown({"auto_pad", -1}, {status, "a reason"});
}

TEST(Careless, DecliningAndRefusingUnknownNumbersAreRight) {
  EXPECT_FALSE(judged(CONCORD_UNSUPPORTED));
  EXPECT_FALSE(judged(CONCORD_INVALID));
  EXPECT_TRUE(judged(CONCORD_OK));
  EXPECT_TRUE(judged(CONCORD_FAULT));
}

}  // namespace
}  // namespace concord::conformance
