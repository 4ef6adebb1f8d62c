// SPDX-License-Identifier: Apache-2.0
// The numbers of the paper "From Discrete to Continuous Convolution Layers" (Shocher et al.): its
// Figure 4, Table 4 and sections 3 and 4; and what follows from its Eq. 2.
#include "reference/continuous_grid.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <vector>

#include "reference/internal_net.h"
#include "spec/grid.h"

namespace concord::reference {
namespace {

using Rationals = std::vector<Rational>;

constexpr Ties kTies[] = {Ties::kHalfOpen, Ties::kOpen, Ties::kClosed};

ContinuousAxis axis_of(Extent in, const Rational& scale, Extent K, Ties ties = Ties::kHalfOpen,
                       Extent out = -1) {
  const auto axis =
      resolve_continuous_axis({.in = in, .out = out, .scale = scale, .K = K, .ties = ties});
  EXPECT_TRUE(axis) << axis.why().detail;
  return axis ? *axis : ContinuousAxis{};
}

Rationals grid_of(const ContinuousAxis& axis) {
  Rationals grid;
  for (Extent n = 0; n < axis.out; ++n) grid.push_back(grid_point(axis, n));
  return grid;
}

Extents pixels_of(const ContinuousAxis& axis, Extent n) {
  Extents pixels;
  for (const Neighbour& neighbour : neighbours(axis, n)) pixels.push_back(neighbour.m);
  return pixels;
}

Rationals distances_of(const ContinuousAxis& axis, Extent n) {
  Rationals distances;
  for (const Neighbour& neighbour : neighbours(axis, n)) distances.push_back(neighbour.distance);
  return distances;
}

// Scales of small parts, input sizes, and the output sizes around s * in.
struct Case {
  Extent in;
  Rational scale;
  Extent out;
};
std::vector<Case> small_cases() {
  std::vector<Case> cases;
  for (const auto [in, k, l, more] : Grid<4>{{7, 7, 7, 3}}) {
    const Rational scale(k + 1, l + 1);
    const Extent out = (scale * (in + 1)).ceil() + more - 1;
    if (out > 0) cases.push_back({in + 1, scale, out});
  }
  return cases;
}

TEST(Figure4, GridOfFourPixelsScaledByThreeFifths) {
  const ContinuousAxis axis = axis_of(4, {3, 5}, 3);
  EXPECT_EQ(grid_of(axis), (Rationals{{-1, 6}, {3, 2}, {19, 6}}));
  EXPECT_EQ(pixels_of(axis, 0), (Extents{-1, 0, 1}));
  EXPECT_EQ(pixels_of(axis, 1), (Extents{0, 1, 2}));
  EXPECT_EQ(pixels_of(axis, 2), (Extents{2, 3, 4}));
}

TEST(Figure4, GridOfFourPixelsScaledBySevenFifths) {
  const ContinuousAxis axis = axis_of(4, {7, 5}, 3);
  EXPECT_EQ(grid_of(axis), (Rationals{{-2, 7}, {3, 7}, {8, 7}, {13, 7}, {18, 7}, {23, 7}}));
  const std::vector<Extents> want{{-1, 0, 1}, {-1, 0, 1}, {0, 1, 2},
                                  {1, 2, 3},  {2, 3, 4},  {2, 3, 4}};
  for (Extent n = 0; n < 6; ++n) EXPECT_EQ(pixels_of(axis, n), want[static_cast<std::size_t>(n)]);
}

TEST(Section4, GridsOfOneHalfAndOneThird) {
  EXPECT_EQ(grid_of(axis_of(8, {1, 2}, 2)), (Rationals{{1, 2}, {5, 2}, {9, 2}, {13, 2}}));
  EXPECT_EQ(grid_of(axis_of(9, {1, 3}, 3)), (Rationals{1, 4, 7}));
}

TEST(Equation2, EqualsTheSimpleMappingExactlyIfTheOutputIsNotRounded) {
  for (const auto& [in, scale, out] : small_cases()) {
    const ContinuousAxis axis = axis_of(in, scale, 3, Ties::kHalfOpen, out);
    for (Extent n = 0; n < out; ++n) {
      const Rational simple = n / scale + (1 / scale - 1) / 2;
      EXPECT_EQ(grid_point(axis, n) - simple, (in - out / scale) / 2);
    }
  }
}

TEST(Equation2, IsSymmetricAboutTheImagesCentre) {
  for (const auto& [in, scale, out] : small_cases()) {
    const ContinuousAxis axis = axis_of(in, scale, 3, Ties::kHalfOpen, out);
    for (Extent n = 0; n < out; ++n) {
      EXPECT_EQ(grid_point(axis, n) + grid_point(axis, out - 1 - n), Rational(in - 1));
    }
  }
}

TEST(Neighbours, AreThePixelsWithinHalfTheSupportAndTheTiesPolicyDecidesAtItsBorders) {
  for (const auto& [in, scale, out] : small_cases()) {
    for (const auto [K, t] : Grid<2>{{5, 3}}) {
      const Ties ties = kTies[t];
      const ContinuousAxis axis = axis_of(in, scale, K + 1, ties, out);
      for (Extent n = 0; n < out; ++n) {
        Extents want;
        for (Extent m = -30; m < 40; ++m) {
          const Rational d = grid_point(axis, n) - m;
          const Rational half(K + 1, 2);
          const bool inside = d < half && d > -half;
          const bool left = d == half && ties != Ties::kOpen;
          const bool right = d == -half && ties == Ties::kClosed;
          if (inside || left || right) want.push_back(m);
        }
        ASSERT_EQ(pixels_of(axis, n), want);
        ASSERT_LE(static_cast<Extent>(want.size()), axis.slots());
      }
    }
  }
}

// Section 3.2 gives {-1/2, 1/2} for all n, in the opposite order and whatever the size.
TEST(Section32, DistancesAtOneHalfWithSupportTwoAreHalvesOnlyIfTheInputIsEven) {
  for (Extent n = 0; n < 4; ++n) {
    EXPECT_EQ(distances_of(axis_of(8, {1, 2}, 2), n), (Rationals{{1, 2}, {-1, 2}}));
    EXPECT_EQ(distances_of(axis_of(7, {1, 2}, 2), n), (Rationals{1, 0}));
  }
}

// Figure 6 applies a 4x4 kernel at scale 1: every border of its support is a pixel.
TEST(Figure6, SupportFourAtScaleOneIsATieAndOnlyOpenAndClosedAreCentred) {
  EXPECT_EQ(distances_of(axis_of(9, 1, 4), 4), (Rationals{2, 1, 0, -1}));
  EXPECT_EQ(distances_of(axis_of(9, 1, 4, Ties::kOpen), 4), (Rationals{1, 0, -1}));
  EXPECT_EQ(distances_of(axis_of(9, 1, 4, Ties::kClosed), 4), (Rationals{2, 1, 0, -1, -2}));
}

// Where g - K/2 is an integer, the rounding of 1/s can put it just above.
TEST(Neighbours, ATieThatDoublesMissIsDecidedExactly) {
  int missed = 0;
  for (const auto& [in, scale, out] : small_cases()) {
    const ContinuousAxis axis = axis_of(in, scale, 3, Ties::kHalfOpen, out);
    const double s = scale.to_double();
    for (Extent n = 0; n < out; ++n) {
      const double g = static_cast<double>(n) / s + static_cast<double>(in - 1) / 2 -
                       static_cast<double>(out - 1) / (2 * s);
      if (static_cast<Extent>(std::ceil(g - 1.5)) != first_neighbour(axis, n)) ++missed;
    }
  }
  EXPECT_GT(missed, 0);
}

TEST(Boundary, StandsWhatTheAttributeSaysOutsideTheImage) {
  const auto row = [](Boundary boundary, Extent in) {
    Extents pixels;
    for (Extent m = -4; m < 7; ++m) pixels.push_back(pixel_at(boundary, in, m).value_or(-1));
    return pixels;
  };
  EXPECT_EQ(row(Boundary::kZero, 3), (Extents{-1, -1, -1, -1, 0, 1, 2, -1, -1, -1, -1}));
  EXPECT_EQ(row(Boundary::kReplicate, 3), (Extents{0, 0, 0, 0, 0, 1, 2, 2, 2, 2, 2}));
  EXPECT_EQ(row(Boundary::kReflect, 3), (Extents{0, 1, 2, 1, 0, 1, 2, 1, 0, 1, 2}));
  EXPECT_EQ(row(Boundary::kSymmetric, 3), (Extents{2, 2, 1, 0, 0, 1, 2, 2, 1, 0, 0}));
  for (const Boundary boundary : {Boundary::kReplicate, Boundary::kReflect, Boundary::kSymmetric}) {
    EXPECT_EQ(row(boundary, 1), Extents(11, 0));
    EXPECT_EQ(row(boundary, 0), Extents(11, -1)) << "an empty image is zeros";
  }
}

// Section 5: the grid of scale k/l is periodic with the numerator.
TEST(Section5, KOutputsFurtherTheGridIsLInputsFurtherAndHasKFractionalParts) {
  for (const auto& [in, scale, out] : small_cases()) {
    const Extent k = scale.numerator(), l = scale.denominator();
    const ContinuousAxis axis = axis_of(in, scale, 3, Ties::kHalfOpen, out);
    std::set<Rational> fractions;
    for (Extent n = 0; n < out; ++n) {
      const Rational g = grid_point(axis, n);
      fractions.insert(g - g.floor());
      EXPECT_EQ(grid_point(axis, n + k), g + l);
      EXPECT_EQ(distances_of(axis, n + k), distances_of(axis, n));
    }
    EXPECT_EQ(static_cast<Extent>(fractions.size()), std::min(k, out));
  }
}

TEST(Section5, TwoThirdsOfEightIsTwoConvolutionsOfStrideThree) {
  const ContinuousAxis axis = axis_of(8, {2, 3}, 3);
  EXPECT_EQ(grid_point(axis, 0), Rational(-1, 4));
  EXPECT_EQ(grid_point(axis, 1), Rational(5, 4));
  EXPECT_EQ(phases(axis), (std::vector<Phase>{{3, 3, 1, 0}, {3, 3, 0, 1}}));
}

TEST(Section5, ThePhasesReadTheNeighboursOfTheGrid) {
  for (const auto& [in, scale, out] : small_cases()) {
    const ContinuousAxis axis = axis_of(in, scale, 4, Ties::kHalfOpen, out);
    const auto all = phases(axis);
    Extent outputs = 0;
    for (std::size_t p = 0; p < all.size(); ++p) {
      outputs += all[p].count;
      for (Extent o = 0; o < all[p].count; ++o) {
        const Extent n = static_cast<Extent>(p) + o * scale.numerator();
        EXPECT_EQ(first_neighbour(axis, n), o * all[p].stride - all[p].pad_begin);
      }
      EXPECT_EQ((in + all[p].pad_begin + all[p].pad_end - 4) / all[p].stride + 1, all[p].count);
    }
    EXPECT_EQ(outputs, out);
  }
}

// Section 4 says "k has the same parity as the kernel support"; that holds where k divides in.
TEST(Section4, GridPointsAreAlignedExactlyIfSupportAndRemainderDifferInParity) {
  int counterexamples = 0;
  for (const auto [i, j, m] : Grid<3>{{12, 6, 6}}) {
    const Extent in = i + 1, k = j + 1, K = m + 1;
    const ContinuousAxis axis = axis_of(in, Rational(1, k), K);
    const Extent extra = (in - 1) % k;
    const bool aligned = (K - extra) % 2 != 0;
    const bool paper = (K - k) % 2 == 0;
    if (aligned != paper) {
      ++counterexamples;
      EXPECT_NE(in % k, 0);
    }
    for (Extent n = 0; n < axis.out; ++n) {
      EXPECT_EQ(grid_point(axis, n), k * n + Rational(extra, 2));
      const Rational first = aligned ? Rational(K - 1, 2) : Rational(K, 2);
      Rationals want;
      for (Extent tap = 0; tap < K; ++tap) want.push_back(first - tap);
      EXPECT_EQ(distances_of(axis, n), want) << "taps in falling order of distance";
      EXPECT_EQ(first_neighbour(axis, n), k * n - Rational(K - extra, 2).floor());
    }
  }
  EXPECT_GT(counterexamples, 0);
}

// docs/spec.md#the-three-meanings-of-same: the rows on which the meanings of "same" part, as
// padding before the input at scale 1/s.
TEST(Section4, StartsWhereItsOwnMeaningOfSameStarts) {
  struct Row {
    Extent i, k, s, before;
  };
  for (const auto& [i, k, s, before] :
       {Row{4, 3, 2, 1}, {2, 2, 2, 0}, {6, 3, 3, 0}, {6, 1, 3, -1}, {5, 4, 1, 2}, {3, 2, 1, 1}}) {
    const ContinuousAxis axis = axis_of(i, {1, s}, k);
    EXPECT_EQ(-first_neighbour(axis, 0), before) << i << " " << k << " " << s;
    EXPECT_EQ(axis.out, (i + s - 1) / s);
  }
}

TEST(Section4, TheSmallestCounterexamplesToEqualParity) {
  EXPECT_EQ(distances_of(axis_of(3, {1, 2}, 2), 0), (Rationals{1, 0})) << "equal, not aligned";
  EXPECT_EQ(distances_of(axis_of(2, {1, 3}, 1), 0), (Rationals{{1, 2}})) << "equal, not aligned";
  EXPECT_EQ(distances_of(axis_of(3, {1, 2}, 3), 0), (Rationals{1, 0, -1})) << "unequal, aligned";
}

struct Chain {
  const char* name;
  Rationals scales;
  Extents sizes;
};
// The 16 rows of Table 4, height and width of each.
const Chain kTable4[] = {
    {"example 1, H",
     {1, {5, 6}, {5, 6}, {8, 9}, {189, 250}, {6, 7}, {5, 6}, {3, 4}},
     {32, 27, 23, 20, 15, 13, 11, 8}},
    {"example 1, W",
     {1, {7, 9}, {4, 5}, {5, 6}, {3, 4}, {6, 7}, {7, 8}, {6, 7}},
     {32, 25, 20, 17, 13, 11, 10, 8}},
    {"example 2, H",
     {1, {75, 98}, {4, 5}, {4, 5}, {7, 8}, {5, 6}, {7, 9}, {9, 10}},
     {32, 25, 20, 16, 14, 12, 9, 8}},
    {"example 2, W",
     {1, {7, 8}, {2, 3}, {3, 4}, {5, 6}, {5, 6}, {864, 875}, {5, 6}},
     {32, 28, 19, 14, 12, 10, 10, 8}},
};

TEST(Table4, SizesOfTheSixteenLayersOnBothAxes) {
  for (const Chain& chain : kTable4) {
    const auto sizes = chain_sizes(32, chain.scales, {1, 4});
    ASSERT_TRUE(sizes) << sizes.why().detail;
    EXPECT_EQ(*sizes, chain.sizes) << chain.name;
  }
}

TEST(Table4, ScalesMultiplyToExactlyOneQuarter) {
  for (const Chain& chain : kTable4) {
    Rational product = 1;
    for (const Rational& scale : chain.scales) product = product * scale;
    EXPECT_EQ(product, Rational(1, 4)) << chain.name;
  }
}

TEST(Table4, RoundingUpLayerByLayerDoesNotGiveItsSizes) {
  for (const Chain& chain : kTable4) {
    Extent size = 32;
    for (const Rational& scale : chain.scales) size = (scale * size).ceil();
    EXPECT_GT(size, 8) << chain.name;
  }
}

// Layer 4 of example 1 has fewer rows than s * in: 8/9 * 23 is 20.4.
TEST(Table4, ALayersOutputMayBeSmallerThanItsScaledInput) {
  const ContinuousAxis axis = axis_of(23, {8, 9}, 3, Ties::kHalfOpen, 20);
  EXPECT_LT(Rational(20), Rational(8, 9) * 23);
  EXPECT_EQ(grid_point(axis, 0), Rational(5, 16));
  EXPECT_EQ(grid_point(axis, 19), Rational(22) - Rational(5, 16));
}

// The height of example 2: its scales, multiplied as doubles, make 8 and two units of rounding.
TEST(Equation4, TheProductInDoublesRoundsUpToNineWhereItIsEight) {
  const Chain& chain = kTable4[2];
  double size = 32;
  for (const Rational& scale : chain.scales) size *= scale.to_double();
  EXPECT_EQ(std::ceil(size), 9);
  Rational exact = 32;
  for (const Rational& scale : chain.scales) exact = exact * scale;
  EXPECT_EQ(exact.ceil(), 8);
}

TEST(Refusals, ChainsNameWhatIsWrong) {
  const auto fault = [](Extent in, const Rationals& scales, const Rational& target) {
    const auto sizes = chain_sizes(in, scales, target);
    EXPECT_FALSE(sizes);
    return sizes ? Fault::kSyntax : sizes.why().fault;
  };
  EXPECT_EQ(fault(32, {}, {1, 4}), Fault::kSize);
  EXPECT_EQ(fault(-1, {1}, {1, 4}), Fault::kSize);
  EXPECT_EQ(fault(30, {1}, {1, 4}), Fault::kSize) << "30/4 is no size";
  EXPECT_EQ(fault(32, {{-1, 2}}, {1, 4}), Fault::kScale);
  EXPECT_EQ(fault(32, {1}, 0), Fault::kScale);
  EXPECT_EQ(fault(1 << 30, Rationals(3, Rational(1 << 30)), 1), Fault::kSize);
}

TEST(Refusals, AxesNameWhatIsWrong) {
  const auto fault = [](const ContinuousAxis& axis) {
    const auto resolved = resolve_continuous_axis(axis);
    EXPECT_FALSE(resolved);
    return resolved ? Fault::kSyntax : resolved.why().fault;
  };
  const Extent huge = kLargestGridNumber + 1;
  EXPECT_EQ(fault({.in = -1, .out = -1}), Fault::kSize);
  EXPECT_EQ(fault({.in = huge, .out = -1}), Fault::kSize);
  EXPECT_EQ(fault({.in = 4, .out = huge}), Fault::kSize);
  EXPECT_EQ(fault({.in = 4, .out = -1, .scale = huge}), Fault::kSize);
  EXPECT_EQ(fault({.in = huge - 1, .out = -1, .scale = 2}), Fault::kSize);
  EXPECT_EQ(fault({.in = 4, .out = -1, .scale = 0}), Fault::kScale);
  EXPECT_EQ(fault({.in = 4, .out = -1, .scale = {-1, 2}}), Fault::kScale);
  EXPECT_EQ(fault({.in = 4, .out = -1, .K = 0}), Fault::kKernel);
}

TEST(Refusals, TheLargestNumbersAreStillExact) {
  const Extent most = kLargestGridNumber;
  const ContinuousAxis axis = axis_of(most, Rational(most - 1, most), most, Ties::kClosed, most);
  EXPECT_EQ(grid_point(axis, 0) + grid_point(axis, most - 1), Rational(most - 1));
  EXPECT_EQ(first_neighbour(axis, most - 1) + first_neighbour(axis, 0), Extent{0});
}

// 1/sqrt 2 as a double has 53 bits over 2^53; of an image of 2^30 pixels g_n has 90 bits.
TEST(RealScales, AreExactDoublesInImagesOfAnySize) {
  const Rational scale = rational_of(std::sqrt(0.5)).value();
  EXPECT_EQ(scale.denominator(), Extent{1} << 53);
  const Extent most = kLargestGridNumber;
  const ContinuousAxis axis = *resolve_continuous_axis({.in = most, .out = -1, .scale = scale});
  EXPECT_EQ(axis.out, 759250125) << "2^30 / sqrt 2 is 759250124.99";
  EXPECT_EQ(grid_point(axis, 0) + grid_point(axis, axis.out - 1), Rational(most - 1));
  EXPECT_EQ(grid_point(axis, 7) - grid_point(axis, 6), Rational(1) / scale);
}

// The double nearest to 1/10 is above it: ten pixels become two, of which f64 makes one.
TEST(RealScales, AreNotTheDecimalsThatTheyArePrintedAs) {
  const ContinuousAxis axis{.in = 10, .out = -1, .scale = rational_of(0.1).value()};
  EXPECT_EQ(resolve_continuous_axis(axis)->out, 2);
  EXPECT_EQ(resolve_continuous_axis({.in = 10, .out = -1, .scale = {1, 10}})->out, 1);
  EXPECT_EQ(std::ceil(0.1 * 10), 1);
}

TEST(RealScales, AreRefusedAboveTwoToTheThirtiethAndBelowItsInverse) {
  const auto fault = [](const Rational& scale) -> std::optional<Fault> {
    const auto axis = resolve_continuous_axis({.in = 4, .out = 4, .scale = scale});
    if (axis) return std::nullopt;
    return axis.why().fault;
  };
  EXPECT_EQ(fault(Rational(1, kLargestGridNumber)), std::nullopt);
  EXPECT_EQ(fault(kLargestGridNumber), std::nullopt);
  EXPECT_EQ(fault(Rational(1, kLargestGridNumber + 1)), Fault::kSize);
  EXPECT_EQ(fault(Rational(INT64_MAX, 3)), Fault::kSize);
}

TEST(KeysCubic, WeightsOfTheFourNeighboursSumToOneExactlyAtEveryScale) {
  for (const auto& [in, scale, out] : small_cases()) {
    const ContinuousAxis axis = axis_of(in, scale, 4, Ties::kHalfOpen, out);
    for (Extent n = 0; n < out; ++n) {
      Rational sum = 0;
      for (const Rational& d : distances_of(axis, n)) sum = sum + keys_cubic(d);
      EXPECT_EQ(sum, Rational(1));
    }
  }
}

}  // namespace
}  // namespace concord::reference
