// SPDX-License-Identifier: Apache-2.0
#include "conformance/judge/skipped_zeros.h"

#include <gtest/gtest.h>

#include <cmath>

#include "conformance/arithmetic/arithmetic.h"
#include "conformance/judge/judge_data.h"

namespace concord::conformance {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const double kNaN = std::nan("");
using Values = std::vector<double>;

struct Row {
  Problem problem;
  reference::Resolution geometry;
  Inputs inputs;

  bool passes(const char* arithmetic, const Values& got) const {
    const auto parsed = *parse_arithmetic(arithmetic);
    const auto oracle =
        reference::evaluate(problem, geometry, {inputs.src, inputs.weights, inputs.bias, {}});
    const OutputShape shape = output_shape(geometry.dst.dims, 1);
    const Expectation expected{Fill::kSpecial, problem.dtype, parsed,  geometry, shape,
                               inputs,         oracle,        nullptr, &problem};
    return judge_data(expected, assess_data(expected), got).finding.passed();
  }
};

// dst[o] = src[o] weights[0] + src[o + 1] weights[1] + 1.
Row row(Values src, Values weights) {
  const auto problem =
      parse("Convolution f32 src=1x1x4 weights=1x1x2 bias=1 data_format=NCX weights_format=OIX");
  return {*problem, *reference::resolve(*problem), {std::move(src), std::move(weights), {1}}};
}

constexpr const char* kSkips = "zero_weights=skipped";

TEST(SkippedZeros, LetNothingThrough) {
  const Row r = row({2, kInfinity, 3, kNaN}, {0, 5});
  EXPECT_TRUE(r.passes("strict", {kInfinity, kNaN, kNaN}));
  EXPECT_TRUE(r.passes(kSkips, {kInfinity, kNaN, kNaN}));
  EXPECT_TRUE(r.passes(kSkips, {kInfinity, 16, kNaN}));
  EXPECT_FALSE(r.passes("strict", {kInfinity, 16, kNaN}));
}

TEST(SkippedZeros, StillSumWhatIsLeft) {
  const Row r = row({2, kInfinity, 3, kNaN}, {0, 5});
  EXPECT_FALSE(r.passes(kSkips, {kInfinity, 17, kNaN}));
  EXPECT_FALSE(r.passes(kSkips, {kInfinity, kInfinity, kNaN}));
  EXPECT_FALSE(r.passes(kSkips, {kInfinity, 16, 16}));  // 5 NaN is no product by 0
  EXPECT_FALSE(r.passes(kSkips, {11, 16, kNaN}));       // nor is 5 Inf
}

TEST(SkippedZeros, LeaveInfinitiesOfOtherProducts) {
  const Row both = row({kInfinity, -kInfinity, 3, 1}, {0, 5});
  EXPECT_TRUE(both.passes(kSkips, {-kInfinity, 16, 6}));
  EXPECT_TRUE(both.passes(kSkips, {kNaN, kNaN, 6}));
  EXPECT_FALSE(both.passes(kSkips, {kInfinity, 16, 6}));
}

// Zeros of src are multiplied: 0 by an infinite weight is NaN under every class.
TEST(SkippedZeros, AreThoseOfWeightsAlone) {
  const Row r = row({0, 1, 2, 3}, {kInfinity, 0});
  EXPECT_TRUE(r.passes(kSkips, {kNaN, kInfinity, kInfinity}));
  EXPECT_FALSE(r.passes(kSkips, {1, kInfinity, kInfinity}));
}

TEST(SkippedZeros, MayMeetWeightsThatAreNotFinite) {
  const Row r = row({kNaN, 1, 0, 2}, {0, -kInfinity});
  EXPECT_TRUE(r.passes(kSkips, {-kInfinity, kNaN, -kInfinity}));
  EXPECT_TRUE(r.passes(kSkips, {kNaN, kNaN, -kInfinity}));
  EXPECT_FALSE(r.passes(kSkips, {1, kNaN, -kInfinity}));
}

TEST(SkippedZeros, OfCntkAreSkippedToo) {
  const auto problem = parse("CntkConvolution f32 src=4x1 weights=1x2 kernel=2 autoPadding=false");
  ASSERT_TRUE(problem) << problem.why().detail;
  const Row r{*problem, *reference::resolve(*problem), {{2, kInfinity, 3, 4}, {0, 5}, {}}};
  const auto skipped = skip_zero_weights(r.problem, r.geometry, r.inputs);
  EXPECT_EQ(skipped.differs, (std::vector<bool>{false, true, false}));
  EXPECT_EQ(skipped.oracle.value, (Values{kInfinity, 15, 20}));
}

TEST(SkippedZeros, AreNothingToOperationsThatMultiplyNone) {
  const auto problem = parse("SpaceToBatch f32 src=1x2x2x1 block_size=2 paddings=0,0,0,0");
  const auto skips = *parse_arithmetic(kSkips);
  EXPECT_FALSE(may_skip_zero_weights(*reference::resolve(*problem), skips));
}

}  // namespace
}  // namespace concord::conformance
