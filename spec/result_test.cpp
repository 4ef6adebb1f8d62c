// SPDX-License-Identifier: Apache-2.0
#include "spec/result.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>

namespace concord {
namespace {

TEST(Result, HoldsAValueOrARefusal) {
  const Result<int> value = 7;
  ASSERT_TRUE(value);
  EXPECT_EQ(*value, 7);
  const Result<int> refusal = Refusal{Fault::kGroups, "groups=0: less than 1"};
  ASSERT_FALSE(refusal);
  EXPECT_EQ(refusal.why(), (Refusal{Fault::kGroups, "groups=0: less than 1"}));
}

TEST(Result, GivesItsValueAway) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(3);
  const std::unique_ptr<int> taken = *std::move(result);
  EXPECT_EQ(*taken, 3);
}

TEST(Result, HoldsReasonsOfOtherTypes) {
  Result<int, std::unique_ptr<int>> failure = std::make_unique<int>(3);
  ASSERT_FALSE(failure);
  const std::unique_ptr<int> why = std::move(failure).why();
  EXPECT_EQ(*why, 3);
}

TEST(ResultDeathTest, ReadingTheWrongOneIsABug) {
  const Result<int> value = 7;
  const Result<int> refusal = Refusal{Fault::kGroups, "groups=0: less than 1"};
  EXPECT_DEATH((void)*refusal, "groups=0: less than 1");
  EXPECT_DEATH((void)value.why(), "asked a success for its reason");
  const Result<int, char> failure = 'e';
  EXPECT_DEATH((void)*failure, "asked a failure for its value");
}

// The order is part of conformance: docs/spec.md#refusals.
TEST(Fault, HasADifferentNameForEachInTheOrderOfTheManual) {
  const char* const names[] = {"syntax",   "dtype",  "rank",      "size",       "layout",
                               "strides",  "scale",  "dilations", "block_size", "pads",
                               "padding",  "groups", "map_count", "sharing",    "image_layout",
                               "channels", "kernel", "widths",    "theta",      "bias",
                               "diff_dst", "dst",    "limit"};
  int fault = 0;
  for (const char* name : names) EXPECT_EQ(to_string(static_cast<Fault>(fault++)), name);
  EXPECT_EQ(static_cast<Fault>(fault - 1), Fault::kLimit);
}

}  // namespace
}  // namespace concord
