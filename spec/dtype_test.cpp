// SPDX-License-Identifier: Apache-2.0
#include "spec/dtype.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

namespace concord {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A 16-bit format by the definition of IEEE 754, section 3.4, bit by bit.
struct Layout {
  Dtype dtype;
  int exponent_bits, fraction_bits;

  unsigned infinity() const { return ((1U << exponent_bits) - 1) << fraction_bits; }
  bool is_nan(unsigned bits) const { return (bits & 0x7FFFU) > infinity(); }

  double decode(unsigned bits) const {
    const int bias = (1 << (exponent_bits - 1)) - 1;
    const double sign = (bits & 0x8000U) != 0 ? -1.0 : 1.0;
    const unsigned exponent = (bits & 0x7FFFU) >> fraction_bits;
    const unsigned fraction = bits & ((1U << fraction_bits) - 1);
    if (exponent == (1U << exponent_bits) - 1) {
      return fraction != 0 ? std::nan("") : sign * kInfinity;
    }
    const double units = exponent == 0 ? fraction : fraction + std::ldexp(1.0, fraction_bits);
    const int scale = (exponent == 0 ? 1 : static_cast<int>(exponent)) - bias - fraction_bits;
    return sign * std::ldexp(units, scale);
  }
};
constexpr Layout kLayouts[] = {{Dtype::kF16, 5, 10}, {Dtype::kBF16, 8, 7}};

unsigned stored(Dtype dtype, double value) {
  std::uint16_t bits = 0;
  store(dtype, value, &bits);
  return bits;
}

double loaded(Dtype dtype, unsigned bits) {
  const auto narrow = static_cast<std::uint16_t>(bits);
  return load(dtype, &narrow);
}

std::uint64_t bits_of(double value) { return std::bit_cast<std::uint64_t>(value); }

TEST(Dtype, EveryPatternOf16BitsIsDecodedAsItsDefinitionSays) {
  for (const Layout& layout : kLayouts) {
    for (unsigned bits = 0; bits < 0x10000U; ++bits) {
      const double got = loaded(layout.dtype, bits);
      if (layout.is_nan(bits)) {
        ASSERT_TRUE(std::isnan(got)) << bits;
      } else {
        ASSERT_EQ(bits_of(got), bits_of(layout.decode(bits))) << bits;  // -0 is not +0 here
      }
    }
  }
}

TEST(Dtype, EveryPatternOf16BitsComesBack) {
  for (const Layout& layout : kLayouts) {
    for (unsigned bits = 0; bits < 0x10000U; ++bits) {
      const unsigned again = stored(layout.dtype, loaded(layout.dtype, bits));
      if (layout.is_nan(bits)) {
        ASSERT_TRUE(layout.is_nan(again)) << bits;
      } else {
        ASSERT_EQ(again, bits);
      }
    }
  }
}

// The value at `bits`, and past the largest one the power of two that would follow: rounding acts
// as if the exponent had no end.
double continued(const Layout& layout, unsigned bits) {
  if (bits < layout.infinity()) return layout.decode(bits);
  return 2 * layout.decode(bits - (1U << layout.fraction_bits));
}

TEST(Dtype, EveryTieBetweenNeighboursGoesToTheEvenOneAndWhatLiesBesideItDoesNot) {
  for (const Layout& layout : kLayouts) {
    for (unsigned bits = 0; bits < layout.infinity(); ++bits) {
      const double tie = (continued(layout, bits) + continued(layout, bits + 1)) / 2;
      const unsigned even = bits + (bits & 1U);
      for (const unsigned sign : {0U, 0x8000U}) {
        const double s = sign != 0 ? -1 : 1;
        ASSERT_EQ(stored(layout.dtype, s * tie), even | sign) << bits;
        // One step of double beside the tie, which float cannot tell from it.
        ASSERT_EQ(stored(layout.dtype, s * std::nextafter(tie, 0.0)), bits | sign) << bits;
        ASSERT_EQ(stored(layout.dtype, s * std::nextafter(tie, kInfinity)), (bits + 1) | sign)
            << bits;
      }
    }
  }
}

TEST(Dtype, EverythingBeyondTheLastTieIsInfinite) {
  for (const Layout& layout : kLayouts) {
    const double past = continued(layout, layout.infinity());
    for (const double value :
         {past, 2 * past, 1e300, std::numeric_limits<double>::max(), kInfinity}) {
      EXPECT_EQ(stored(layout.dtype, value), layout.infinity()) << value;
      EXPECT_EQ(stored(layout.dtype, -value), layout.infinity() | 0x8000U) << value;
    }
  }
}

TEST(Dtype, EverythingBelowHalfTheSmallestIsZeroOfItsSign) {
  for (const Dtype dtype : {Dtype::kF16, Dtype::kBF16}) {
    for (const double value : {0.0, std::numeric_limits<double>::denorm_min(), 1e-300, 1e-46,
                               format_of(dtype).smallest() / 2}) {
      EXPECT_EQ(stored(dtype, value), 0U) << value;
      EXPECT_EQ(stored(dtype, -value), 0x8000U) << value;
    }
  }
}

// 1 + 2^-11 + 2^-30 is above the tie between the halves 1 and 1 + 2^-10, but its float is the tie.
TEST(Dtype, RoundsOnceNotTwice) {
  EXPECT_EQ(stored(Dtype::kF16, 1 + 0x1p-11 + 0x1p-30), 0x3C01U);
  EXPECT_EQ(stored(Dtype::kF16, 1 + 0x3p-11 - 0x1p-30), 0x3C01U);
  EXPECT_EQ(stored(Dtype::kBF16, 1 + 0x1p-8 + 0x1p-30), 0x3F81U);
  EXPECT_EQ(stored(Dtype::kBF16, 1 + 0x3p-8 - 0x1p-30), 0x3F81U);
}

float stored_f32(double value) {
  float result = 0;
  store(Dtype::kF32, value, &result);
  return result;
}

void expect_f32_tie_goes_to_even(std::uint32_t bits) {
  const float low = std::bit_cast<float>(bits), high = std::bit_cast<float>(bits + 1);
  const double tie = (static_cast<double>(low) + static_cast<double>(high)) / 2;
  const float even = bits % 2 == 0 ? low : high;
  ASSERT_EQ(stored_f32(low), low);
  ASSERT_EQ(stored_f32(tie), even) << bits;
  ASSERT_EQ(stored_f32(std::nextafter(tie, 0.0)), low) << bits;
  ASSERT_EQ(stored_f32(std::nextafter(tie, kInfinity)), high) << bits;
  ASSERT_EQ(stored_f32(-tie), -even) << bits;
  float again = 0;
  store(Dtype::kF32, load(Dtype::kF32, &high), &again);
  ASSERT_EQ(std::bit_cast<std::uint32_t>(again), bits + 1);
}

TEST(Dtype, TiesOfF32GoToEven) {
  std::mt19937 random(1);
  for (int i = 0; i < 200000; ++i) {
    expect_f32_tie_goes_to_even(static_cast<std::uint32_t>(random() % 0x7F7FFFFFU));
  }
  for (const std::uint32_t bits :
       {0U, 1U, 0x007FFFFEU, 0x007FFFFFU, 0x00800000U, 0x3F800000U, 0x7F7FFFFEU}) {
    expect_f32_tie_goes_to_even(bits);
  }
}

TEST(Dtype, F32OverflowsHalfAStepBeyondItsLargestNumber) {
  const double largest = std::numeric_limits<float>::max(), tie = largest + 0x1p103;
  EXPECT_EQ(stored_f32(tie), std::numeric_limits<float>::infinity());
  EXPECT_EQ(stored_f32(std::nextafter(tie, 0.0)), std::numeric_limits<float>::max());
  EXPECT_EQ(stored_f32(-tie), -std::numeric_limits<float>::infinity());
  EXPECT_EQ(stored_f32(1e300), std::numeric_limits<float>::infinity());
}

TEST(Dtype, NaNStaysNaNAndZeroKeepsItsSign) {
  for (const Dtype dtype : kDtypes) {
    EXPECT_TRUE(std::isnan(round_to(dtype, std::nan("")))) << to_string(dtype);
    EXPECT_TRUE(std::isnan(round_to(dtype, -std::nan("1")))) << to_string(dtype);
    EXPECT_TRUE(std::signbit(round_to(dtype, -0.0))) << to_string(dtype);
    EXPECT_FALSE(std::signbit(round_to(dtype, 0.0))) << to_string(dtype);
  }
}

// A NaN whose payload a narrowing by truncation would lose, and so make infinite.
TEST(Dtype, NaNWithALowPayloadStaysNaN) {
  const double nan = std::bit_cast<double>(0x7FF0000000000001U);
  for (const Dtype dtype : kDtypes) EXPECT_TRUE(std::isnan(round_to(dtype, nan)));
}

std::vector<double> some_values() {
  std::vector<double> values{0.0, -0.0, 1.5, -2.25, 65504, 65520, 1e-8, 1e39, -kInfinity};
  std::mt19937 random(2);
  for (int i = 0; i < 1000; ++i) {
    const double mantissa = static_cast<double>(random()) - 0x1p31;
    values.push_back(std::ldexp(mantissa, static_cast<int>(random() % 80) - 70));
  }
  return values;
}

TEST(Dtype, RunsAreConvertedAsElementsAre) {
  const std::vector<double> values = some_values();
  for (const Dtype dtype : kDtypes) {
    std::vector<std::byte> run(values.size() * size_of(dtype)), single(run.size());
    store(dtype, values, run);
    std::vector<double> back(values.size());
    load(dtype, run, back);
    for (std::size_t i = 0; i < values.size(); ++i) {
      store(dtype, values[i], &single[i * size_of(dtype)]);
      ASSERT_EQ(bits_of(back[i]), bits_of(round_to(dtype, values[i]))) << values[i];
      ASSERT_EQ(bits_of(back[i]), bits_of(load(dtype, &single[i * size_of(dtype)])));
    }
    EXPECT_EQ(run, single);
  }
}

TEST(Dtype, EveryNumberOfF64IsKeptBitForBit) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 10000; ++i) {
    const std::uint64_t bits = random();
    const auto value = std::bit_cast<double>(bits);
    if (std::isnan(value)) continue;
    std::uint64_t stored_bits = 0;
    store(Dtype::kF64, value, &stored_bits);
    ASSERT_EQ(stored_bits, bits);
    ASSERT_EQ(bits_of(load(Dtype::kF64, &stored_bits)), bits);
    ASSERT_EQ(bits_of(round_to(Dtype::kF64, value)), bits);
  }
}

TEST(DtypeDeathTest, ARunOfTheWrongLengthIsABug) {
  std::vector<std::byte> elements(7);
  std::vector<double> values(2);
  EXPECT_DEATH(load(Dtype::kF32, elements, values), "check failed");
  EXPECT_DEATH(store(Dtype::kF16, values, elements), "check failed");
}

TEST(Format, HoldsTheConstantsOfIeee754) {
  EXPECT_EQ(format_of(Dtype::kF32).largest(), std::numeric_limits<float>::max());
  EXPECT_EQ(format_of(Dtype::kF32).smallest(), std::numeric_limits<float>::denorm_min());
  EXPECT_EQ(format_of(Dtype::kF32).unit_roundoff(), std::numeric_limits<float>::epsilon() / 2);
  EXPECT_EQ(format_of(Dtype::kF16).largest(), 65504);
  EXPECT_EQ(format_of(Dtype::kF16).smallest(), 0x1p-24);
  EXPECT_EQ(format_of(Dtype::kF16).unit_roundoff(), 0x1p-11);
  EXPECT_EQ(format_of(Dtype::kBF16).largest(), kLayouts[1].decode(0x7F7F));
  EXPECT_EQ(format_of(Dtype::kBF16).smallest(), kLayouts[1].decode(1));
  EXPECT_EQ(format_of(Dtype::kBF16).unit_roundoff(), 0x1p-8);
  EXPECT_EQ(format_of(Dtype::kF64).largest(), std::numeric_limits<double>::max());
  EXPECT_EQ(format_of(Dtype::kF64).smallest(), std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(format_of(Dtype::kF64).normal(), std::numeric_limits<double>::min());
  EXPECT_EQ(format_of(Dtype::kF64).unit_roundoff(), std::numeric_limits<double>::epsilon() / 2);
  EXPECT_EQ(size_of(Dtype::kF64), 8U);
  EXPECT_EQ(size_of(Dtype::kF32), 4U);
  EXPECT_EQ(size_of(Dtype::kF16), 2U);
  EXPECT_EQ(size_of(Dtype::kBF16), 2U);
}

TEST(Dtype, NamesComeBack) {
  for (const Dtype dtype : kDtypes) EXPECT_EQ(parse_dtype(to_string(dtype)), dtype);
  for (const char* text : {"", "f", "f65", "F64", "F32", "f32 ", "bf16x"}) {
    EXPECT_EQ(parse_dtype(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace concord
