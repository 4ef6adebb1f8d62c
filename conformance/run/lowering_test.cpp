// SPDX-License-Identifier: Apache-2.0
#include "conformance/run/lowering.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conformance/run/examine.h"

namespace concord::conformance {
namespace {

using ::testing::HasSubstr;

// Serves Convolution and nothing else; the other one pads at the wrong end.
const std::string kTemplate = TEST_TEMPLATE;
const std::string kLatePadding = TEST_LATE_PADDING;

// An even kernel: one row of padding at the end of each axis.
constexpr const char* kAtrous = "AtrousConv2d f32 src=2x5x6x3 weights=2x2x3x4 padding=SAME";
constexpr const char* kCntk =
    "CntkConvolution2d f32 src=6x5x3x2 weights=4x12 kernelWidth=2 kernelHeight=2 zeroPadding=true";

CaseResult examined(const std::string& plugin, const std::string& line, bool lower) {
  Case source;
  source.problem = *parse(line);
  source.fill = Fill::kRamp;
  PreparedCase prepared(source);
  Host host({.text = plugin, .path = plugin}, {.worker_program = TEST_WORKER});
  return examine(prepared, host, {.lower = lower});
}

std::optional<Lowered> lowered(const std::string& line) {
  const Problem problem = parse(line).value();
  return lower(problem, reference::resolve(problem).value());
}

TEST(Lowering, LetsABackendThatHasOnlyConvolutionBeJudgedOnOtherOperations) {
  for (const char* line : {kAtrous, kCntk}) {
    const CaseResult result = examined(kTemplate, line, true);
    EXPECT_EQ(result.verdict, Verdict::kPass) << line << ": " << result.reason;
    EXPECT_EQ(result.tier, Tier::kExact);
    EXPECT_THAT(result.lowered, HasSubstr("Convolution f32"));
    EXPECT_EQ(result.implementation, "plain loops");
  }
}

TEST(Lowering, CatchesAConvolutionThatPadsAtTheWrongEnd) {
  for (const char* line : {kAtrous, kCntk}) {
    const CaseResult result = examined(kLatePadding, line, true);
    EXPECT_EQ(result.verdict, Verdict::kFail) << line;
    EXPECT_EQ(result.tier, Tier::kExact);
    EXPECT_THAT(result.lowered, HasSubstr("pads_end=1,1"));
  }
}

TEST(Lowering, IsNotDoneUnlessItIsAskedFor) {
  for (const char* line : {kAtrous, kCntk}) {
    const CaseResult result = examined(kTemplate, line, false);
    EXPECT_EQ(result.verdict, Verdict::kDeclined) << line;
    EXPECT_EQ(result.lowered, "");
  }
}

TEST(Lowering, LeavesAloneWhatIsServedAsItIs) {
  const CaseResult result = examined(kTemplate,
                                     "Convolution f32 src=1x3x4x2 weights=2x2x2x3 data_format=NXC "
                                     "weights_format=XIO",
                                     true);
  EXPECT_EQ(result.verdict, Verdict::kPass);
  EXPECT_EQ(result.lowered, "");
}

TEST(Lowering, OfWhatIsDeclinedAsAConvolutionTooTellsBothReasons) {
  const CaseResult result =
      examined(kTemplate, "AtrousConv2d bf16 src=2x5x6x3 weights=2x2x3x4 padding=SAME", true);
  EXPECT_EQ(result.verdict, Verdict::kDeclined);
  EXPECT_EQ(result.lowered, "");
  EXPECT_THAT(result.reason, HasSubstr("only Convolution is served"));
  EXPECT_THAT(result.reason, HasSubstr("as a Convolution: only f32"));
}

TEST(Lowering, OfAnInvalidProblemIsNone) {
  const CaseResult result =
      examined(kTemplate, "AtrousConv2d f32 src=2x5x6x3 weights=2x2x3x4 rate=0 padding=SAME", true);
  EXPECT_EQ(result.verdict, Verdict::kDeclined);
}

TEST(Lowering, KeepsTheTensorsOfAtrousConv2d) {
  EXPECT_EQ(
      print(lowered("AtrousConv2d f32 src=2x9x10x3 weights=2x3x3x4 rate=3 padding=SAME")->problem),
      "Convolution f32 src=2x9x10x3 weights=2x3x3x4 pads_begin=1,3 pads_end=2,3 "
      "dilations=3,3 data_format=NXC weights_format=XIO");
}

TEST(Lowering, WritesOutThePaddingOfTheReadingOfConvolution1) {
  const std::string line =
      "Convolution1 f32 src=1x6x2 weights=3x2x4 strides=3 auto_pad=same_upper data_format=NXC "
      "filter_format=XIO";
  EXPECT_THAT(print(lowered(line)->problem), HasSubstr("strides=3 data_format"));
  EXPECT_THAT(print(lowered(line + " reading=documented")->problem),
              HasSubstr("strides=3 pads_begin=1 pads_end=1 data_format"));
}

TEST(Lowering, OfABiasOfOneElementForAllChannelsIsNone) {
  EXPECT_FALSE(
      lowered("Convolution1 f32 src=1x6x2 weights=3x2x4 bias=1 data_format=NXC "
              "filter_format=XIO reading=documented"));
}

TEST(Lowering, TurnsTheAxesOfCntkRoundAndMovesNothing) {
  EXPECT_EQ(print(lowered("CntkConvolution f32 src=10x9x3x2 weights=4x18 kernel=3,2,3 "
                          "stride=2,1,3 autoPadding=true,true,false")
                      ->problem),
            "Convolution f32 src=2x3x9x10 weights=4x3x2x3 strides=1,2 pads_begin=0,1 "
            "pads_end=1,0 data_format=NCX weights_format=OIX");
  EXPECT_EQ(print(lowered("CntkConvolution2d f32 src=3x10x7x2 weights=4x18 kernelWidth=3 "
                          "kernelHeight=2 imageLayout=HWC reading=documented")
                      ->problem),
            "Convolution f32 src=2x7x10x3 weights=2x3x3x4:12x4x24x1 data_format=NXC "
            "weights_format=XIO");
}

TEST(Lowering, SplitsAnAxisThatHasMapsIntoPositionsAndChannels) {
  const auto split = lowered(
      "CntkConvolution f32 src=9x7x2 weights=3x6 kernel=3,2 mapCount=1,3 autoPadding=false");
  ASSERT_TRUE(split);
  EXPECT_EQ(print(split->problem),
            "Convolution f32 src=2x1x7x9 weights=3x1x2x3 data_format=NCX weights_format=OIX");
  EXPECT_EQ(split->dst.dims, (Extents{2, 3, 6, 7}));
}

TEST(Lowering, StatesADstThatIsNotDenseAndNoOther) {
  EXPECT_FALSE(lowered("CntkConvolution f32 src=7x6x3x2 weights=4x18 kernel=3,2,3 stride=1,1,3 "
                       "autoPadding=false")
                   ->problem.dst);
  EXPECT_TRUE(lowered("CntkConvolution f32 src=7x6x3x2 weights=4x18 kernel=3,2,3 stride=1,1,3 "
                      "autoPadding=false dst=5x5x4x2:40x8x2x1")
                  ->problem.dst);
}

TEST(Lowering, IsNotOfWhatIsNoConvolution) {
  for (const char* line :
       {"AtrousConv2d f32 src=2x8x9x3 weights=3x2x3x4 rate=1 padding=VALID reading=documented",
        "CntkConvolution f32 src=6x5 weights=2x1 kernel=1 mapCount=2 stride=3 autoPadding=true "
        "reading=documented",  // crops
        "CntkConvolution f32 src=13x2 weights=12x3 kernel=3 mapCount=2 stride=2 sharing=false "
        "autoPadding=false",
        "CntkConvolution f32 src=9x7x2 weights=6x6 kernel=3,2 mapCount=2,3 autoPadding=false",
        "CntkConvolution f32 src=4x4x4x4x2 weights=2x16 kernel=2,2,2,2 autoPadding=false",
        "SpaceToBatch f32 src=1x2x2x1 block_size=2",
        "ContinuousConvolution f32 src=1x1x4x4 weights=0 scale=1/2 kernel=4,4 function=keys",
        "Convolution f32 src=1x2x3 weights=1x2x2 data_format=NCX weights_format=OIX"}) {
    EXPECT_FALSE(lowered(line)) << line;
  }
}

}  // namespace
}  // namespace concord::conformance
