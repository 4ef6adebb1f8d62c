// SPDX-License-Identifier: Apache-2.0
#include "conformance/shrink/moves.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "conformance/catalog/catalog.h"
#include "conformance/shrink/following.h"
#include "conformance/shrink/move_kinds.h"
#include "reference/reference.h"

namespace concord::conformance {
namespace {

/// Where the search ends if every valid problem fails of which `fails` is true.
Problem smallest_of(Problem problem,
                    const std::function<bool(const reference::Resolution&)>& fails) {
  std::set<std::string> seen{print(problem)};
  for (bool changed = true; changed;) {
    changed = false;
    for (const Move& move : moves_for(problem)) {
      for (Problem& simpler : move(problem)) {
        const auto resolved = reference::resolve(simpler);
        if (!resolved || !fails(*resolved)) continue;
        problem = std::move(simpler);
        changed = true;
        EXPECT_TRUE(seen.insert(print(problem)).second) << "twice: " << print(problem);
        break;
      }
      if (testing::Test::HasFailure()) return problem;
    }
  }
  return problem;
}

Problem smallest_of(const Problem& problem) {
  return smallest_of(problem, [](const auto&) { return true; });
}

std::string smallest_of(const char* line) { return print(smallest_of(*parse(line))); }

// Neither the least value nor half of it nor one step less fails.
TEST(Moves, FindTheFewestChannelsAndGroupsOfAFailureThatNeedsAnOddNumber) {
  const auto odd_channels = [](const reference::Resolution& r) {
    return r.discrete().ICG() > 1 && r.discrete().ICG() % 2 == 1;
  };
  EXPECT_EQ(print(smallest_of(*parse("Convolution f32 src=2x31x5x5 weights=4x31x1x1 "
                                     "data_format=NCX weights_format=OIX"),
                              odd_channels)),
            "Convolution f32 src=1x3x1 weights=1x3x1 data_format=NCX weights_format=OIX");
  const auto odd_groups = [](const reference::Resolution& r) {
    return r.discrete().G > 1 && r.discrete().G % 2 == 1;
  };
  EXPECT_EQ(print(smallest_of(*parse("Convolution f32 src=1x31x5 weights=31x1x3 groups=31 "
                                     "data_format=NCX weights_format=OIX"),
                              odd_groups)),
            "Convolution f32 src=1x3x1 weights=3x1x1 groups=3 data_format=NCX weights_format=OIX");
}

// A loop over vectors of sixteen is wrong about what is left.
TEST(Moves, KeepARemainderByTheWidthOfAVector) {
  const auto left_over = [](const reference::Resolution& r) { return r.discrete().G % 16 == 13; };
  EXPECT_EQ(
      print(smallest_of(*parse("Convolution f32 src=1x61x5 weights=61x1x3 groups=61 "
                               "data_format=NCX weights_format=OIX"),
                        left_over)),
      "Convolution f32 src=1x13x1 weights=13x1x1 groups=13 data_format=NCX weights_format=OIX");
}

TEST(Moves, BringWhateverFailsToAProblemOfAFewElements) {
  for (const Case& source : make_catalog(Suite::kSmoke, 1)) {
    const auto geometry = reference::resolve(source.problem);
    if (is_discrete(source.problem.operation()) || !geometry) continue;
    const Problem smallest = smallest_of(source.problem);
    ASSERT_FALSE(HasFailure()) << source.id;
    EXPECT_LE(element_count(smallest.src.dims).value(), 1) << source.id << ": " << print(smallest);
    EXPECT_EQ(smallest.dtype, Dtype::kF32);
  }
}

TEST(Moves, LeaveNothingThatIsNotNeeded) {
  EXPECT_EQ(smallest_of("CntkConvolution bf16 src=7x6x3x2:36x6x2x1 weights=100x18 kernel=3,2,3 "
                        "mapCount=4 stride=1,1,3 sharing=false,false,true autoPadding=true,true,"
                        "false maxTempMemSizeInSamples=1"),
            "CntkConvolution f32 src=1x1 weights=1x1 kernel=1 mapCount=1 autoPadding=false");
  EXPECT_EQ(smallest_of("CntkConvolution f32 src=4x4x2 weights=1x16 kernel=2,2 mapCount=2,2 "
                        "autoPadding=false"),
            "CntkConvolution f32 src=1x1 weights=1x1 kernel=1 mapCount=1 autoPadding=false");
  EXPECT_EQ(smallest_of("CntkConvolution2d f16 src=3x10x7x2 weights=4x45 kernelWidth=5 "
                        "kernelHeight=3 zeroPadding=true imageLayout=HWC reading=documented"),
            "CntkConvolution2d f32 src=1x1x1x1 weights=1x1");
  EXPECT_EQ(smallest_of("SpaceToBatch bf16 src=1x5x9x4 block_size=4 paddings=0,3,2,1"),
            "SpaceToBatch f32 src=1x1x1x1");
  EXPECT_EQ(smallest_of("BatchToSpace f16 src=18x3x4x2 block_size=3 crops=1,2,0,3"),
            "BatchToSpace f32 src=1x1x1x1");
  EXPECT_EQ(smallest_of("ContinuousBackwardData f32 src=1x2x8x7 weights=253 diff_dst=1x2x6x6 "
                        "scale=2/3,3/4 channels=2 widths=4,5 function=net_k ties=half_open"),
            "ContinuousBackwardData f32 src=1x1x1x1 weights=7 diff_dst=1x1x1x1 scale=1,1 "
            "kernel=1,1 widths=1,1");
}

TEST(Moves, OfAnyOperationComeFromTheRowsOfItsAttributes) {
  const std::string begin = "CntkConvolution f32 src=1x1 weights=1x1 kernel=1 ";
  const Problem problem = *parse(begin + "stride=3 autoPadding=false maxTempMemSizeInSamples=1");
  std::vector<Move> moves;
  add_row_moves(moves, problem);
  std::set<std::string> simpler;
  for (const Move& move : moves) {
    for (const Problem& each : move(problem)) simpler.insert(print(each));
  }
  const std::set<std::string> want{begin + "autoPadding=false maxTempMemSizeInSamples=1",
                                   begin + "stride=2 autoPadding=false maxTempMemSizeInSamples=1",
                                   begin + "stride=3 maxTempMemSizeInSamples=1",
                                   begin + "stride=3 autoPadding=false"};
  EXPECT_EQ(simpler, want);
}

TEST(Following, KnowsWhatEveryValidProblemNeeds) {
  std::size_t known = 0;
  for (const Case& source : make_catalog(Suite::kSmoke, 1)) {
    const Problem& problem = source.problem;
    if (!reference::resolve(problem)) continue;
    if (const auto needed = needed_weights(problem)) {
      EXPECT_EQ(element_count(problem.weights.dims), element_count(*needed)) << source.id;
      known += problem.weights.dims == *needed ? 1U : 0U;
    }
    if (const auto needed = needed_diff_dst(problem)) {
      EXPECT_EQ(problem.diff_dst->dims, *needed) << source.id;
    }
  }
  EXPECT_GT(known, 100U);
}

// Whoever states another number of weights than are needed means to have it refused.
TEST(Following, LeavesWeightsThatDidNotFit) {
  const Problem before = *parse("CntkConvolution f32 src=5x2 weights=4x4 kernel=3 mapCount=4");
  Problem changed = before;
  changed.src.dims[0] = 3;
  EXPECT_EQ(refitted(before, changed).weights.dims, (Extents{4, 4}));
}

TEST(Following, KeepsWeightsInOneRow) {
  const Problem before =
      *parse("CntkConvolution f32 src=5x2 weights=1x12 kernel=3 mapCount=4 autoPadding=false");
  Problem changed = before;
  std::get<CntkConvolutionAttributes>(changed.attributes).kernel = {2};
  EXPECT_EQ(refitted(before, changed).weights.dims, (Extents{1, 8}));
}

TEST(Following, KeepsADenseImageDenseAndGapsWhereTheyAre) {
  for (const auto& [line, strides] :
       {std::pair{"CntkConvolution f32 src=5x4x2 weights=1x2 kernel=2,1", Extents{1, 3, 12}},
        std::pair{"CntkConvolution f32 src=5x4x2:1x7x50 weights=1x2 kernel=2,1",
                  Extents{1, 7, 50}}}) {
    const Problem before = *parse(line);
    Problem changed = before;
    changed.src.dims[0] = 3;
    EXPECT_EQ(refitted(before, changed).src.strides, strides);
  }
}

}  // namespace
}  // namespace concord::conformance
