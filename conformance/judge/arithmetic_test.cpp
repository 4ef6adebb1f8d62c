// SPDX-License-Identifier: Apache-2.0
#include "conformance/judge/arithmetic.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace concord::conformance {
namespace {

bool same(const concord_arithmetic& a, const concord_arithmetic& b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

TEST(ArithmeticText, OfEveryClassComesBackAsTheSameClass) {
  for (int i = 0; i < 4 * 4 * 2 * 2 * 2 * 2; ++i) {
    concord_arithmetic arithmetic{};
    arithmetic.input_precision = i % 4;
    arithmetic.accumulator = i / 4 % 4;
    arithmetic.accumulator_rounding = i / 16 % 2;
    arithmetic.output_rounding = i / 32 % 2;
    arithmetic.flushes_subnormals = i / 64 % 2;
    arithmetic.algorithm = i / 128 % 2;
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
      {"output_rounding=up", "output_rounding is one of nearest, zero"},
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
  arithmetic.output_rounding = 2;
  EXPECT_EQ(find_unknown(arithmetic),
            "arithmetic.output_rounding is 2, which is none of nearest, zero");
  arithmetic = {};
  arithmetic.accumulator = -1;
  EXPECT_NE(find_unknown(arithmetic)->find("accumulator is -1"), std::string::npos);
  arithmetic = {};
  arithmetic.reserved[3] = 7;
  EXPECT_EQ(find_unknown(arithmetic), "arithmetic.reserved is 7, not 0");
}

// IEEE 754-2019, Table 3.5: precisions 24, 53 and 11; bfloat16 has 8.
TEST(Arithmetic, HasTheUnitRoundoffOfItsAccumulator) {
  const auto u = [](const char* text) {
    return accumulator_of(*parse_arithmetic(text)).unit_roundoff;
  };
  EXPECT_EQ(u("strict"), 0x1p-24);
  EXPECT_EQ(u("accumulator_rounding=zero"), 0x1p-23);
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

}  // namespace
}  // namespace concord::conformance
