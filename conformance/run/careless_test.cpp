// SPDX-License-Identifier: Apache-2.0
// A plugin that reads what means nothing, or takes numbers that it does not know, has failed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "conformance/run/examine.h"
#include "conformance/run/judge_query.h"

namespace concord::conformance {
namespace {

// What becomes of a served problem with each of many seeds.
std::multiset<std::string> reasons_of(const std::string& config, Verdict verdict) {
  Host host({.text = "careless", .path = TEST_CARELESS, .config = config},
            {.worker_program = TEST_WORKER});
  Case source;
  source.problem = parse("Convolution f32 src=1x5x4x3 weights=2x2x3x3 strides=2,1").value();
  std::multiset<std::string> reasons;
  for (std::uint64_t bits = 0; bits < 32; ++bits) {
    source.seed = bits << 32U;
    PreparedCase prepared(source);
    const CaseResult result = examine(prepared, host, {});
    if (result.verdict == verdict) reasons.insert(result.reason);
  }
  return reasons;
}

TEST(Careless, WhatIsBehindTheLastExtentAndValueMeansNothing) {
  const auto reasons = reasons_of("behind", Verdict::kFail);
  ASSERT_EQ(reasons.size(), 32U);
  EXPECT_THAT(*reasons.begin(), testing::HasSubstr("CONCORD_INVALID (src has a negative extent)"));
}

// Of the eight numbers of this problem, each with two that are unknown.
TEST(Careless, UnknownNumbersAreDeclined) {
  const auto reasons = reasons_of("formats", Verdict::kFail);
  EXPECT_EQ(reasons.size(), 4U);
  for (const std::string number : {"1000", "-1"}) {
    EXPECT_EQ(
        reasons.count("query answered CONCORD_OK to this problem with weights_format " + number +
                      ", which no version of the plugin ABI has: CONCORD_UNSUPPORTED "
                      "declines what is unknown"),
        2U);
  }
}

TEST(Careless, ACrashIsSaidToBeOfAnUnknownNumber) {
  const auto reasons = reasons_of("table", Verdict::kCrash);
  EXPECT_EQ(reasons.size(), 4U);
  for (const std::string& reason : reasons) {
    EXPECT_THAT(reason, testing::StartsWith("in query of an unknown enumerator: SIGABRT"));
  }
}

UnknownReply answering(concord_status status) { return {"auto_pad", -1, status, "a reason"}; }

TEST(Careless, DecliningAndRefusingUnknownNumbersAreRight) {
  EXPECT_FALSE(judge_unknown(answering(CONCORD_UNSUPPORTED)));
  EXPECT_FALSE(judge_unknown(answering(CONCORD_INVALID)));
  EXPECT_TRUE(judge_unknown(answering(CONCORD_OK)));
  EXPECT_TRUE(judge_unknown(answering(CONCORD_FAULT)));
}

}  // namespace
}  // namespace concord::conformance
