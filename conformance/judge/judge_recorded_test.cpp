// SPDX-License-Identifier: Apache-2.0
#include "conformance/judge/judge_recorded.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

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
  /// The exact values are `values`, and were recorded with so many digits.
  void print(std::vector<double> values, int digits) {
    recorded.dst = oracle.value = std::move(values);
    recorded.exactness = Exactness::kPrinted;
    recorded.digits = digits;
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

// 21, 32 and 43, printed with two digits, may be 20.5 to 21.5 and so on; the rest of the bound is
// below 43 * 2^-21, which is 2.1e-5.
TEST(JudgeRecorded, APrintedValueMayBeHalfAUnitOfItsLastDigitAway) {
  Sample s;
  s.print(s.oracle.value, 2);
  EXPECT_EQ(s.tier(), Tier::kInterval);
  EXPECT_EQ(s.verdict({20.5, 32.5, 43}), Verdict::kPass);
  EXPECT_EQ(s.verdict({20.49996, 32, 43}), Verdict::kFail);
  EXPECT_EQ(s.verdict({21, 32.50004, 43}), Verdict::kFail);
  s.recorded.digits = 4;
  EXPECT_EQ(s.verdict({21.005, 32, 42.995}), Verdict::kPass);
  EXPECT_EQ(s.verdict({21.00504, 32, 43}), Verdict::kFail);
  EXPECT_EQ(s.verdict({21, 32, HUGE_VAL}), Verdict::kFail);
  EXPECT_EQ(s.verdict({21, 32, std::nan("")}), Verdict::kFail);
}

// What is printed is rounded to the dtype before, and when it is read: twice u = 2^-24. The class
// that printed it has an error of its own.
TEST(JudgeRecorded, APrintedValueWasRoundedTwiceAndMayBeOfAClass) {
  Sample s;
  s.print(s.oracle.value, 17);
  const double plain = recorded_bound(s.expected()).relative;
  EXPECT_GE(plain, 0x1p-23);
  EXPECT_LT(plain, 0x1.00001p-23);
  s.recorded.arithmetic = "bf16";
  const double producer = error_bound(Dtype::kF32, *parse_arithmetic("bf16"), 2).relative;
  EXPECT_GE(recorded_bound(s.expected()).relative, producer + plain);
  EXPECT_LT(recorded_bound(s.expected()).relative, (producer + plain) * 1.00001);
  EXPECT_EQ(s.verdict({21, 32, 43.1}), Verdict::kPass);
  EXPECT_EQ(s.verdict({21, 32, 45}), Verdict::kFail);
}

// A number printed with one digit is not told from half as much more: 1.5 is read as 2 or as 1.
TEST(JudgeRecorded, DigitsThatTellNothingApartAreVacuous) {
  Sample s;
  s.print({1, 2, 1}, 1);
  EXPECT_EQ(s.verdict({1, 2, 1}), Verdict::kPass);  // 3 is not read as 2
  s.print({1, 1, 1}, 1);
  EXPECT_EQ(s.verdict({1, 1, 1}), Verdict::kVacuous);
}

// A sum in f16 that is cut off stops at 65504; that says nothing of a printed value far from it.
TEST(JudgeRecorded, DigitsDoNotMakeASaturatedSumOfASmallOne) {
  Sample s;
  s.arithmetic = *parse_arithmetic("accumulator=f16,accumulator_rounding=zero");
  s.print(s.oracle.value, 1);
  EXPECT_EQ(s.verdict({21, 32, 43}), Verdict::kPass);
  EXPECT_EQ(s.verdict({21, 32, 60}), Verdict::kFail);
}

TEST(JudgeRecorded, APrintedZeroIsZero) {
  Sample s;
  s.print({0, 32, 43}, 2);
  EXPECT_EQ(printed_radii(Dtype::kF32, s.recorded).front(), 0);
}

TEST(HalfUnit, IsOfTheLastSignificantDigit) {
  EXPECT_DOUBLE_EQ(half_unit(Dtype::kF32, 21.04, 3), 0.05);
  EXPECT_DOUBLE_EQ(half_unit(Dtype::kF32, -0.00123, 2), 0.00005);
  EXPECT_DOUBLE_EQ(half_unit(Dtype::kF64, 9.75, 1), 0.5);
  EXPECT_DOUBLE_EQ(half_unit(Dtype::kF64, 999.5, 4), 0.05);
  EXPECT_EQ(half_unit(Dtype::kF32, 0, 3), 0);
  EXPECT_EQ(half_unit(Dtype::kF32, HUGE_VAL, 3), 0);
}

// f32 stores 10^-2 from below, and f64 10^23; what was printed has the unit of the power of ten.
TEST(HalfUnit, IsThatOfPowersOfTenThatAreStoredFromBelow) {
  for (int exponent = -44; exponent <= 38; ++exponent) {
    const auto stored = static_cast<double>(static_cast<float>(std::pow(10.0, exponent)));
    EXPECT_GE(half_unit(Dtype::kF32, stored, 3) * (1 + 1e-15), 0.5 * std::pow(10.0, exponent - 2))
        << exponent;
  }
  for (int exponent = -307; exponent <= 308; ++exponent) {
    const double below = std::nextafter(std::pow(10.0, exponent), 0);
    EXPECT_GE(half_unit(Dtype::kF64, below, 3) * (1 + 1e-15), 0.5 * std::pow(10.0, exponent - 2))
        << exponent;
    const double above = std::pow(10.0, exponent) * 1.0001;
    EXPECT_LE(half_unit(Dtype::kF64, above, 3), 0.5 * std::pow(10.0, exponent - 2) * (1 + 1e-15));
    EXPECT_LE(half_unit(Dtype::kF64, above / 1.001, 3), 0.05 * std::pow(10.0, exponent - 2) * 1.01)
        << exponent;
  }
}

// Every number that printf writes with N digits is read within the half unit and one rounding.
TEST(HalfUnit, HoldsForWhatIsPrintedAndRead) {
  double value = 0.7;
  for (int i = 0; i < 20000; ++i) {
    value = std::fmod(value * 1103.515245 + 0.12345, 1.0);
    const auto number = static_cast<float>(std::ldexp(value - 0.5, i % 61 - 30));
    for (const int digits : {1, 2, 4, 6, 9}) {
      std::array<char, 64> text{};
      std::snprintf(text.data(), text.size(), "%.*e", digits - 1, static_cast<double>(number));
      const auto read = static_cast<double>(std::strtof(text.data(), nullptr));
      const double far = half_unit(Dtype::kF32, read, digits) * (1 + 0x1p-23) +
                         0x1p-24 * std::fabs(static_cast<double>(number));
      ASSERT_LE(std::fabs(read - static_cast<double>(number)), far) << text.data();
    }
  }
}

TEST(JudgeRecorded, DataThatTellNothingApartAreVacuous) {
  Sample s;
  s.oracle = {{0, 0, 0}, {0, 0, 0}};
  EXPECT_EQ(s.verdict({0, 0, 0}), Verdict::kVacuous);
}

}  // namespace
}  // namespace concord::conformance
