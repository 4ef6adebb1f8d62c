// SPDX-License-Identifier: Apache-2.0
#include "conformance/judge/judge_data.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "conformance/arithmetic/arithmetic.h"
#include "spec/rounding.h"

namespace concord::conformance {
namespace {

struct Sample {
  Problem problem;
  reference::Resolution geometry;
  OutputShape shape;
  concord_arithmetic arithmetic;
  Fill fill;
  Inputs inputs;
  reference::Oracle oracle;

  Expectation expected() const {
    return {fill, problem.dtype, arithmetic, geometry, shape, inputs, oracle};
  }
  DataVerdict judge(const std::vector<double>& got) const {
    return judge_data(expected(), assess_data(expected()), got);
  }
  std::vector<double> rounded(Rounding rounding = Rounding::kNearest) const {
    std::vector<double> got = oracle.value;
    for (double& y : got) y = round_to(problem.dtype, y, rounding);
    return got;
  }
};

Sample make_sample(const char* line, Fill fill, const char* arithmetic = "strict") {
  const Problem problem = *parse(line);
  const auto geometry = reference::resolve(problem);
  const auto parsed = *parse_arithmetic(arithmetic);
  Inputs inputs = fill_inputs(fill, 1, problem, *geometry, parsed);
  auto oracle = reference::evaluate(problem, *geometry,
                                    {inputs.src, inputs.weights, inputs.bias, inputs.diff_dst});
  const Tensor dst = dst_in_reading_order(problem, Tensor{geometry->dst.dims, {}});
  return {problem, *geometry,         output_shape(dst.dims, 1), parsed,
          fill,    std::move(inputs), std::move(oracle)};
}

constexpr const char* kLayer =
    "Convolution f32 src=1x256x12x11 weights=16x256x3x3 pads_begin=1,1 pads_end=1,1 "
    "data_format=NCX weights_format=OIX";
constexpr const char* kHalfLayer =
    "Convolution f16 src=1x256x12x11 weights=16x256x3x3 pads_begin=1,1 pads_end=1,1 "
    "data_format=NCX weights_format=OIX";

TEST(JudgeData, PassesWhatIsRight) {
  for (const Fill fill : kFills) {
    const Sample s = make_sample(kLayer, fill);
    const DataVerdict judged = s.judge(s.rounded());
    EXPECT_EQ(judged.verdict, Verdict::kPass) << to_string(fill) << ": " << judged.reason;
    EXPECT_EQ(judged.tier, is_exact(fill, s.arithmetic) ? Tier::kExact
                           : has_special_results(fill)  ? Tier::kSpecial
                                                        : Tier::kInterval);
    EXPECT_EQ(judged.reason, "");
  }
}

constexpr const char* kF64Layer =
    "Convolution f64 src=1x64x12x11 weights=16x64x3x3 pads_begin=1,1 pads_end=1,1 "
    "data_format=NCX weights_format=OIX";

TEST(JudgeData, PassesF64ThatIsRightAndFailsWhatLostALowBit) {
  for (const Fill fill : {Fill::kIntegers, Fill::kImpulse, Fill::kRamp, Fill::kSubnormal,
                          Fill::kSparse, Fill::kUniform, Fill::kWide, Fill::kSpecial}) {
    const Sample s = make_sample(kF64Layer, fill);
    const DataVerdict judged = s.judge(s.oracle.value);
    EXPECT_EQ(judged.verdict, Verdict::kPass) << to_string(fill) << ": " << judged.reason;
    std::vector<double> in_f32 = s.oracle.value;
    for (double& y : in_f32) y = round_to(Dtype::kF32, y);
    EXPECT_EQ(s.judge(in_f32).verdict, Verdict::kFail) << to_string(fill);
  }
  const Sample s = make_sample(kF64Layer, Fill::kSparse);
  std::vector<double> got = s.oracle.value;
  const auto seen = std::find_if(got.begin(), got.end(), [](double y) { return y != 0; });
  *seen = std::nextafter(*seen, 0);
  EXPECT_EQ(s.judge(got).verdict, Verdict::kFail);
}

// Whatever such a backend answers, nothing is known of it.
TEST(JudgeData, JudgesNoF64ThatTheReferenceHasNoBetterNumbersFor) {
  const Sample layer = make_sample(
      "ContinuousConvolution f64 src=1x2x6x5 weights=73 scale=2/3,3/2 channels=3 widths=4,5",
      Fill::kUniform);
  std::vector<double> wrong = layer.oracle.value;
  wrong[0] += 1;
  EXPECT_EQ(layer.judge(wrong).verdict, Verdict::kVacuous);
  EXPECT_EQ(layer.judge(layer.oracle.value).reason,
            "the reference computes this operation in f64 itself, so it judges no f64");

  Sample large =
      make_sample("Convolution f64 src=1x3x1x1 weights=1x3x1x1 data_format=NCX weights_format=OIX",
                  Fill::kUniform);
  large.inputs = {{0x1p1023, 0x1p1023, -0x1p1023}, {1, 1, 1}, {}, {}};
  large.oracle = reference::evaluate(large.problem, large.geometry,
                                     {large.inputs.src, large.inputs.weights, {}, {}});
  EXPECT_EQ(large.judge({0x1p1023}).verdict, Verdict::kVacuous);
}

TEST(JudgeData, NamesTheTierThatSawAWrongElement) {
  for (const Fill fill : {Fill::kIntegers, Fill::kUniform}) {
    const Sample s = make_sample(kLayer, fill);
    std::vector<double> got = s.rounded();
    got[77] = std::nan("");
    const DataVerdict judged = s.judge(got);
    EXPECT_EQ(judged.verdict, Verdict::kFail);
    EXPECT_EQ(judged.tier, fill == Fill::kUniform ? Tier::kInterval : Tier::kExact);
    EXPECT_EQ(judged.reason, "1 of 2112 elements are wrong");
    EXPECT_EQ(judged.finding.worst->index, 77U);
  }
}

// 11 bits are far within the interval of 2304 products, but far beyond the errors of f32.
TEST(JudgeData, SeesDemotedResultsByStatistics) {
  const Sample s = make_sample(kLayer, Fill::kUniform);
  std::vector<double> got = s.oracle.value;
  for (double& y : got) y = round_to_bits(13, y, Rounding::kNearest);
  const DataVerdict judged = s.judge(got);
  EXPECT_TRUE(judged.finding.passed());
  EXPECT_EQ(judged.verdict, Verdict::kFail);
  EXPECT_EQ(judged.tier, Tier::kStatistical);
  EXPECT_NE(judged.reason.find("too large"), std::string::npos) << judged.reason;
}

// sigma is 2^-24 sqrt(2305 * 576) = 6.9e-5 inside: each error is only 0.6 of it, but all of a kind.
TEST(JudgeData, SeesErrorsWithADirectionByStatistics) {
  const Sample s = make_sample(kLayer, Fill::kUniform);
  std::vector<double> got = s.rounded();
  for (double& y : got) y = round_to(Dtype::kF32, y - std::copysign(4e-5, y));
  const DataVerdict judged = s.judge(got);
  EXPECT_EQ(judged.verdict, Verdict::kFail);
  EXPECT_EQ(judged.tier, Tier::kStatistical);
  EXPECT_NE(judged.reason.find("biased"), std::string::npos) << judged.reason;
}

TEST(JudgeData, JudgesByStatisticsWhereNoElementHasABound) {
  const Sample s = make_sample(kHalfLayer, Fill::kUniform, "f16-accumulate");
  const DataVerdict right = s.judge(s.rounded());
  EXPECT_TRUE(right.finding.vacuous);
  EXPECT_EQ(right.verdict, Verdict::kPass) << right.reason;
  EXPECT_EQ(right.tier, Tier::kStatistical);
  EXPECT_EQ(s.judge(std::vector<double>(s.oracle.value.size())).verdict, Verdict::kFail);
}

TEST(JudgeData, IsVacuousWhereNothingCouldBeRejected) {
  const Sample s = make_sample(
      "Convolution f32 src=1x3x1 weights=2x3x2 pads_begin=1 pads_end=2 strides=2 dilations=3 "
      "data_format=NCX weights_format=OIX",
      Fill::kIntegers);
  const DataVerdict judged = s.judge({0, 0});
  EXPECT_EQ(judged.verdict, Verdict::kVacuous);
  EXPECT_EQ(judged.reason, "the case accepts zeros, scaled, negated, shifted, channels");
  EXPECT_EQ(s.judge({0, 1}).verdict, Verdict::kFail);
}

// What stops at the largest number inside a tile leaves any numbers behind; what becomes infinite
// makes the tile NaN.
// 400 products of integers up to 3 come to more than 2^8, where bf16 has no longer every integer.
TEST(JudgeData, ClaimsNoExactSumsOfALayerThatRound) {
  constexpr const char* kWideLayer =
      "ContinuousConvolution f32 src=1x400x5x5 weights=1627 scale=1,1 channels=1 widths=4,3";
  for (const Fill fill : {Fill::kIntegers, Fill::kSubnormal}) {
    for (const char* arithmetic : {"strict", "accumulator=f16", "accumulator=bf16", "input=bf16"}) {
      const Sample s = make_sample(kWideLayer, fill, arithmetic);
      std::vector<double> got = s.rounded();
      for (double& y : got) y = round_to_bits(8, y, Rounding::kAway);
      const bool is_strict = s.arithmetic.accumulator == CONCORD_ACCUMULATE_F32 &&
                             s.arithmetic.input_precision == CONCORD_INPUT_EXACT;
      EXPECT_EQ(s.judge(got).verdict == Verdict::kFail, is_strict)
          << to_string(fill) << " " << arithmetic;
      EXPECT_NE(s.judge(s.rounded()).verdict, Verdict::kFail) << to_string(fill) << arithmetic;
    }
  }
}

// Each layer of a chain demotes its inputs.
TEST(JudgeData, FailsNoComposedOperationOfAClassWithoutABound) {
  constexpr const char* kChain =
      "ContinuousChain f32 src=1x2x7x8 weights=3x49 scales_h=3/2,2/3,1 scales_w=2/3,3/2,1 "
      "widths=5,3";
  for (const char* arithmetic : {"input=tf32", "input=bf16", "algorithm=bilinear"}) {
    const Sample s = make_sample(kChain, Fill::kUniform, arithmetic);
    std::vector<double> got = s.rounded();
    got[0] *= 1 + 0x1p-6;
    const DataVerdict judged = s.judge(got);
    EXPECT_EQ(judged.verdict, Verdict::kVacuous) << arithmetic;
    EXPECT_NE(judged.reason.find("no error bound is derived"), std::string::npos) << judged.reason;
  }
}

TEST(JudgeData, FailsNoTileThatOverflows) {
  const Sample stops = make_sample(kLayer, Fill::kOverflow, "bilinear,accumulator_rounding=zero");
  EXPECT_EQ(stops.judge(stops.rounded(Rounding::kZero)).verdict, Verdict::kVacuous);
  EXPECT_EQ(stops.judge(std::vector<double>(stops.oracle.value.size(), 0x1p127)).verdict,
            Verdict::kVacuous);
  const Sample narrow = make_sample(kHalfLayer, Fill::kRamp, "bilinear,f16-accumulate");
  EXPECT_EQ(narrow.judge(std::vector<double>(narrow.oracle.value.size(), std::nan(""))).verdict,
            Verdict::kVacuous);
  const Sample plain = make_sample(kLayer, Fill::kOverflow, "bilinear");
  EXPECT_EQ(plain.judge(std::vector<double>(plain.oracle.value.size())).verdict, Verdict::kFail);
}

// 16,384 additions that round away multiply a bf16 sum by up to e^128.
TEST(JudgeData, FailsNoSumThatRoundingAwayMayMakeInfinite) {
  const char* const line =
      "Convolution f32 src=1x16384x1 weights=1x16384x1 data_format=NCX "
      "weights_format=OIX";
  const double nan = std::nan("");
  const Sample any =
      make_sample(line, Fill::kUniform, "bf16-accumulate,accumulator_rounding=faithful");
  EXPECT_EQ(any.judge({nan}).verdict, Verdict::kVacuous);
  const Sample nearest = make_sample(line, Fill::kUniform, "bf16-accumulate");
  EXPECT_EQ(nearest.judge({nan}).verdict, Verdict::kFail);
  const Sample wider = make_sample(line, Fill::kUniform, "accumulator_rounding=faithful");
  EXPECT_EQ(wider.judge({nan}).verdict, Verdict::kFail);
}

// The one result is subnormal in f16, 2^-15, and was flushed: it is off by all of itself.
TEST(JudgeData, AllowsFlushedStoresInStatistics) {
  Sample s =
      make_sample("Convolution f16 src=1x1x1 weights=1x1x1 data_format=NCX weights_format=OIX",
                  Fill::kUniform, "flush");
  s.inputs.src = {0x1p-7}, s.inputs.weights = {0x1p-8};
  s.oracle = reference::evaluate(s.problem, s.geometry, {s.inputs.src, s.inputs.weights, {}, {}});
  EXPECT_NE(s.judge({0}).verdict, Verdict::kFail) << s.judge({0}).reason;
  s.arithmetic = *parse_arithmetic("strict");
  EXPECT_EQ(s.judge({0}).verdict, Verdict::kFail);
}

// A product without a bias is rounded once: from the nearest number the bound reaches the next
// one, never the one after that. A bias that is not there would allow it twice as much.
TEST(JudgeData, AllowsSpecialValuesNoBiasThatIsNotThere) {
  const Sample s =
      make_sample("Convolution f32 src=1x1x64 weights=1x1x1 data_format=NCX weights_format=OIX",
                  Fill::kSpecial);
  const std::vector<double> right = s.rounded();
  ASSERT_EQ(s.judge(right).verdict, Verdict::kPass);
  for (std::size_t i = 0; i < right.size(); ++i) {
    if (!std::isfinite(right[i]) || right[i] == 0) continue;
    std::vector<double> wrong = right;
    for (int step = 0; step < 2; ++step) {
      wrong[i] = std::nextafter(static_cast<float>(wrong[i]), HUGE_VALF);
    }
    EXPECT_EQ(s.judge(wrong).verdict, Verdict::kFail) << i << ": " << wrong[i];
  }
}

// By hand: one rounding of the product and one of the store; with a bias one more, and of a bias
// that is added later one more store.
TEST(JudgeData, TakesSigmaOfTheTermsThatThereAre) {
  const Dtype dtype = Dtype::kBF16;
  const auto slope = [&](const char* text, bool has_bias) {
    const concord_arithmetic arithmetic = *parse_arithmetic(text);
    const ErrorModel model{dtype, arithmetic, 1, 1, has_bias};
    return error_scales(model, std::vector<double>{1}, std::vector<double>{1})[0];
  };
  const double u = 0x1p-24, out = 0x1p-8, tiny = 0x1p-120;
  EXPECT_NEAR(slope("strict", false), std::hypot(u, out), tiny);
  EXPECT_NEAR(slope("strict", true), std::hypot(std::sqrt(2) * u, out), tiny);
  EXPECT_NEAR(slope("bias=after_store", false), std::hypot(u, out), tiny);
  EXPECT_NEAR(slope("bias=after_store", true), std::hypot(std::sqrt(2) * u, std::sqrt(2) * out),
              tiny);
}

}  // namespace
}  // namespace concord::conformance
