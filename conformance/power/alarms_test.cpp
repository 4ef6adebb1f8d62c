// SPDX-License-Identifier: Apache-2.0
#include "conformance/power/alarms.h"

#include <gtest/gtest.h>

#include <utility>

#include "conformance/arithmetic/arithmetic.h"

namespace concord::conformance {
namespace {

// Of so many tensors of a library that is drawn as `draw` says, how many fail.
Alarms alarms_of(std::uint64_t tensors, std::function<HonestLibrary(Xoshiro&)> draw) {
  AlarmOptions options{tensors};
  options.draw = std::move(draw);
  return count_alarms(options);
}

// What it computes is of this class, whatever it declares.
HonestLibrary drawn_as(const char* arithmetic, Xoshiro& random) {
  const concord_arithmetic wanted = *parse_arithmetic(arithmetic);
  for (;;) {
    HonestLibrary library = draw_library(random);
    if (library.dtype == Dtype::kF32 && print(library.declared) == print(wanted)) return library;
  }
}

TEST(Alarms, AreNoneInThousandsOfHonestTensors) {
  const Alarms alarms = count_alarms({.tensors = 20'000, .jobs = 2});
  EXPECT_EQ(alarms.failed + alarms.failed_pools, 0U) << alarms.which.front();
  EXPECT_EQ(alarms.tensors, 20'000U);
  EXPECT_GT(alarms.pools, 1000U);
  EXPECT_GT(alarms.able, alarms.assessed / 2);
}

HonestLibrary drawn_with_fourier(Xoshiro& random) {
  for (;;) {
    const HonestLibrary library = draw_library(random);
    if (library.fourier) return library;
  }
}

TEST(Alarms, AreNoneOfLibrariesThatTransformByFourier) {
  const Alarms alarms = alarms_of(600, drawn_with_fourier);
  EXPECT_EQ(alarms.failed + alarms.failed_pools, 0U) << alarms.which.front();
  EXPECT_GT(alarms.able, alarms.assessed / 4);
}

// Sums of 11 bits in place of the 24 that are declared.
TEST(Alarms, CountLibrariesThatTransformByFourierMoreCoarsely) {
  const Alarms alarms = alarms_of(200, [](Xoshiro& random) {
    HonestLibrary liar = drawn_with_fourier(random);
    liar.unit.kept = Dtype::kF16;
    return liar;
  });
  EXPECT_GT(alarms.failed, 60U);
}

TEST(Alarms, DoNotDependOnWhereACountBeginsNorOnThreads) {
  const auto cut_off = [](Xoshiro& random) {
    HonestLibrary liar = drawn_as("accumulator_rounding=zero", random);
    liar.declared = {};
    return liar;
  };
  AlarmOptions options{.tensors = 60, .draw = cut_off};
  const Alarms all = count_alarms(options);
  options.jobs = 2;
  EXPECT_EQ(count_alarms(options).failed, all.failed);
  options.tensors = 30;
  const std::uint64_t early = count_alarms(options).failed;
  options.first = 30;
  EXPECT_EQ(early + count_alarms(options).failed, all.failed);
}

// Each of these declares nothing of what it needs.
TEST(Alarms, CountLibrariesThatAreNotHonest) {
  for (const char* arithmetic :
       {"tf32", "bf16", "bf16x3", "f16-accumulate", "bf16-accumulate", "accumulator_rounding=zero",
        "accumulator_rounding=faithful", "f64-accumulate,output_rounding=zero", "flush"}) {
    const Alarms alarms = alarms_of(400, [&](Xoshiro& random) {
      HonestLibrary liar = drawn_as(arithmetic, random);
      liar.declared = {};
      return liar;
    });
    EXPECT_GT(alarms.failed, 4U) << arithmetic;
  }
}

TEST(Alarms, NameWhatRepeatsThem) {
  const auto wrong = [](Xoshiro& random) {
    HonestLibrary liar = drawn_as("strict", random);
    liar.spoil = [](double stored, double, Xoshiro&) { return -1.5 * stored; };
    return liar;
  };
  AlarmOptions options{.tensors = 50, .seed = 3, .draw = wrong};
  const Alarms alarms = count_alarms(options);
  ASSERT_FALSE(alarms.which.empty());
  const std::string& first = alarms.which.front();
  ASSERT_TRUE(first.starts_with("number ")) << first;
  options.first = std::stoull(first.substr(7));
  options.tensors = 1;
  EXPECT_EQ(count_alarms(options).which.front(), first);
}

// Single products show each of them in single tensors, random data only in all tensors together.
TEST(Alarms, CountPoolsOfErrorsThatFewTensorsShow) {
  const Alarms alarms = alarms_of(20'000, [](Xoshiro& random) {
    HonestLibrary biased;
    biased.fused = random.below(2) == 0;
    biased.spoil = [](double stored, double exact, Xoshiro& chance) {
      if (stored == exact || chance.below(50) != 0) return stored;
      return round_to(Dtype::kF32, stored * (1 + 0x1p-23));
    };
    return biased;
  });
  EXPECT_LT(alarms.failed, 4'000U);
  EXPECT_EQ(alarms.failed_pools, 1U);
}

}  // namespace
}  // namespace concord::conformance
