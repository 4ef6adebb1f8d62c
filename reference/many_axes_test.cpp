// SPDX-License-Identifier: Apache-2.0
// More axes than most systems serve: Convolution-1 over four to six spatial ones, CNTK's over five
// to seven. The numbers are an independent program's, in integers: numpy slices for Convolution-1,
// the formula of docs/spec.md over lists for CNTK's.
#include <gtest/gtest.h>

#include <string>

#include "reference/reference.h"

namespace concord::reference {
namespace {

using Numbers = std::vector<double>;

// Element i of a tensor: ((a i^2 + 5 i) mod 9) - 4.
Numbers filled(const Extents& dims, Extent a) {
  Numbers values(static_cast<std::size_t>(element_count(dims).value()));
  Extent i = 0;
  for (double& value : values) {
    value = static_cast<double>((a * i * i + 5 * i) % 9 - 4);
    ++i;
  }
  return values;
}

struct Row {
  std::string problem;
  Extents dst;
  Numbers values;
};

void expect_values(const std::string& line, const Row& row) {
  const Problem problem = parse(line).value();
  const auto resolution = resolve(problem);
  ASSERT_TRUE(resolution) << line << ": " << resolution.why().detail;
  EXPECT_EQ(resolution->dst.dims, row.dst) << line;
  const Numbers src = filled(problem.src.dims, 7), weights = filled(problem.weights.dims, 4);
  EXPECT_EQ(evaluate(problem, *resolution, {src, weights, {}, {}}).value, row.values) << line;
}

const Row kConvolutions[] = {
    {"src=1x2x3x2x4x3 weights=2x2x2x2x3x2 strides=1,1,2,1 dilations=2,1,1,1 "
     "pads_begin=0,1,1,0 pads_end=1,0,1,1",
     {1, 2, 2, 2, 2, 3},
     {-30, 6,   -18, 5,   -42, -10, -51, -57, -42, -8,  -42, -20, 12,  -36, -12, -29,
      15,  -14, -3,  -57, -18, 23,  -3,  -10, -39, -36, -24, 5,   -51, -10, -78, -33,
      -54, -71, -69, -38, 12,  -39, -6,  7,   33,  4,   -48, -81, -24, -4,  -39, -10}},
    {"src=1x2x2x3x2x3x4 weights=2x1x2x2x1x2x3 strides=2,1,1,2,1 dilations=1,2,1,1,1 "
     "pads_begin=1,0,0,1,1 pads_end=1,1,0,0,0 groups=2",
     {1, 2, 2, 2, 2, 2, 3},
     {-6,  -12, 7,   -12, 2,   -11, -3,  -12, -32, -6,  -7, -8,  -18, -15, -16, -15,
      -8,  -13, -12, -6,  5,   -30, -8,  -25, 0,   -39, 4,  -30, -16, -53, -6,  6,
      10,  12,  11,  40,  -15, -6,  -22, -6,  1,   2,   0,  -15, 8,   -30, -8,  -19,
      0,   -39, 4,   -30, -16, -53, -6,  6,   10,  12,  11, 40,  -15, -6,  -22, -6,
      1,   2,   0,   -15, 8,   -30, -8,  -19, 24,  6,   10, -12, 2,   -14, -18, -39,
      -20, -15, -16, -47, -12, 12,  8,   -6,  1,   26,  12, 12,  20,  -12, 10,  -4}},
    {"src=1x1x3x2x2x3x2x3 weights=1x1x2x1x2x2x2x3 strides=2,1,1,1,1,1 "
     "dilations=1,1,1,2,1,1 pads_begin=1,0,0,0,1,0 pads_end=0,0,1,0,0,1",
     {1, 1, 2, 2, 2, 1, 2, 2},
     {-33, 6, -39, 39, 6,   6, -51, 3,  -33, 6, -39, 39, 6,   6, -51, 3,
      -84, 9, -78, 63, -33, 6, -39, 39, -84, 9, -78, 63, -33, 6, -39, 39}},
    {"src=1x1x4x2x5x3 weights=1x1x3x2x2x3 strides=2,1,3,2 dilations=1,1,2,1 "
     "auto_pad=same_lower reading=implemented",
     {1, 1, 2, 2, 2, 2},
     {-12, 6, -24, 30, 12, 12, -30, -3, 0, 18, -27, 9, -54, -18, -54, 18}},
    {"src=1x1x4x2x5x3 weights=1x1x3x2x2x3 strides=2,1,3,2 dilations=1,1,2,1 "
     "auto_pad=same_lower reading=documented",
     {1, 1, 2, 2, 2, 2},
     {-12, 6, -24, 30, 12, 12, -30, -3, 0, 18, -27, 9, -54, -18, -54, 18}},
};

TEST(ManyAxes, Convolution1HasTheValuesOfAnIndependentProgram) {
  for (const Row& row : kConvolutions) {
    expect_values("Convolution1 f32 " + row.problem + " data_format=NCX filter_format=OIX", row);
  }
}

const Row kCntk[] = {
    {"src=3x4x2x3x2x2 weights=2x24 kernel=2,3,1,2,2 mapCount=1,1,1,1,2 "
     "stride=1,2,2,2,2 sharing=true,true,true,true,true "
     "autoPadding=true,true,false,false,false lowerPad=0,0,0,0,0 upperPad=0,0,0,0,0",
     {3, 2, 1, 1, 2, 2},
     {-3, -63, -24, -31, -12, -10, -12, -66, -18, -31, -30, -10,
      -3, -63, -24, -31, -12, -10, -12, -66, -18, -31, -30, -10}},
    {"src=2x3x2x2x4x1 weights=8x16 kernel=2,2,1,2,2 mapCount=1,1,1,1,2 "
     "stride=1,1,2,1,2 sharing=true,false,true,true,false "
     "autoPadding=false,false,false,false,false lowerPad=0,0,0,0,0 "
     "upperPad=0,0,0,0,0",
     {1, 2, 1, 1, 4, 1},
     {9, 10, 12, -47, 14, -71, -51, 22}},
    {"src=3x2x2x4x2x2x1 weights=4x24 kernel=2,1,2,3,1,2 mapCount=1,2,1,1,1,2 "
     "stride=2,1,1,2,1,2 sharing=true,true,true,true,true,true "
     "autoPadding=false,false,false,false,false,false lowerPad=1,0,0,0,0,0 "
     "upperPad=0,0,0,1,0,0",
     {2, 4, 1, 2, 2, 2, 1},
     {1,  -30, 31,  -42, -17, -12, 40,  -51, -20, 9,  1,  -3,  -41, -12, -2, -6,
      31, -42, -56, 9,   40,  -51, -47, 0,   1,   -3, 13, -24, -2,  -6,  28, -9,
      -8, -30, -5,  -69, 1,   -30, 31,  -42, 1,   30, 4,  0,   -20, 9,   1,  -3,
      -5, -69, -11, 9,   31,  -42, -56, 9,   4,   0,  -2, -39, 1,   -3,  13, -24}},
    {"src=2x3x2x1x2x3x2x1 weights=4x32 kernel=2,2,1,1,2,2,2 mapCount=1,1,1,1,1,1,2 "
     "stride=1,2,1,1,2,1,2 sharing=true,true,true,true,true,false,true "
     "autoPadding=true,false,true,true,false,false,false lowerPad=0,0,0,0,0,0,0 "
     "upperPad=0,0,0,0,0,0,0",
     {2, 1, 2, 1, 1, 2, 2, 1},
     {14, 12, -4, -9, 3, -50, 3, 13, 11, 3, -85, 6, -7, 6, -34, 3}},
};

TEST(ManyAxes, CntkConvolutionHasTheValuesOfAnIndependentProgram) {
  for (const Row& row : kCntk) {
    for (const char* const reading : {"", " reading=documented"}) {
      expect_values("CntkConvolution f32 " + row.problem + reading, row);
    }
  }
}

// The outer product of one vector an axis.
Numbers outer_product(const std::vector<Numbers>& factors) {
  Numbers product{1};
  for (const Numbers& factor : factors) {
    Numbers longer;
    for (const double a : product) {
      for (const double b : factor) longer.push_back(a * b);
    }
    product = std::move(longer);
  }
  return product;
}

// One axis of a convolution of one channel.
struct Line {
  Numbers row, taps;
  Extent stride, dilation, begin, end;

  Extent input() const { return static_cast<Extent>(row.size()); }
  Extent kernel() const { return static_cast<Extent>(taps.size()); }
  Numbers convolved() const {
    Numbers result;
    for (Extent first = -begin; first + dilation * (kernel() - 1) < input() + end;
         first += stride) {
      double sum = 0;
      for (Extent k = 0; k < kernel(); ++k) {
        const Extent i = first + k * dilation;
        if (i < 0 || i >= input()) continue;
        sum += taps[static_cast<std::size_t>(k)] * row[static_cast<std::size_t>(i)];
      }
      result.push_back(sum);
    }
    return result;
  }
};

// What is a product of one factor an axis stays one: each factor is convolved along its own axis.
TEST(ManyAxes, AProductOfLinesIsConvolvedLineByLine) {
  const std::vector<Line> lines = {
      {{1, -2, 3}, {2, 1}, 2, 1, 1, 0},       {{2, 1}, {-1, 3}, 1, 1, 0, 1},
      {{-1, 4, 2, 3}, {1, 0, 2}, 1, 1, 2, 0}, {{5, -3}, {4}, 1, 3, 1, 1},
      {{1, 2, -1}, {1, -1}, 2, 2, 1, 2},      {{3, 2}, {2, -3}, 1, 1, 0, 1}};
  Problem problem;
  Convolution1Attributes a;
  a.data_format = DataFormat::kNCX;
  a.filter_format = WeightsFormat::kOIX;
  problem.src.dims = problem.weights.dims = {1, 1};
  std::vector<Numbers> rows, taps, convolved;
  for (const Line& line : lines) {
    problem.src.dims.push_back(line.input());
    problem.weights.dims.push_back(line.kernel());
    a.strides.push_back(line.stride);
    a.dilations.push_back(line.dilation);
    a.pads_begin.push_back(line.begin);
    a.pads_end.push_back(line.end);
    rows.push_back(line.row);
    taps.push_back(line.taps);
    convolved.push_back(line.convolved());
    problem.attributes = a;
    const auto resolution = resolve(problem);
    ASSERT_TRUE(resolution) << print(problem) << ": " << resolution.why().detail;
    const Numbers src = outer_product(rows), weights = outer_product(taps);
    EXPECT_EQ(evaluate(problem, *resolution, {src, weights, {}, {}}).value,
              outer_product(convolved))
        << print(problem);
  }
}

}  // namespace
}  // namespace concord::reference
