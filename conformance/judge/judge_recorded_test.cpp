// SPDX-License-Identifier: Apache-2.0
#include "conformance/judge/judge_recorded.h"

#include <gtest/gtest.h>

#include <cmath>

#include "conformance/arithmetic/arithmetic.h"

namespace concord::conformance {
namespace {

using vectors::Exactness;

// [1 2 3 4] slid under [1 10] is [21 32 43]; worked by hand.
struct Sample {
  Problem problem =
      *parse("Convolution f32 src=1x1x4 weights=1x1x2 data_format=NCX weights_format=OIX");
  reference::Resolution geometry = *reference::resolve(problem);
  OutputShape shape = output_shape({1, 1, 3}, 1);
  concord_arithmetic arithmetic = *parse_arithmetic("strict");
  Inputs inputs{{1, 2, 3, 4}, {1, 10}, {}};
  reference::Oracle oracle{{21, 32, 43}, {21, 32, 43}};
  Recorded recorded{};

  Expectation expected() const {
    return {Fill::kRecorded, problem.dtype, arithmetic, geometry, shape, inputs, oracle, &recorded};
  }
  Verdict verdict(const std::vector<double>& got) const {
    return judge_data(expected(), assess_data(expected()), got).verdict;
  }
  Tier tier() const { return judge_data(expected(), Trust{}, oracle.value).tier; }
};

double next(double value) { return std::nextafterf(static_cast<float>(value), 1e9F); }

TEST(JudgeRecorded, IntegersThatTheAccumulatorHoldsAreComparedBitForBit) {
  const Sample s;
  EXPECT_EQ(s.tier(), Tier::kExact);
  EXPECT_EQ(s.verdict({21, 32, 43}), Verdict::kPass);
  EXPECT_EQ(s.verdict({21, 32, next(43)}), Verdict::kFail);
}

// theta: A1 (2), b1, A2, b2, A3, b3. The net is 3 everywhere while A3 is 0.
TEST(JudgeRecorded, AContinuousLayerIsComparedBitForBitWhileItsNetIsConstant) {
  Sample s;
  s.problem =
      *parse("ContinuousConvolution f32 src=1x1x1x3 weights=7 scale=1,1 kernel=1,1 widths=1,1");
  s.geometry = *reference::resolve(s.problem);
  s.inputs = {{1, 2, 3}, {1, 2, 1, 1, 1, 0, 3}, {}};
  s.oracle = {{3, 6, 9}, {3, 6, 9}};
  EXPECT_EQ(s.tier(), Tier::kExact);
  EXPECT_EQ(s.verdict({3, 6, next(9)}), Verdict::kFail);
  s.inputs.weights[5] = 1;
  EXPECT_EQ(s.tier(), Tier::kInterval);
}

TEST(JudgeRecorded, SumsBeyondTheAccumulatorAreJudgedByInterval) {
  Sample s;
  s.arithmetic = *parse_arithmetic("accumulator=bf16");  // 8 bits hold integers up to 256
  EXPECT_EQ(s.tier(), Tier::kExact);
  s.oracle.magnitude[2] = 257;
  EXPECT_EQ(s.tier(), Tier::kInterval);
}

TEST(JudgeRecorded, InputsThatTheClassCutsOrRealsAreJudgedByInterval) {
  Sample s;
  s.inputs.weights[1] = 0.1F;
  EXPECT_EQ(s.tier(), Tier::kInterval);
  s.inputs.weights[1] = 257;
  EXPECT_EQ(s.tier(), Tier::kExact);
  s.arithmetic = *parse_arithmetic("bf16");
  EXPECT_EQ(s.tier(), Tier::kInterval);
}

TEST(JudgeRecorded, AProducersOwnErrorIsAddedToTheBound) {
  Sample s;
  s.recorded.exactness = Exactness::kArithmetic;
  s.recorded.arithmetic = "strict";
  const ErrorBound both = recorded_bound(s.expected());
  const ErrorBound producer = error_bound(Dtype::kF32, s.arithmetic, 2);
  EXPECT_GE(both.relative, producer.relative + std::ldexp(1.0, -24));
  EXPECT_LT(both.relative, 2 * producer.relative + std::ldexp(1.0, -24));
  EXPECT_EQ(s.verdict({21, 32, next(43)}), Verdict::kPass);
  EXPECT_EQ(s.verdict({21, 32, 43.001}), Verdict::kFail);
  EXPECT_EQ(s.verdict({32, 21, 43}), Verdict::kFail);
}

TEST(JudgeRecorded, ARoundedValueIsEqualOnlyToTheNearest) {
  Sample s;
  s.recorded.exactness = Exactness::kCorrectlyRounded;
  EXPECT_EQ(s.tier(), Tier::kExact);
  s.arithmetic = *parse_arithmetic("output_rounding=zero");
  EXPECT_EQ(s.tier(), Tier::kInterval);
}

TEST(JudgeRecorded, DataThatTellNothingApartAreVacuous) {
  Sample s;
  s.oracle = {{0, 0, 0}, {0, 0, 0}};
  EXPECT_EQ(s.verdict({0, 0, 0}), Verdict::kVacuous);
}

}  // namespace
}  // namespace concord::conformance
