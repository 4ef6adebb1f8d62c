// SPDX-License-Identifier: Apache-2.0
#include "spec/rounding.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace concord {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double from_bits(Dtype dtype, std::uint16_t bits) {
  std::array<std::byte, 2> element{};
  std::memcpy(element.data(), &bits, sizeof bits);
  return load(dtype, element.data());
}

TEST(Rounding, OfEveryHalfAndBfloat16ValueIsTheValueItself) {
  for (const Dtype dtype : {Dtype::kF16, Dtype::kBF16}) {
    for (unsigned bits = 0; bits <= 0xFFFF; ++bits) {
      const double value = from_bits(dtype, static_cast<std::uint16_t>(bits));
      if (std::isnan(value)) continue;
      EXPECT_EQ(round_to(dtype, value, Rounding::kZero), value) << bits;
      EXPECT_EQ(round_to(dtype, value, Rounding::kNearest), value) << bits;
    }
  }
}

// Between two neighbours a < b of one sign, everything goes to the one that is nearer to zero.
TEST(Rounding, TowardZeroNeverGrowsTheMagnitude) {
  for (const Dtype dtype : {Dtype::kF16, Dtype::kBF16}) {
    for (unsigned bits = 0; bits < 0x7FFF; ++bits) {
      const double small = from_bits(dtype, static_cast<std::uint16_t>(bits));
      const double large = from_bits(dtype, static_cast<std::uint16_t>(bits + 1));
      if (!std::isfinite(large)) break;
      for (const double share : {0.001, 0.5, 0.999}) {
        const double between = small + share * (large - small);
        EXPECT_EQ(round_to(dtype, between, Rounding::kZero), small) << bits;
        EXPECT_EQ(round_to(dtype, -between, Rounding::kZero), -small) << bits;
      }
    }
  }
}

TEST(Rounding, TowardZeroOfTinySinglesEndsAtZeroAndAtSubnormals) {
  const double eta = format_of(Dtype::kF32).smallest();
  EXPECT_EQ(round_to(Dtype::kF32, 0.99 * eta, Rounding::kZero), 0.0);
  EXPECT_EQ(round_to(Dtype::kF32, 2.99 * eta, Rounding::kZero), 2 * eta);
  EXPECT_EQ(round_to(Dtype::kF32, 1e-320, Rounding::kZero), 0.0);
}

TEST(Rounding, TowardZeroOverflowsToTheLargestNumber) {
  for (const Dtype dtype : kDtypes) {
    if (dtype == Dtype::kF64) continue;  // a double is never beyond its largest number
    const double largest = format_of(dtype).largest();
    EXPECT_EQ(round_to(dtype, 2 * largest, Rounding::kZero), largest);
    EXPECT_EQ(round_to(dtype, -1e300, Rounding::kZero), -largest);
    EXPECT_EQ(round_to(dtype, kInfinity, Rounding::kZero), kInfinity);
    EXPECT_EQ(round_to(dtype, 2 * largest, Rounding::kNearest), kInfinity);
  }
}

// Between two neighbours a < b of one sign the middle goes to b, and what is nearer to one of them
// goes there: all of f16 and bf16, subnormal numbers and the step to infinity among them.
TEST(Rounding, ToNearestWithTiesAwayTakesTheLargerOfTwo) {
  for (const Dtype dtype : {Dtype::kF16, Dtype::kBF16}) {
    for (unsigned bits = 0; bits < 0x7F80; ++bits) {
      const double small = from_bits(dtype, static_cast<std::uint16_t>(bits));
      const double large = from_bits(dtype, static_cast<std::uint16_t>(bits + 1));
      if (!std::isfinite(large)) break;
      const double middle = small + (large - small) / 2;
      for (const double sign : {1.0, -1.0}) {
        const auto away = [&](double value) {
          return sign * round_to(dtype, sign * value, Rounding::kNearestAway);
        };
        EXPECT_EQ(away(middle), large) << bits;
        EXPECT_EQ(away(std::nextafter(middle, 0)), small) << bits;
        EXPECT_EQ(away(std::nextafter(middle, kInfinity)), large) << bits;
        EXPECT_EQ(away(small), small) << bits;
      }
    }
  }
}

// By hand. f16 has a step of 2^-10 at 1 and of 2^-24 at 0, and 65504 + 16 is half way to 2^16;
// bf16 has one of 2^-7 at 1, and 2^128 (1 - 2^-9) is half way from (1 - 2^-8) 2^128.
TEST(Rounding, ToNearestWithTiesAwayOfAWorkedTable) {
  const struct {
    Dtype dtype;
    double value, even, away;
  } kTable[] = {
      {Dtype::kF16, 1 + 0x1p-11, 1, 1 + 0x1p-10},
      {Dtype::kF16, 1 + 3 * 0x1p-11, 1 + 2 * 0x1p-10, 1 + 2 * 0x1p-10},
      {Dtype::kF16, -2049, -2048, -2050},
      {Dtype::kF16, 0x1p-25, 0, 0x1p-24},
      {Dtype::kF16, -5 * 0x1p-25, -2 * 0x1p-24, -3 * 0x1p-24},
      {Dtype::kF16, 0.99 * 0x1p-25, 0, 0},
      {Dtype::kF16, 65519.99, 65504, 65504},
      {Dtype::kF16, 65520, kInfinity, kInfinity},
      {Dtype::kF16, -65520, -kInfinity, -kInfinity},
      {Dtype::kBF16, 1 + 0x1p-8, 1, 1 + 0x1p-7},
      {Dtype::kBF16, 257, 256, 258},
      {Dtype::kBF16, 0x1p-134, 0, 0x1p-133},
      {Dtype::kBF16, 0x1p+127 * (2 - 0x1p-8), kInfinity, kInfinity},
      {Dtype::kBF16, 0x1p+127 * (2 - 0x1p-8 - 0x1p-40), 0x1p+127 * (2 - 0x1p-7),
       0x1p+127 * (2 - 0x1p-7)},
      {Dtype::kF32, 1 + 0x1p-24, 1, 1 + 0x1p-23},
  };
  for (const auto& row : kTable) {
    EXPECT_EQ(round_to(row.dtype, row.value, Rounding::kNearest), row.even) << row.value;
    EXPECT_EQ(round_to(row.dtype, row.value, Rounding::kNearestAway), row.away) << row.value;
  }
  EXPECT_EQ(round_to(Dtype::kF16, kInfinity, Rounding::kNearestAway), kInfinity);
  EXPECT_EQ(round_to_bits(11, 2049, Rounding::kNearestAway), 2050);
}

TEST(Rounding, KeepsNotANumber) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::isnan(round_to(Dtype::kF16, nan, Rounding::kZero)));
  EXPECT_TRUE(std::isnan(round_to_bits(11, nan, Rounding::kNearest)));
}

// By hand: 2^11 + 1 needs 12 bits; in 11 bits its neighbours are 2048 and 2050, and it is a tie.
TEST(Rounding, ToBitsTiesToEven) {
  EXPECT_EQ(round_to_bits(11, 2049, Rounding::kNearest), 2048);
  EXPECT_EQ(round_to_bits(11, 2051, Rounding::kNearest), 2052);
  EXPECT_EQ(round_to_bits(11, 2051, Rounding::kZero), 2050);
  EXPECT_EQ(round_to_bits(11, -2049.5, Rounding::kNearest), -2050);
  EXPECT_EQ(round_to_bits(53, 0.1, Rounding::kNearest), 0.1);
}

// f32 has 24 bits, so the two roundings agree wherever f32 is normal.
TEST(Rounding, ToTwentyFourBitsIsRoundingToSingle) {
  std::uint64_t state = 1;
  for (int i = 0; i < 10000; ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    const double value = std::bit_cast<double>((state >> 12) | 0x3FF0000000000000U) - 1.5;
    EXPECT_EQ(round_to_bits(24, value, Rounding::kNearest), round_to(Dtype::kF32, value));
    EXPECT_EQ(round_to_bits(24, value, Rounding::kZero),
              round_to(Dtype::kF32, value, Rounding::kZero));
  }
}

}  // namespace
}  // namespace concord
