// SPDX-License-Identifier: Apache-2.0
#include "conformance/arithmetic/arithmetic.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "spec/grid.h"

namespace concord::conformance {
namespace {

bool same(const concord_arithmetic& a, const concord_arithmetic& b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

TEST(ArithmeticText, OfEveryClassComesBackAsTheSameClass) {
  for (const auto& [input, accumulator, rounding, output, flush, algorithm, bias, zero] :
       Grid<8>{{4, 4, 4, 3, 2, 2, 2, 2}}) {
    if (rounding == CONCORD_ROUND_NEAREST_AWAY) continue;
    concord_arithmetic arithmetic{};
    arithmetic.input_precision = static_cast<std::int32_t>(input);
    arithmetic.accumulator = static_cast<std::int32_t>(accumulator);
    arithmetic.accumulator_rounding = static_cast<std::int32_t>(rounding);
    arithmetic.output_rounding = static_cast<std::int32_t>(output);
    arithmetic.flushes_subnormals = static_cast<std::int32_t>(flush);
    arithmetic.algorithm = static_cast<std::int32_t>(algorithm);
    arithmetic.bias = static_cast<std::int32_t>(bias);
    arithmetic.zero_weights = static_cast<std::int32_t>(zero);
    const auto back = parse_arithmetic(print(arithmetic));
    ASSERT_TRUE(back) << back.why().detail;
    EXPECT_TRUE(same(*back, arithmetic)) << print(arithmetic);
  }
}

TEST(ArithmeticText, OfTheStrictestClassIsStrict) { EXPECT_EQ(print({}), "strict"); }

TEST(ArithmeticText, HasShortWords) {
  EXPECT_EQ(print(*parse_arithmetic("flush,bf16x3")), "input=bf16x3,flush=yes");
  EXPECT_EQ(print(*parse_arithmetic("f16-accumulate")), "accumulator=f16");
  EXPECT_EQ(print(*parse_arithmetic("bf16-accumulate,bilinear")),
            "accumulator=bf16,algorithm=bilinear");
  EXPECT_EQ(print(*parse_arithmetic("input=exact")), "strict");
}

TEST(ArithmeticText, NamesTiesAwayALateBiasAndSkippedZeros) {
  EXPECT_EQ(print(*parse_arithmetic("zero_weights=skipped,bias=after_store")),
            "bias=after_store,zero_weights=skipped");
  EXPECT_EQ(parse_arithmetic("output_rounding=nearest_away")->output_rounding,
            CONCORD_ROUND_NEAREST_AWAY);
  EXPECT_EQ(print(*parse_arithmetic("bias=in_sum,zero_weights=multiplied")), "strict");
}

// A plugin that was built when the two were reserved has the same size, and zeros there.
TEST(Arithmetic, TookItsNewMembersFromTheReservedOnes) {
  EXPECT_EQ(sizeof(concord_arithmetic), 10 * sizeof(std::int32_t));
  EXPECT_EQ(offsetof(concord_arithmetic, bias), 6 * sizeof(std::int32_t));
}

TEST(ArithmeticText, RefusesWhatItDoesNotKnowAndNamesTheWord) {
  const struct {
    const char* text;
    const char* named;
  } kWrong[] = {
      {"", "''"},
      {"fast", "'fast': unknown"},
      {"accumulator", "'accumulator': unknown"},
      {"accumulator=f8", "'accumulator=f8': accumulator is one of f32, f64, f16, bf16"},
      {"accumulator=", "'accumulator=': accumulator is one of"},
      {"output_rounding=up", "output_rounding is one of nearest, zero, nearest_away"},
      {"accumulator_rounding=nearest_away",
       "accumulator_rounding is one of nearest, zero, faithful"},
      {"bias=fused", "bias is one of in_sum, after_store"},
      {"zero_weights=0", "zero_weights is one of multiplied, skipped"},
      {"tf32,input=bf16", "'input=bf16': input is given twice"},
      {"tf32,,flush", "'': unknown"},
      {"strict,tf32", "'strict': unknown"},
      {"TF32", "'TF32'"},
  };
  for (const auto& wrong : kWrong) {
    const auto parsed = parse_arithmetic(wrong.text);
    ASSERT_FALSE(parsed) << wrong.text;
    EXPECT_EQ(parsed.why().fault, Fault::kSyntax);
    EXPECT_NE(parsed.why().detail.find(wrong.named), std::string::npos) << parsed.why().detail;
  }
}

TEST(Arithmetic, WithAValueThatTheHeaderDoesNotNameIsFound) {
  concord_arithmetic arithmetic{};
  EXPECT_FALSE(find_unknown(arithmetic));
  arithmetic.output_rounding = CONCORD_ROUND_NEAREST_AWAY;
  EXPECT_FALSE(find_unknown(arithmetic));
  arithmetic.output_rounding = 3;
  EXPECT_EQ(find_unknown(arithmetic),
            "arithmetic.output_rounding is 3, which is none of nearest, zero, nearest_away");
  arithmetic = {};
  arithmetic.accumulator_rounding = CONCORD_ROUND_NEAREST_AWAY;
  EXPECT_EQ(find_unknown(arithmetic),
            "arithmetic.accumulator_rounding is 2, which is none of nearest, zero, faithful");
  arithmetic = {};
  arithmetic.accumulator = -1;
  EXPECT_NE(find_unknown(arithmetic)->find("accumulator is -1"), std::string::npos);
  arithmetic = {};
  arithmetic.reserved[1] = 7;
  EXPECT_EQ(find_unknown(arithmetic), "arithmetic.reserved is 7, not 0");
}

// IEEE 754-2019, Table 3.5: precisions 24, 53 and 11; bfloat16 has 8.
TEST(Arithmetic, HasTheUnitRoundoffOfItsAccumulator) {
  const auto u = [](const char* text) {
    return accumulator_of(Dtype::kF32, *parse_arithmetic(text)).unit_roundoff;
  };
  EXPECT_EQ(u("strict"), 0x1p-24);
  EXPECT_EQ(u("accumulator_rounding=zero"), 0x1p-23);
  EXPECT_EQ(u("accumulator_rounding=faithful"), 0x1p-23);
  EXPECT_EQ(u("f64-accumulate"), 0x1p-53);
  EXPECT_NEAR(u("f16-accumulate"), 0x1p-11, 0x1p-23);
  EXPECT_NEAR(u("bf16-accumulate"), 0x1p-8, 0x1p-23);
}

TEST(Arithmetic, KeepsTheBitsOfInputsThatFitItsPrecision) {
  EXPECT_EQ(exact_input_bits(Dtype::kF32, {}), 24);
  EXPECT_EQ(exact_input_bits(Dtype::kF32, *parse_arithmetic("tf32")), 11);
  EXPECT_EQ(exact_input_bits(Dtype::kF16, *parse_arithmetic("tf32")), 11);
  EXPECT_EQ(exact_input_bits(Dtype::kF16, *parse_arithmetic("bf16")), 8);
  EXPECT_EQ(exact_input_bits(Dtype::kBF16, *parse_arithmetic("bf16x3")), 8);
}

// There is no narrower class of f64: a word that says so changes nothing.
TEST(Arithmetic, SumsOfF64AreInF64WhateverAccumulatorIsDeclared) {
  for (const char* text : {"strict", "f64-accumulate", "f16-accumulate", "bf16-accumulate"}) {
    const Accumulator accumulator = accumulator_of(Dtype::kF64, *parse_arithmetic(text));
    EXPECT_EQ(accumulator.bits, 53) << text;
    EXPECT_EQ(accumulator.unit_roundoff, 0x1p-53) << text;
    EXPECT_EQ(accumulator.largest, format_of(Dtype::kF64).largest()) << text;
  }
  for (const char* text : {"tf32", "bf16", "bf16x3"}) {
    EXPECT_EQ(exact_input_bits(Dtype::kF64, *parse_arithmetic(text)), 53) << text;
  }
}

}  // namespace
}  // namespace concord::conformance
