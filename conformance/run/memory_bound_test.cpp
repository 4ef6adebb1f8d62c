// SPDX-License-Identifier: Apache-2.0
#include "conformance/run/memory_bound.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conformance/run/examine.h"

namespace concord::conformance {
namespace {

using ::testing::HasSubstr;

const std::string kNd =
    "CntkConvolution f32 src=9x8x3x5 weights=4x18 kernel=3,2,3 stride=1,1,3 autoPadding=false ";
const std::string kOfNd =
    " f32 src=9x8x3x5 weights=4x18 diff_dst=7x7x4x5 kernel=3,2,3 stride=1,1,3 autoPadding=false ";
const std::string kData = "CntkBackwardData" + kOfNd;
const std::string kWeights = "CntkBackwardWeights" + kOfNd;
const std::string k2d =
    "CntkConvolution2d f32 src=9x8x2x5 weights=3x18 kernelWidth=3 kernelHeight=3 ";

std::optional<std::size_t> bound(const std::string& line,
                                 const concord_arithmetic& arithmetic = {}) {
  const Problem problem = *parse(line);
  return bound_of_workspace(problem, *reference::resolve(problem), arithmetic);
}

CaseResult examined(const std::string& plugin, const std::string& bug, const std::string& line) {
  Case source;
  source.problem = *parse(line);
  source.fill = Fill::kRamp;
  PreparedCase prepared(source);
  Host host({plugin, std::string(TEST_PLUGINS) + "/" + plugin + ".so", bug},
            {.worker_program = TEST_WORKER});
  return examine(prepared, host, {});
}

// By hand: 7x7 positions of 18 cells for one sample, and 4 maps beside them for more.
TEST(BoundOfWorkspace, IsThatOfTheSamplesAllowed) {
  EXPECT_EQ(bound(kNd + "maxTempMemSizeInSamples=1"), 49u * 18 * 4);
  EXPECT_EQ(bound(kNd + "maxTempMemSizeInSamples=2"), 2u * 49 * (18 + 4) * 4);
  concord_arithmetic wide{};
  wide.accumulator = CONCORD_ACCUMULATE_F64;
  EXPECT_EQ(bound(kNd + "maxTempMemSizeInSamples=2", wide), 2u * 49 * (18 + 4) * 8);
}

// By hand: under one cell a stride the 2x2 positions of a sample are fewer than its 9x8x3 cells.
TEST(BoundOfWorkspace, HasRoomForTheSamplesAsTheyAreGiven) {
  EXPECT_EQ(bound("CntkConvolution f32 src=9x8x3x5 weights=4x3 kernel=1,1,3 stride=8,7,3 "
                  "autoPadding=false maxTempMemSizeInSamples=2"),
            2u * 9 * 8 * 3 * 4);
}

// By hand: 72 cells of a channel, each under 9 taps of 4 maps; for the weights' gradient, and where
// the windows are few, what is given counts, too.
TEST(BoundOfWorkspace, OfAGradientIsThatOfItsUnfolding) {
  EXPECT_EQ(bound(kData + "maxTempMemSizeInSamples=1"), 72u * (6 * 4) * 4);
  EXPECT_EQ(bound(kData + "maxTempMemSizeInSamples=2"), 2u * 72 * (6 * 4 + 3) * 4);
  EXPECT_EQ(bound(kWeights + "maxTempMemSizeInSamples=2"), 2u * 49 * (18 + 4) * 4);
  EXPECT_EQ(bound("CntkBackwardWeights f32 src=9x8x3x5 weights=40x3 diff_dst=2x2x40x5 "
                  "kernel=1,1,3 stride=8,7,3 autoPadding=false maxTempMemSizeInSamples=1"),
            9u * 8 * 3 * 4);
}

TEST(BoundOfWorkspace, DoesNotExistWhereAllSamplesAreAllowed) {
  EXPECT_EQ(bound(kNd), std::nullopt);
  EXPECT_EQ(bound(kNd + "maxTempMemSizeInSamples=5"), std::nullopt);
  EXPECT_EQ(bound("Convolution f32 src=2x2x4 weights=3x2x3 data_format=NCX weights_format=OIX"),
            std::nullopt);
}

TEST(MemoryBound, FailsABackendThatUnfoldsTheWholeMinibatch) {
  for (const auto& [bug, line] :
       {std::pair{"cntk_memory_bound_ignored", kNd},
        std::pair{"cntk_memory_bound_ignored_in_2d", k2d},
        std::pair{"cntk_memory_bound_ignored_by_data_gradient", kData},
        std::pair{"cntk_memory_bound_ignored_by_weights_gradient", kWeights}}) {
    const CaseResult result = examined("faulty", bug, line + "maxTempMemSizeInSamples=2");
    EXPECT_EQ(result.verdict, Verdict::kFail) << bug;
    EXPECT_EQ(result.tier, Tier::kSideEffects);
    EXPECT_THAT(result.reason, HasSubstr("for 5 samples"));
    EXPECT_EQ(examined("faulty", bug, line).verdict, Verdict::kPass) << "no bound is set";
    EXPECT_EQ(examined("faulty", bug, line + "maxTempMemSizeInSamples=9").verdict, Verdict::kPass);
  }
}

// The engine's workspace holds packed weights, above what unfolding would need; in the last line it
// grows with the samples, but not by more than the windows of a sample.
TEST(MemoryBound, LeavesAWorkspaceAloneThatHoldsNoMoreSamplesThanAllowed) {
  for (const char* line :
       {"CntkConvolution f32 src=5x4x3x9 weights=2x3 kernel=1,1,3 stride=1,1,3 "
        "autoPadding=false maxTempMemSizeInSamples=1",
        "CntkConvolution2d f32 src=5x4x3x9 weights=2x3 "
        "maxTempMemSizeInSamples=1",
        "CntkConvolution bf16 src=4x1x4x1x1x8x3 weights=72x48 kernel=2,2,3,2,2,1 "
        "mapCount=3,2,1,1,2,1 stride=3,1,1,2,2,3 "
        "sharing=true,false,false,true,false,false "
        "autoPadding=false,false,false,false,false,true "
        "lowerPad=1,1,0,1,1,0 upperPad=0,0,0,0,0,0 maxTempMemSizeInSamples=1",
        "CntkBackwardData bf16 src=9x8x3x5 weights=4x18 diff_dst=7x7x4x5 kernel=3,2,3 "
        "stride=1,1,3 autoPadding=false maxTempMemSizeInSamples=1",
        "CntkBackwardWeights f32 src=5x4x3x9 weights=2x3 diff_dst=5x4x2x9 kernel=1,1,3 "
        "stride=1,1,3 autoPadding=false maxTempMemSizeInSamples=1"}) {
    const CaseResult result = examined("optimized", "", line);
    EXPECT_EQ(result.verdict, Verdict::kPass) << result.reason;
  }
}

}  // namespace
}  // namespace concord::conformance
