// SPDX-License-Identifier: Apache-2.0
// Output sizes and padding.
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "reference/worked_example.h"
#include "spec/grid.h"

namespace concord::reference {
namespace {

// A problem of one spatial axis.
struct Axis {
  Extent i, k, s = 1, d = 1;
  AutoPad auto_pad = AutoPad::kNone;
  Extent pads_begin = 0, pads_end = 0;
};

template <class A>
Result<Geometry> resolve_axis(const Axis& axis, Reading reading = Reading::kImplemented) {
  A a;
  a.strides = {axis.s};
  a.dilations = {axis.d};
  a.pads_begin = {axis.pads_begin};
  a.pads_end = {axis.pads_end};
  a.auto_pad = axis.auto_pad;
  Problem problem;
  problem.reading = reading;
  problem.src.dims = {1, axis.i, 1};
  problem.weights.dims = {axis.k, 1, 1};
  problem.attributes = a;
  return resolve_discrete(problem);
}

using Pads = std::pair<Extent, Extent>;

template <class A>
Pads pads_of(const Axis& axis, Reading reading = Reading::kImplemented) {
  const Geometry g = resolve_axis<A>(axis, reading).value();
  return {g.P_begin[kWidth], g.P_end[kWidth]};
}

struct Row {
  Extent i, k, s;
  Pads upper, lower, pre_stride_upper;
};
// Source: docs/spec.md#the-three-meanings-of-same
const Row kRows[] = {
    {4, 3, 2, {0, 1}, {1, 0}, {1, 1}}, {2, 2, 2, {0, 0}, {0, 0}, {0, 1}},
    {6, 3, 3, {0, 0}, {0, 0}, {1, 1}}, {6, 1, 3, {0, 0}, {0, 0}, {0, 0}},
    {5, 4, 1, {1, 2}, {2, 1}, {1, 2}}, {3, 2, 1, {0, 1}, {1, 0}, {0, 1}},
};

TEST(Same, PadsAsTheTableOfTheManualSays) {
  for (const auto& [i, k, s, upper, lower, pre_stride] : kRows) {
    const Axis at_upper{i, k, s, 1, AutoPad::kSameUpper}, at_lower{i, k, s, 1, AutoPad::kSameLower};
    EXPECT_EQ(pads_of<ConvolutionAttributes>(at_upper), upper);
    EXPECT_EQ(pads_of<ConvolutionAttributes>(at_lower), lower);
    EXPECT_EQ(pads_of<Convolution1Attributes>(at_upper), upper);
    EXPECT_EQ(pads_of<Convolution1Attributes>(at_lower), lower);
    EXPECT_EQ(pads_of<Convolution1Attributes>(at_upper, Reading::kDocumented), pre_stride);
    EXPECT_EQ(pads_of<ConvolutionAttributes>(at_upper, Reading::kDocumented), pre_stride);
  }
}

// Calls `visit` for every i, k, s, d of some size.
template <class Visit>
void for_small_axes(Visit visit) {
  for (const auto [i, k, s, d] : Grid<4>{{24, 7, 5, 4}}) visit(i, k + 1, s + 1, d + 1);
}

TEST(Same, HasTheLeastPaddingThatGivesCeilOutputs) {
  for_small_axes([](Extent i, Extent k, Extent s, Extent d) {
    const Extent outputs = (i + s - 1) / s;
    const auto [begin, end] = pads_of<ConvolutionAttributes>({i, k, s, d, AutoPad::kSameUpper});
    const auto outputs_under = [&](Extent padding) {
      Extent count = 0;  // windows that fit, one by one
      while (count * s + d * (k - 1) < i + padding) ++count;
      return count;
    };
    EXPECT_EQ(outputs_under(begin + end), outputs) << i << " " << k << " " << s << " " << d;
    if (i > 0 && begin + end > 0) {
      EXPECT_LT(outputs_under(begin + end - 1), outputs) << i << " " << k << " " << s << " " << d;
    }
  });
}

TEST(Same, PutsTheOddElementAtTheEndOrAtTheBeginning) {
  for_small_axes([](Extent i, Extent k, Extent s, Extent d) {
    for (const Reading reading : {Reading::kDocumented, Reading::kImplemented}) {
      const auto [begin, end] =
          pads_of<Convolution1Attributes>({i, k, s, d, AutoPad::kSameUpper}, reading);
      EXPECT_TRUE(end == begin || end == begin + 1);
      EXPECT_EQ(pads_of<Convolution1Attributes>({i, k, s, d, AutoPad::kSameLower}, reading),
                (Pads{end, begin}));
    }
  });
}

TEST(Same, IsTheSameInBothConvolutionsInEachReading) {
  for_small_axes([](Extent i, Extent k, Extent s, Extent d) {
    const Axis axis{i, k, s, d, AutoPad::kSameUpper};
    for (const Reading reading : {Reading::kDocumented, Reading::kImplemented}) {
      EXPECT_EQ(pads_of<Convolution1Attributes>(axis, reading),
                pads_of<ConvolutionAttributes>(axis, reading));
    }
  });
}

TEST(Same, HasTheSameOutputSizeInBothReadingsButNotTheSameWindows) {
  int different = 0;
  for_small_axes([&](Extent i, Extent k, Extent s, Extent d) {
    const Axis axis{i, k, s, d, AutoPad::kSameUpper};
    const Geometry documented =
        resolve_axis<Convolution1Attributes>(axis, Reading::kDocumented).value();
    const Geometry implemented = resolve_axis<Convolution1Attributes>(axis).value();
    EXPECT_EQ(documented.O, implemented.O);
    EXPECT_EQ(documented.P_begin[kWidth] + documented.P_end[kWidth], d * (k - 1));
    if (s == 1 && i > 0) {
      EXPECT_EQ(documented.P_begin, implemented.P_begin);
    }
    if (documented.P_begin != implemented.P_begin) ++different;
  });
  EXPECT_GT(different, 500);
}

// Counted independently, in exact rationals: i < 40, k < 8, s < 6, d < 4.
TEST(Same, DiffersBetweenTheReadingsOn1890Of4095Axes) {
  int axes = 0, different = 0;
  for (const auto [i, k, s, d] : Grid<4>{{39, 7, 5, 3}}) {
    const Axis axis{i + 1, k + 1, s + 1, d + 1, AutoPad::kSameUpper};
    const auto documented = pads_of<Convolution1Attributes>(axis, Reading::kDocumented);
    if (pads_of<Convolution1Attributes>(axis) != documented) ++different;
    ++axes;
  }
  EXPECT_EQ(axes, 4095);
  EXPECT_EQ(different, 1890);
}

// Worked by hand: 1 2 3 4 under 1 10 100 at stride 2. As documented the windows start at -1 and 1,
// as implemented at 0 and 2.
TEST(Same, GivesOtherValuesInTheOtherReading) {
  const std::string line =
      "Convolution1 f32 src=1x4x1 weights=3x1x1 strides=2 auto_pad=same_upper reading=";
  EXPECT_EQ(answer(line + "documented", {1, 2, 3, 4}, {1, 10, 100}).values, (Values{210, 432}));
  EXPECT_EQ(answer(line + "implemented", {1, 2, 3, 4}, {1, 10, 100}).values, (Values{321, 43}));
  const std::string graph =
      "Convolution f32 src=1x4x1 weights=3x1x1 strides=2 auto_pad=same_upper reading=";
  EXPECT_EQ(answer(graph + "documented", {1, 2, 3, 4}, {1, 10, 100}).values, (Values{210, 432}));
  EXPECT_EQ(answer(graph + "implemented", {1, 2, 3, 4}, {1, 10, 100}).values, (Values{321, 43}));
}

TEST(Valid, IgnoresThePads) {
  EXPECT_EQ(pads_of<ConvolutionAttributes>({9, 3, 1, 1, AutoPad::kValid, 5, 6}), (Pads{0, 0}));
  EXPECT_EQ(pads_of<Convolution1Attributes>({9, 3, 1, 1, AutoPad::kValid, 5, 6}), (Pads{0, 0}));
}

// The size counted window by window where the formula is not negative; -1 where it is.
Extent windows(const Axis& a) {
  const Extent padded = a.i + a.pads_begin + a.pads_end, last = a.d * (a.k - 1);
  Extent count = 0;
  while (count * a.s + last < padded) ++count;
  // floor((padded - last - 1) / s) + 1 is 0 down to padded - last - 1 == -s.
  return count > 0 || padded - last - 1 >= -a.s ? count : -1;
}

TEST(OutputSize, CountsTheWindowsThatFitAndRefusesANegativeNumber) {
  int empty = 0, refused = 0;
  for (const auto [i, k, s, d, p] : Grid<5>{{8, 5, 4, 3, 3}}) {
    const Axis axis{i, k + 1, s + 1, d + 1, AutoPad::kNone, p, p / 2};
    for (const auto& geometry :
         {resolve_axis<ConvolutionAttributes>(axis), resolve_axis<Convolution1Attributes>(axis),
          resolve_axis<Convolution1Attributes>(axis, Reading::kDocumented)}) {
      const Extent want = windows(axis);
      ASSERT_EQ(static_cast<bool>(geometry), want >= 0) << i << " " << k << " " << s << " " << d;
      if (geometry) {
        EXPECT_EQ(geometry->O[kWidth], want);
        EXPECT_EQ(geometry->dst.dims, (Extents{1, want, 1}));
      } else {
        EXPECT_EQ(geometry.why().fault, Fault::kKernel);
        ++refused;
      }
      if (want == 0) ++empty;
    }
  }
  EXPECT_GT(empty, 100);
  EXPECT_GT(refused, 100);
}

// Truncating division would infer one output from each of these.
TEST(OutputSize, IsTheFloorNotTheTruncatedQuotient) {
  EXPECT_EQ(resolve_axis<ConvolutionAttributes>({2, 3, 2})->O[kWidth], 0);
  EXPECT_EQ(resolve_axis<ConvolutionAttributes>({1, 3, 3})->O[kWidth], 0);
  EXPECT_EQ(resolve_axis<ConvolutionAttributes>({1, 2, 4})->O[kWidth], 0);
  EXPECT_EQ(resolve_axis<ConvolutionAttributes>({2, 3, 1})->O[kWidth], 0);
}

TEST(Atrous, ValidTakesRateTimesTheFilterFromEachAxisByItself) {
  for (const auto [h, w, kh, kw, r] : Grid<5>{{9, 7, 4, 3, 3}}) {
    Problem problem;
    problem.src.dims = {2, h, w, 3};
    problem.weights.dims = {kh + 1, kw + 1, 3, 5};
    problem.attributes = AtrousConv2dAttributes{r + 1, TfPadding::kValid};
    const Extent out_h = h - kh * (r + 1), out_w = w - kw * (r + 1);
    const auto geometry = resolve_discrete(problem);
    ASSERT_EQ(static_cast<bool>(geometry), out_h >= 0 && out_w >= 0) << print(problem);
    if (geometry) {
      EXPECT_EQ(geometry->dst.dims, (Extents{2, out_h, out_w, 5}));
    } else {
      EXPECT_EQ(geometry.why().fault, Fault::kKernel);
    }
  }
}

TEST(Atrous, SamePadsAsConvolutionDoesAtStrideOne) {
  for (const auto [i, k, r] : Grid<3>{{9, 6, 4}}) {
    Problem problem;
    problem.src.dims = {1, i, 9, 1};
    problem.weights.dims = {k + 1, 1, 1, 1};
    problem.attributes = AtrousConv2dAttributes{r + 1, TfPadding::kSame};
    const Geometry g = resolve_discrete(problem).value();
    EXPECT_EQ(innermost<3>(g.O), (std::array<Extent, 3>{1, i, 9}));
    EXPECT_EQ((Pads{g.P_begin[kHeight], g.P_end[kHeight]}),
              (Pads{k * (r + 1) / 2, k * (r + 1) - k * (r + 1) / 2}));
    if (i > 0) {
      EXPECT_EQ((Pads{g.P_begin[kHeight], g.P_end[kHeight]}),
                pads_of<ConvolutionAttributes>({i, k + 1, 1, r + 1, AutoPad::kSameUpper}));
    }
  }
}

// Worked by hand: a filter of two rows, 1 over 2, on 1 .. 12. As printed, rows are kept and two
// columns go; the last row's windows find zeros below value.
TEST(Atrous, ValidAsDocumentedExchangesTheSidesAndReadsZerosBeyondValue) {
  auto problem =
      parse("AtrousConv2d f32 src=1x3x4x1 weights=2x1x1x1 padding=VALID reading=documented")
          .value();
  const std::vector<double> value{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, filters{1, 2};
  const Geometry printed = resolve_discrete(problem).value();
  EXPECT_EQ(printed.dst.dims, (Extents{1, 3, 2, 1}));
  EXPECT_EQ(evaluate_discrete(problem, printed, value, filters, {}).value,
            (std::vector<double>{11, 14, 23, 26, 9, 10}));
  problem.reading = Reading::kImplemented;
  EXPECT_EQ(resolve_discrete(problem)->dst.dims, (Extents{1, 2, 4, 1}));
}

// Worked by hand: 1 2 3 4 5 under 1 10 100 at rate 2. As printed the windows of the formula begin
// at the output's own pixel: 1 + 30 + 500, 2 + 40, 3 + 50, 4, 5. The system centres them.
TEST(Atrous, SameAsPrintedBeginsAtThePixelItself) {
  const std::string line =
      "AtrousConv2d f32 src=1x1x5x1 weights=1x3x1x1 rate=2 padding=SAME reading=";
  EXPECT_EQ(answer(line + "documented", {1, 2, 3, 4, 5}, {1, 10, 100}).values,
            (Values{531, 42, 53, 4, 5}));
  EXPECT_EQ(answer(line + "implemented", {1, 2, 3, 4, 5}, {1, 10, 100}).values,
            (Values{310, 420, 531, 42, 53}));
}

// The printed shape is right for rate 2 and square filters, and only there.
TEST(Atrous, ValidAsDocumentedIsRightForRateTwoAndSquareFilters) {
  for (const auto [kh, kw, r] : Grid<3>{{3, 3, 4}}) {
    Problem problem;
    problem.src.dims = {1, 20, 20, 1};
    problem.weights.dims = {kh + 1, kw + 1, 1, 1};
    problem.attributes = AtrousConv2dAttributes{r + 1, TfPadding::kValid};
    const Geometry implemented = resolve_discrete(problem).value();
    problem.reading = Reading::kDocumented;
    const Geometry printed = resolve_discrete(problem).value();
    EXPECT_EQ(printed.O == implemented.O, (r + 1 == 2 && kh == kw) || (kh == 0 && kw == 0))
        << kh + 1 << "x" << kw + 1 << " at rate " << r + 1;
  }
}

TEST(Dst, KeepsTheStridesThatWereAskedFor) {
  const auto problem =
      parse("Convolution f32 src=1x5x5x2 weights=3x3x2x4 dst=1x3x3x4:100x30x10x2").value();
  EXPECT_EQ(resolve_discrete(problem)->dst, (Tensor{{1, 3, 3, 4}, {100, 30, 10, 2}}));
}

}  // namespace
}  // namespace concord::reference
