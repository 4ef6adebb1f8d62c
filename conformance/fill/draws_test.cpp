// SPDX-License-Identifier: Apache-2.0
#include "conformance/fill/draws.h"

#include <gtest/gtest.h>

#include <bit>
#include <string>
#include <vector>

namespace concord::conformance {
namespace {

// A chunk of all lanes is 8 * 1024 draws: below it, at it, beside it, some of them, a rest.
constexpr std::size_t kCounts[] = {0,    1,    7,    8,    9,     511,   512,
                                   1000, 8191, 8192, 8193, 16384, 16391, 40000};

TEST(Draws, AreThoseOfTheXoshiro) {
  for (const std::size_t count : kCounts) {
    for (const std::size_t expected : {std::size_t{0}, count / 2, count, 2 * count + 100000}) {
      Draws many(5, 2, expected);
      Xoshiro single(5, 2);
      for (std::size_t i = 0; i < count; ++i) {
        ASSERT_EQ(many.next(), single.next()) << i << " of " << count << ", " << expected;
      }
    }
  }
}

// A NaN or another zero would compare otherwise.
std::uint64_t bits(double value) { return std::bit_cast<std::uint64_t>(value); }

// As a channel of weights does: a draw that no integer is made of, and then integers.
void expect_integers(const SignedInteger& draw, std::size_t count, const std::string& what) {
  Draws many(11, 1, 4 * count + 2);
  Xoshiro single(11, 1);
  for (const bool negated : {false, true}) {
    ASSERT_EQ(many.next(), single.next()) << what;
    std::vector<double> values(count);
    many.integers(draw, negated, values);
    for (std::size_t i = 0; i < count; ++i) {
      const double want = draw(single);
      ASSERT_EQ(bits(values[i]), bits(negated ? -want : want)) << i << " of " << count << what;
    }
  }
}

TEST(Draws, MakeTheIntegersOfSingleDraws) {
  for (const std::size_t count : kCounts) {
    expect_integers(SignedInteger(170, 3, 4), count, " of 170");
  }
}

// Up to and beyond what the vectors' remainder is proved for; 2^62 + 1 drops every fourth draw.
TEST(Draws, MakeIntegersOfAnyRange) {
  for (const Extent largest :
       {Extent{1}, Extent{2}, Extent{3}, Extent{60}, Extent{4095}, Extent{4096}, Extent{4097},
        Extent{500009}, Extent{1} << 19, (Extent{1} << 19) + 1, (Extent{1} << 62) + 1}) {
    expect_integers(SignedInteger(largest, 3, 4), 20000, " of " + std::to_string(largest));
    expect_integers(SignedInteger(largest), 20000, " evenly, of " + std::to_string(largest));
  }
}

#if defined(__x86_64__)
bool has_kernel() {
  return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512dq") != 0;
}

TEST(Draws, StopBeforeTheVectorThatDropsADraw) {
  if (!has_kernel()) return;
  std::vector<std::uint64_t> draws(64, 5);
  std::vector<double> values(32);
  EXPECT_EQ(kDrawAvx512.integers({1, 1, 7, 5, 0}, draws.data(), 32, values.data()), 32U);
  draws[2 * 17] = 4;  // of the sign, where no draw is dropped
  EXPECT_EQ(kDrawAvx512.integers({1, 1, 7, 5, 0}, draws.data(), 32, values.data()), 32U);
  draws[2 * 17 + 1] = 4;
  EXPECT_EQ(kDrawAvx512.integers({1, 1, 7, 5, 0}, draws.data(), 32, values.data()), 16U);
}

// Draws beside multiples of the range, where a quotient that is rounded is one too small or too
// large.
TEST(Draws, HaveTheirRemaindersBesideMultiplesOfTheRange) {
  if (!has_kernel()) return;
  Xoshiro random(4);
  const auto most = static_cast<Extent>(SignedIntegerRule::kMostRange);
  for (Extent range = 1; range <= most; range += range < 300 ? 1 : random.between(1, 997)) {
    const auto unsigned_range = static_cast<std::uint64_t>(range);
    std::vector<std::uint64_t> draws;
    for (std::size_t i = 0; i < 64; ++i) {
      const std::uint64_t multiple = random.next() >> (i / 3 * 3) % 64;
      draws.push_back(0);
      draws.push_back(multiple / unsigned_range * unsigned_range + i % 3 - 1);
    }
    std::vector<double> values(64);
    ASSERT_EQ(kDrawAvx512.integers({1, 1, unsigned_range, 0, 0}, draws.data(), 64, values.data()),
              64U);
    for (std::size_t i = 0; i < 64; ++i) {
      const auto want = static_cast<double>(draws[2 * i + 1] % unsigned_range + 1);
      ASSERT_EQ(values[i], want) << draws[2 * i + 1] << " of " << range;
    }
  }
}
#endif

void expect_reals(Fill fill, Dtype dtype, int accumulator, std::size_t count) {
  concord_arithmetic arithmetic{};
  arithmetic.accumulator = accumulator;
  const RealDraw draw(fill, dtype, arithmetic, 1e6);
  Draws many(3, 0, count);
  Xoshiro single(3, 0);
  std::vector<double> values(count);
  many.reals(draw, values);
  for (std::size_t i = 0; i < count; ++i) {
    ASSERT_EQ(bits(values[i]), bits(draw(single))) << i;
  }
  ASSERT_EQ(many.next(), single.next());
}

TEST(Draws, MakeTheRealsOfSingleDraws) {
  for (const Fill fill : {Fill::kUniform, Fill::kWide}) {
    for (const Dtype dtype : {Dtype::kF32, Dtype::kBF16, Dtype::kF16}) {
      for (const std::size_t count : kCounts) {
        expect_reals(fill, dtype, CONCORD_ACCUMULATE_F32, count);
        expect_reals(fill, dtype, CONCORD_ACCUMULATE_F16, count);
      }
    }
  }
}

}  // namespace
}  // namespace concord::conformance
