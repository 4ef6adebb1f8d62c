// SPDX-License-Identifier: Apache-2.0
// The value of the continuous layer (Eq. 3) against other ways to compute it.
#include "reference/continuous.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "reference/continuous_example.h"
#include "reference/worked_example.h"
#include "spec/grid.h"

namespace concord::reference {
namespace {

constexpr Ties kTies[] = {Ties::kHalfOpen, Ties::kOpen, Ties::kClosed};

std::string pair_of(Extent a, Extent b) { return std::to_string(a) + "," + std::to_string(b); }

// The weights of output (i,j) as a discrete filter [Cout,Cin,K_h,K_w].
Values filter_of(const ContinuousExample& example, Extent i = 0, Extent j = 0) {
  const ContinuousGeometry& g = example.geometry;
  const Oracle weights = continuous_weights(g, example.theta, distances(g));
  const Grid<5> grid{{g.Cout, g.Cin, g.slots(), g.vertical.out, g.horizontal.out}};
  Values filter;
  for (const auto [co, ci, k] : Grid<3>{{g.Cout, g.Cin, g.slots()}}) {
    filter.push_back(weights.value[grid.offset({co, ci, k, i, j})]);
  }
  return filter;
}

// "Convolution f32 ..." on the example's input, with its first weights as filter.
std::string convolution_line(const ContinuousGeometry& g, const std::string& attributes) {
  return "Convolution f32 src=" + std::to_string(g.N) + "x" + std::to_string(g.Cin) + "x" +
         std::to_string(g.vertical.in) + "x" + std::to_string(g.horizontal.in) +
         " weights=" + std::to_string(g.Cout) + "x" + std::to_string(g.Cin) + "x" +
         std::to_string(g.vertical.K) + "x" + std::to_string(g.horizontal.K) +
         " data_format=NCX weights_format=OIX " + attributes;
}

// Worked by hand: one row of 1 2 3 4 scaled by 1/2 with the cubic of Keys. g = 1/2, 5/2, weights
// -1/16 9/16 9/16 -1/16 on the pixels -1 0 1 2 and 1 2 3 4, the outermost of which are zeros.
TEST(Equation3, AgreesWithAnExampleWorkedByHand) {
  const ContinuousExample example(
      {1, 1, 1, 4}, {.scale_w = {1, 2}, .kernel = {1, 4}, .function = KernelFunction::kKeys});
  const Oracle dst = evaluate_continuous(example.geometry, Values{1, 2, 3, 4}, {});
  EXPECT_EQ(dst.value, (Values{(9. + 18 - 3) / 16, (-2. + 27 + 36) / 16}));
  EXPECT_EQ(example.geometry.dst(), (Extents{1, 1, 1, 2}));
}

TEST(Equation3, SumsWhatTheInternalNetGivesAtEveryNeighboursDistance) {
  const ContinuousExample example(
      {2, 3, 4, 5}, {.scale_h = {3, 5}, .scale_w = {7, 5}, .kernel = {3, 2}, .channels = 2});
  const ContinuousGeometry& g = example.geometry;
  const Grid<4> src{{2, 3, 4, 5}};
  Values want;
  for (const auto [b, co, i, j] : Grid<4>{{2, 2, 3, 7}}) {
    double sum = 0;
    for (Extent ci = 0; ci < 3; ++ci) {
      for (const Neighbour& row : neighbours(g.vertical, i)) {
        for (const Neighbour& column : neighbours(g.horizontal, j)) {
          if (!row.source || !column.source) continue;
          const Distance d{row.distance.to_double(), column.distance.to_double()};
          const double W =
              evaluate_net(g.net, example.theta, d).value[static_cast<std::size_t>(co * 3 + ci)];
          sum += example.src[src.offset({b, ci, row.m, column.m})] * W;
        }
      }
    }
    want.push_back(sum);
  }
  EXPECT_EQ(example.output(), want);
}

TEST(Equation3, MagnitudesAreOfTheInputTimesThoseOfTheWeights) {
  const ContinuousExample example({1, 1, 3, 3}, {.scale_h = {2, 3}, .kernel = {1, 1}});
  const ContinuousGeometry& g = example.geometry;
  const Oracle dst = evaluate_continuous(g, example.src, example.theta);
  for (std::size_t n = 0; n < dst.value.size(); ++n) {
    EXPECT_GT(dst.magnitude[n], std::fabs(dst.value[n])) << "the net's terms cancel";
  }
}

TEST(DistancesTensor, HasOneEntryANeighbourOrOneOffsetAnOutput) {
  ContinuousAttributes a{.scale_w = {3, 5}, .kernel = {1, 3}};
  const ContinuousExample all({1, 1, 1, 4}, a);
  EXPECT_EQ(distances(all.geometry), (Values{0, 0, 0, 5. / 6, 3. / 2, 7. / 6, 0, 0, 0, -1. / 6,
                                             1. / 2, 1. / 6, 0, 0, 0, -7. / 6, -1. / 2, -5. / 6}));
  a.function = KernelFunction::kNetK;
  const ContinuousExample one({1, 1, 1, 4}, a);
  EXPECT_EQ(distances(one.geometry), (Values{0, 0, 0, 5. / 6, 3. / 2, 7. / 6}));
}

// The same grid, -1/6, 3/2 and 19/6: 3/2 is as close to 1 as to 2.
TEST(DistancesTensor, IsTheClosestPixelsDistanceOrTheGridWhereTheNetIsAskedForThat) {
  ContinuousAttributes a{
      .scale_w = {3, 5}, .kernel = {1, 3}, .function = KernelFunction::kNetKNearest};
  const ContinuousExample nearest({1, 1, 1, 4}, a);
  EXPECT_EQ(distances(nearest.geometry), (Values{0, 0, 0, -1. / 6, 1. / 2, 1. / 6}));
  a.function = KernelFunction::kNetKGrid;
  const ContinuousExample grid({1, 1, 1, 4}, a);
  EXPECT_EQ(distances(grid.geometry), (Values{0, 0, 0, -1. / 6, 3. / 2, 19. / 6}));
}

// The paper's two inputs that tell all distances: of the closest pixel weights repeat with the
// numerator, of the grid itself no two outputs need have the same.
TEST(Section5, WeightsRepeatWithThePhaseButNotIfTheNetIsAskedForTheGridItself) {
  for (const auto& [function, repeats] :
       {std::pair{KernelFunction::kNetK, true}, std::pair{KernelFunction::kNetKNearest, true},
        std::pair{KernelFunction::kNetKGrid, false}}) {
    const ContinuousExample example({1, 1, 1, 12},
                                    {.scale_w = {2, 3}, .kernel = {1, 3}, .function = function});
    const ContinuousGeometry& g = example.geometry;
    const Oracle weights = continuous_weights(g, example.theta, distances(g));
    const Grid<5> grid{{1, 1, 3, 1, 8}};
    for (const auto [k, j] : Grid<2>{{3, 6}}) {
      const double here = weights.value[grid.offset({0, 0, k, 0, j})];
      const double later = weights.value[grid.offset({0, 0, k, 0, j + 2})];
      EXPECT_EQ(here == later, repeats) << to_string(function) << " " << k << " " << j;
    }
  }
}

TEST(Section4, AtScaleOneAndOddSupportItIsTheSameConvolutionOfTheOneDnnGraph) {
  for (const Ties ties : kTies) {
    const Extent more = ties == Ties::kClosed ? 1 : 0;
    for (const auto [kh, kw] : Grid<2>{{3, 3}}) {
      const ContinuousExample example(
          {2, 3, 5, 4}, {.kernel = {2 * kh + 1, 2 * kw + 1}, .channels = 2, .ties = ties});
      const ContinuousGeometry& g = example.geometry;
      Values filter;  // without the places that only ties of a closed support fill
      const Values all = filter_of(example);
      const Grid<4> grid{{2, 3, g.vertical.K + more, g.horizontal.K + more}};
      for (const auto& index : Grid<4>{{2, 3, g.vertical.K, g.horizontal.K}}) {
        filter.push_back(all[grid.offset(index)]);
      }
      for (const std::string same : {"same_upper", "same_lower"}) {
        const std::string line = convolution_line(g, "auto_pad=" + same);
        EXPECT_EQ(example.output(), answer(line, example.src, filter).values) << line;
      }
    }
  }
}

// Odd and even supports, strides that divide the input and others: equal only if every output
// shares its weights, in falling order of distance, and the padding is floor((K - extra) / 2).
TEST(Section4, AtOneOverKItIsTheConvolutionOfStrideKOfTheOneDnnGraph) {
  int compared = 0;
  for (const auto [i, s, m] : Grid<3>{{8, 4, 5}}) {
    const Extent in = i + 1, k = s + 1, K = m + 1, extra = (in - 1) % k;
    const ContinuousExample example({1, 2, in, 3},
                                    {.scale_h = Rational(1, k), .kernel = {K, 1}, .channels = 2});
    const Extent out = example.geometry.vertical.out;
    const Extent before = Rational(K - extra, 2).floor();
    const Extent after = (out - 1) * k + K - in - before;
    if (before < 0 || after < 0) continue;  // cropped: no pads say that
    const std::string line = convolution_line(
        example.geometry, "strides=" + pair_of(k, 1) + " pads_begin=" + pair_of(before, 0) +
                              " pads_end=" + pair_of(after, 0));
    EXPECT_EQ(example.output(), answer(line, example.src, filter_of(example)).values) << line;
    ++compared;
  }
  EXPECT_GT(compared, 100);
}

// The numerator counts filters on one axis; appendix B counts 2 for both.
TEST(Section5, TwoThirdsInBothAxesIsFourConvolutionsOfStrideThreeInterleaved) {
  const ContinuousExample example({2, 2, 8, 5}, {.scale_h = {2, 3}, .scale_w = {2, 3}});
  const ContinuousGeometry& g = example.geometry;
  const auto rows = phases(g.vertical), columns = phases(g.horizontal);
  const Grid<4> dst{{2, 1, g.vertical.out, g.horizontal.out}};
  Values interleaved(example.output().size(), 0.0);
  for (const auto [p, q] : Grid<2>{{2, 2}}) {
    const Phase& row = rows[static_cast<std::size_t>(p)];
    const Phase& column = columns[static_cast<std::size_t>(q)];
    const std::string line =
        convolution_line(g, "strides=3,3 pads_begin=" + pair_of(row.pad_begin, column.pad_begin) +
                                " pads_end=" + pair_of(row.pad_end, column.pad_end));
    const Answer phase = answer(line, example.src, filter_of(example, p, q));
    ASSERT_EQ(phase.dims, (Extents{2, 1, row.count, column.count})) << line;
    std::size_t next = 0;
    for (const auto [b, i, j] : Grid<3>{{2, row.count, column.count}}) {
      interleaved[dst.offset({b, 0, p + 2 * i, q + 2 * j})] = phase.values[next++];
    }
  }
  EXPECT_EQ(interleaved, example.output());
}

// A row l further down is read k rows further down, away from the image's borders.
TEST(Section5, ShiftingTheInputByLShiftsTheOutputByK) {
  for (const KernelFunction function :
       {KernelFunction::kNet, KernelFunction::kNetK, KernelFunction::kKeys}) {
    const ContinuousExample example(
        {1, 1, 20, 15},
        {.scale_h = {2, 5}, .scale_w = {4, 3}, .kernel = {4, 3}, .function = function});
    const ContinuousGeometry& g = example.geometry;
    const Grid<2> src{{20, 15}}, dst{{g.vertical.out, g.horizontal.out}};
    Values shifted(example.src.size(), 0.0);
    for (const auto [y, x] : Grid<2>{{15, 12}}) {
      shifted[src.offset({y + 5, x + 3})] = example.src[src.offset({y, x})];
    }
    const Values before = example.output();
    const Values after = evaluate_continuous(g, shifted, example.theta).value;
    for (const auto [i, j] : Grid<2>{{g.vertical.out - 4, g.horizontal.out - 8}}) {
      if (i == 0 || j < 2) continue;  // they read what the shift brought in
      EXPECT_EQ(after[dst.offset({i + 2, j + 4})], before[dst.offset({i, j})]) << i << "," << j;
    }
  }
}

TEST(Section1, AConstantKernelGivesTheSumOfTheNeighbours) {
  for (const Ties ties : kTies) {
    ContinuousExample example(
        {1, 1, 5, 6}, {.scale_h = {3, 4}, .scale_w = {1, 2}, .kernel = {2, 3}, .ties = ties});
    const ContinuousGeometry& g = example.geometry;
    example.theta.assign(example.theta.size(), 0.0);
    example.theta.back() = 1;  // b3
    for (std::size_t n = 0; n < example.src.size(); ++n) example.src[n] = static_cast<double>(n);
    Values want;
    for (const auto [i, j] : Grid<2>{{g.vertical.out, g.horizontal.out}}) {
      double sum = 0;
      for (const auto [y, x] : Grid<2>{{5, 6}}) {
        const Rational dy = grid_point(g.vertical, i) - y, dx = grid_point(g.horizontal, j) - x;
        const auto inside = [&](const Rational& d, Extent K) {
          const Rational half(K, 2);
          if (d == half) return ties != Ties::kOpen;
          if (d == -half) return ties == Ties::kClosed;
          return d < half && d > -half;
        };
        if (inside(dy, 2) && inside(dx, 3)) sum += static_cast<double>(6 * y + x);
      }
      want.push_back(sum);
    }
    EXPECT_EQ(example.output(), want);
  }
}

TEST(KeysCubic, AConstantImageStaysConstantAtEveryScaleInsideRepeatingBoundaries) {
  for (const Boundary boundary : {Boundary::kReplicate, Boundary::kReflect, Boundary::kSymmetric}) {
    for (const auto [k, l] : Grid<2>{{7, 7}}) {
      const ContinuousExample example({1, 1, 5, 4}, {.scale_h = Rational(k + 1, l + 1),
                                                     .scale_w = Rational(l + 1, k + 2),
                                                     .kernel = {4, 4},
                                                     .function = KernelFunction::kKeys,
                                                     .boundary = boundary});
      for (const double value : evaluate_continuous(example.geometry, Values(20, 1.0), {}).value) {
        // 16 products of two cubics, each within a few roundings of magnitudes up to 20.
        EXPECT_NEAR(value, 1, 1e-13);
      }
    }
  }
}

TEST(KeysCubic, EqualChannelsAreCarriedOverAndOthersAreNotMixed) {
  const ContinuousExample example(
      {1, 2, 3, 3}, {.kernel = {4, 4}, .channels = 3, .function = KernelFunction::kKeys});
  Values want = example.src;
  want.resize(27, 0.0);
  EXPECT_EQ(example.output(), want) << "scale 1 interpolates, the third channel has no equal";
}

// A net that ignores its input gives every place its own constant: a discrete filter.
// The weights of an output's neighbours differ, so what meets the last layer is the product of a
// hidden value and a pixel, for each of C_in K pixels and w2 values, or the constant.
TEST(EfficientVariant, RoundsOnceForEachFeatureOfAnOutput) {
  ContinuousAttributes a;
  a.kernel = {5, 5};
  a.widths = {2, 16};
  const auto roundings = [&](KernelFunction function, Extent parameters) {
    a.function = function;
    const auto geometry = resolve_continuous({1, 4, 8, 8}, parameters, a);
    EXPECT_TRUE(geometry);
    return forward_roundings(*geometry);
  };
  EXPECT_GE(roundings(KernelFunction::kNetK, 1754), 4 * 25 * 17 + 2);
  EXPECT_LT(roundings(KernelFunction::kNet, 122), 4 * 25 * 17);
}

TEST(EfficientVariant, PredictsTheWeightsOfAllPlacesInTheOrderCoutCinK) {
  ContinuousExample example({1, 2, 3, 4},
                            {.kernel = {3, 3}, .channels = 2, .function = KernelFunction::kNetK});
  const Values filter = random_values(36, 5);
  std::fill(example.theta.begin(), example.theta.end() - 36, 0.0);
  std::copy(filter.begin(), filter.end(), example.theta.end() - 36);  // b3
  EXPECT_EQ(example.output(),
            answer(convolution_line(example.geometry, "auto_pad=same_upper"), example.src, filter)
                .values);
}

TEST(Refusals, LayersNameWhatIsWrong) {
  const auto fault = [](const Extents& src, Extent parameters, const ContinuousAttributes& a) {
    const auto resolved = resolve_continuous(src, parameters, a);
    EXPECT_FALSE(resolved);
    return resolved ? Fault::kSyntax : resolved.why().fault;
  };
  const Extents src{1, 1, 4, 4};
  EXPECT_EQ(fault({1, 4, 4}, 337, {}), Fault::kRank);
  EXPECT_EQ(fault({1, -1, 4, 4}, 337, {}), Fault::kSize);
  EXPECT_EQ(fault(src, 337, {.size = {4}}), Fault::kSize);
  EXPECT_EQ(fault(src, 337, {.size = {4, -1}}), Fault::kSize);
  EXPECT_EQ(fault(src, 337, {.channels = -1}), Fault::kSize);
  EXPECT_EQ(fault(src, 337, {.channels = Extent{1} << 62}), Fault::kSize);
  EXPECT_EQ(fault(src, 337, {.scale_w = 0}), Fault::kScale);
  EXPECT_EQ(fault(src, 337, {.kernel = {3}}), Fault::kKernel);
  EXPECT_EQ(fault(src, 337, {.kernel = {3, 0}}), Fault::kKernel);
  EXPECT_EQ(fault(src, 337, {.widths = {16}}), Fault::kWidths);
  EXPECT_EQ(fault(src, 337, {.widths = {16, 0}}), Fault::kWidths);
  EXPECT_EQ(fault(src, 336, {}), Fault::kTheta);
  EXPECT_EQ(fault(src, 1, {.function = KernelFunction::kKeys}), Fault::kTheta);
  EXPECT_EQ(fault({1, -1, 4, 4}, 0, {.kernel = {}}), Fault::kSize) << "the earlier fault";
}

TEST(EmptyTensors, GiveZerosOrNothing) {
  EXPECT_EQ(ContinuousExample({1, 0, 2, 2}, {}).output(), Values(4, 0.0));
  EXPECT_TRUE(ContinuousExample({0, 1, 2, 2}, {}).output().empty());
  EXPECT_TRUE(ContinuousExample({1, 1, 0, 2}, {}).output().empty());
  EXPECT_EQ(
      ContinuousExample({1, 1, 0, 2}, {.size = {2, 2}, .boundary = Boundary::kReflect}).output(),
      Values(4, 0.0));
}

}  // namespace
}  // namespace concord::reference
