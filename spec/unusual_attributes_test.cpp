// SPDX-License-Identifier: Apache-2.0
#include "spec/unusual_attributes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "spec/walk_attributes.h"

namespace concord {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string_view> unusual(const char* line, std::vector<std::string_view> known) {
  return unusual_attributes(*parse(line), known);
}

TEST(UnusualAttributes, AreThoseThatAReaderDoesNotKnowUnlessTheyHaveTheirDefaults) {
  const char* const line =
      "Convolution f32 src=1x4x9x10 weights=4x1x3x2 strides=2,1 pads_begin=0,0 pads_end=0,1 "
      "groups=4 auto_pad=none data_format=NCX weights_format=OIX";
  EXPECT_THAT(unusual(line, {"data_format", "weights_format"}),
              ElementsAre("strides", "pads_end", "groups"));
  EXPECT_THAT(unusual(line, {"data_format", "weights_format", "strides", "pads_end", "groups"}),
              IsEmpty());
}

TEST(UnusualAttributes, OfWhatHasNoDefaultAreNeverUsual) {
  EXPECT_THAT(unusual("AtrousConv2d f32 src=1x9x9x1 weights=3x3x1x1 padding=VALID", {}),
              ElementsAre("padding"));
  EXPECT_THAT(unusual("ContinuousConvolution f32 src=1x2x8x9 weights=422 scale=1,1", {}),
              ElementsAre("scale"));
}

TEST(HasAttribute, KnowsAttributesOfEveryKind) {
  EXPECT_TRUE(has_attribute(Operation::kConvolution1, "filter_format"));
  EXPECT_FALSE(has_attribute(Operation::kConvolution1, "weights_format"));
  EXPECT_TRUE(has_attribute(Operation::kAtrousConv2d, "padding"));
  EXPECT_TRUE(has_attribute(Operation::kContinuousConvolution, "scale"));
  EXPECT_FALSE(has_attribute(Operation::kContinuousChain, "scale"));
}

TEST(FindAttribute, GivesTheOneOfAType) {
  Problem problem = *parse(
      "Convolution1 f32 src=1x9x4 weights=1x4x4 data_format=NXC "
      "filter_format=OIX");
  ASSERT_NE(find_attribute<WeightsFormat>(problem.attributes), nullptr);
  *find_attribute<WeightsFormat>(problem.attributes) = WeightsFormat::kXIO;
  EXPECT_EQ(std::get<Convolution1Attributes>(problem.attributes).filter_format,
            WeightsFormat::kXIO);
  EXPECT_EQ(find_attribute<Ties>(problem.attributes), nullptr);
}

}  // namespace
}  // namespace concord
