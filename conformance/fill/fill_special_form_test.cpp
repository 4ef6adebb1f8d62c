// SPDX-License-Identifier: Apache-2.0
// Special values of the operations that are not discrete convolutions, from the fill to the
// verdict.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "conformance/fill/fill.h"
#include "conformance/judge/judge_special.h"
#include "spec/rounding.h"

namespace concord::conformance {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Sample {
  Problem problem;
  reference::Resolution resolution;
  Inputs inputs;
  reference::Oracle oracle;
};

Sample make_sample(const char* line, std::uint64_t seed) {
  const Problem problem = *parse(line);
  const auto resolution = reference::resolve(problem);
  Inputs inputs = fill_inputs(Fill::kSpecial, seed, problem, *resolution, {});
  auto oracle = reference::evaluate(problem, *resolution,
                                    {inputs.src, inputs.weights, inputs.bias, inputs.diff_dst});
  return {problem, *resolution, std::move(inputs), std::move(oracle)};
}

// What a right library gives, but for NaN and Inf, which it takes for `nan` and `infinity`.
bool passes(const Sample& s, double nan, double infinity) {
  std::vector<double> got = s.oracle.value;
  for (double& y : got) {
    if (std::isnan(y)) y = nan;
    if (std::isinf(y)) y = std::copysign(infinity, y);
    y = round_to(s.problem.dtype, y);
  }
  const ErrorBound bound = error_bound(s.problem.dtype, {}, s.resolution.products);
  return judge_special(s.problem.dtype, {}, bound, got, s.oracle.value, s.oracle.magnitude)
      .passed();
}

bool has(const std::vector<double>& values, bool (*is)(double)) {
  return std::any_of(values.begin(), values.end(), is);
}
bool is_nan(double v) { return std::isnan(v); }
bool is_infinite(double v) { return std::isinf(v); }
bool is_finite(double v) { return std::isfinite(v); }
bool is_special(double v) { return !std::isfinite(v); }

constexpr const char* kLines[] = {
    "SpaceToBatch f32 src=2x7x8x3 block_size=3 paddings=1,1,0,1",
    "BatchToSpace bf16 src=18x3x4x2 block_size=3 crops=1,2,0,3",
    "CntkConvolution f32 src=10x9x3x2 weights=4x18 kernel=3,2,3 stride=1,1,3 "
    "autoPadding=true,true,false",
    "CntkConvolution f16 src=7x6x3x2 weights=100x18 kernel=3,2,3 mapCount=4 stride=1,1,3 "
    "sharing=false,false,true autoPadding=false",
    "CntkConvolution2d bf16 src=3x10x7x2 weights=4x18 kernelWidth=3 kernelHeight=2 "
    "imageLayout=HWC zeroPadding=true",
    "ContinuousConvolution f32 src=2x3x7x6 weights=109 scale=2/3,3/2 channels=4 widths=4,5",
    "ContinuousBackwardData f32 src=1x2x6x5 weights=73 diff_dst=1x3x4x8 scale=2/3,3/2 channels=3 "
    "widths=4,5 boundary=replicate",
    "CntkBackwardData f32 src=8x7x2x3 weights=3x24 diff_dst=8x7x3x3 kernel=4,3,2 stride=1,1,2 "
    "autoPadding=false lowerPad=2,1,0 upperPad=1,1,0",
    "CntkBackwardWeights f16 src=7x6x3x2 weights=100x18 diff_dst=5x5x4x2 kernel=3,2,3 mapCount=4 "
    "stride=1,1,3 sharing=false,false,true autoPadding=false",
    "CntkBackwardWeights f32 src=9x8x2x2 weights=3x16 diff_dst=5x3x3x2 kernel=4,2,2 stride=2,3,2 "
    "autoPadding=true,true,false",
};

TEST(SpecialFormFill, ReachesSomeOutputsAndLeavesOthers) {
  for (const char* const line : kLines) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const Sample s = make_sample(line, seed);
      EXPECT_TRUE(has(s.oracle.value, is_special)) << line << ", seed " << seed;
      EXPECT_TRUE(has(s.oracle.value, is_finite)) << line << ", seed " << seed;
    }
  }
}

TEST(SpecialFormFill, IsRejectedWhereWhatIsNotFiniteIsSwallowed) {
  for (const char* const line : kLines) {
    const Sample s = make_sample(line, 4);
    const double nan = std::nan("");
    const double largest = format_of(s.problem.dtype).largest();
    EXPECT_TRUE(passes(s, nan, kInfinity)) << line;
    if (has(s.oracle.value, is_nan)) {
      EXPECT_FALSE(passes(s, 0, kInfinity)) << line;
      EXPECT_FALSE(passes(s, -kInfinity, kInfinity)) << line;
    }
    if (has(s.oracle.value, is_infinite)) {
      EXPECT_FALSE(passes(s, nan, largest)) << line;
    }
  }
}

// Multiplied or not, padding may meet no weight that is not finite: the verdict would be a guess.
TEST(SpecialFormFill, PlantsInWeightsOnlyWhereNoWindowMeetsPadding) {
  int planted = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    EXPECT_FALSE(has(make_sample(kLines[2], seed).inputs.weights, is_special));
    EXPECT_FALSE(has(make_sample(kLines[4], seed).inputs.weights, is_special));
    planted += has(make_sample(kLines[3], seed).inputs.weights, is_special) ? 1 : 0;
  }
  EXPECT_GT(planted, 0);
  EXPECT_LT(planted, 20);
}

TEST(SpecialFormFill, PlantsInDiffDstOfTheGradientByWeightsOnlyWhereNoWindowMeetsPadding) {
  int planted = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    EXPECT_FALSE(has(make_sample(kLines[9], seed).inputs.diff_dst, is_special));
    planted += has(make_sample(kLines[8], seed).inputs.diff_dst, is_special) ? 1 : 0;
  }
  EXPECT_GT(planted, 0);
  EXPECT_LT(planted, 20);
}

TEST(SpecialFormFill, HasNoInfinityForTheContinuousLayer) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    EXPECT_FALSE(has(make_sample(kLines[5], seed).oracle.value, is_infinite));
  }
}

TEST(SpecialFormFill, IsNotForWhatItsFormulaLeavesOpen) {
  EXPECT_TRUE(has_special_fill(*parse(kLines[5])));
  EXPECT_FALSE(has_special_fill(
      *parse("ContinuousConvolution f32 src=1x2x5x6 weights=0 scale=2 channels=2 function=keys")));
  EXPECT_FALSE(has_special_fill(
      *parse("ContinuousBackwardWeights f32 src=1x2x5x4 weights=73 diff_dst=1x3x8x8 scale=3/2,2 "
             "channels=3 widths=4,5")));
}

TEST(ExactTier, HoldsForAnyDataThatAreOnlyMoved) {
  for (const Fill fill : kFills) {
    EXPECT_TRUE(is_exact(fill, *reference::resolve(*parse(kLines[0])), {})) << to_string(fill);
  }
}

}  // namespace
}  // namespace concord::conformance
