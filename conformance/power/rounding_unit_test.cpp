// SPDX-License-Identifier: Apache-2.0
#include "conformance/power/rounding_unit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace concord::conformance {
namespace {

// f32 has 24 bits: 1 + 2^-24 lies half way to the next number, which is 1 + 2^-23.
constexpr double kTie = 0x1p-24, kNext = 1 + 0x1p-23, kSliver = 0x1p-60;

double sum(Direction direction, double a, double b, Dtype kept = Dtype::kF32) {
  Xoshiro random(1);
  return RoundingUnit({kept, direction}, random).sum(a, b);
}

TEST(RoundingUnit, ReturnsTheNeighbourThatItsRuleNames) {
  EXPECT_EQ(sum(Direction::kNearest, 1, kTie), 1);
  EXPECT_EQ(sum(Direction::kNearest, kNext, kTie), 1 + 0x1p-22);
  EXPECT_EQ(sum(Direction::kZero, 1, kTie * 1.5), 1);
  EXPECT_EQ(sum(Direction::kAway, 1, kSliver), kNext);
  EXPECT_EQ(sum(Direction::kAway, -1, -kSliver), -kNext);
  EXPECT_EQ(sum(Direction::kOdd, 1, kSliver), kNext);
  EXPECT_EQ(sum(Direction::kOdd, kNext, kSliver), kNext);
}

// In f64 the sum of 1 + 2^-24 and a sliver is that of 1 and 2^-24, a tie.
TEST(RoundingUnit, RoundsOnceFromTheExactSum) {
  EXPECT_EQ(sum(Direction::kNearest, 1 + kTie, kSliver), kNext);
  EXPECT_EQ(sum(Direction::kNearest, 1 + kTie, -kSliver), 1);
  EXPECT_EQ(sum(Direction::kZero, kNext, -kSliver), 1);
}

TEST(RoundingUnit, RoundsInF64InEitherDirection) {
  const double above = std::nextafter(1.0, 2.0), below = std::nextafter(1.0, 0.0);
  EXPECT_EQ(sum(Direction::kZero, 1, -kSliver, Dtype::kF64), below);
  EXPECT_EQ(sum(Direction::kZero, 1, kSliver, Dtype::kF64), 1);
  EXPECT_EQ(sum(Direction::kAway, 1, kSliver, Dtype::kF64), above);
  EXPECT_EQ(sum(Direction::kAway, 1, -kSliver, Dtype::kF64), 1);
  EXPECT_EQ(sum(Direction::kOdd, above, kSliver, Dtype::kF64), above);
  EXPECT_EQ(sum(Direction::kOdd, 1, kSliver, Dtype::kF64), above);
}

TEST(RoundingUnit, FlushesBeforeOrAfterItRounds) {
  Xoshiro random(1);
  const double normal = 0x1p-126, nearly = normal - 0x1p-151;  // f32 rounds it up
  RoundingUnit keeps({Dtype::kF32}, random);
  RoundingUnit late({Dtype::kF32, Direction::kNearest, false, true}, random);
  RoundingUnit early({Dtype::kF32, Direction::kNearest, false, true, true}, random);
  EXPECT_EQ(keeps.sum(normal / 2, 0), normal / 2);
  EXPECT_EQ(late.sum(normal / 2, 0), 0);
  EXPECT_EQ(late.sum(nearly, 0), normal);
  EXPECT_EQ(early.sum(nearly, 0), 0);
  EXPECT_EQ(early.sum(normal, 0), normal);
}

TEST(RoundingUnit, CutsAlignedTermsOffAtTheLastBitOfTheLargest) {
  Xoshiro random(1);
  RoundingUnit unit({Dtype::kF32, Direction::kZero}, random);
  const std::vector<double> terms{0x1.8p-24, 0x1.8p-24, 1};
  EXPECT_EQ(unit.aligned(0, terms), 1);
  EXPECT_EQ(unit.aligned(0, std::vector<double>{0x1.8p-23, 1}), kNext);
}

TEST(RoundingUnit, RoundsTwiceByWayOfF32WhereToldTo) {
  Xoshiro random(1);
  RoundingUnit once({Dtype::kBF16}, random),
      twice({Dtype::kBF16, Direction::kNearest, true}, random);
  const double above_tie = 1 + 0x1p-8 + 0x1p-30;  // of bf16; in f32 it is the tie itself
  EXPECT_EQ(once.sum(above_tie, 0), 1 + 0x1p-7);
  EXPECT_EQ(twice.sum(above_tie, 0), 1);
}

}  // namespace
}  // namespace concord::conformance
