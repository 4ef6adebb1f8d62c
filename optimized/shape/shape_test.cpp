// SPDX-License-Identifier: Apache-2.0
#include "optimized/shape/shape.h"

#include <gtest/gtest.h>

#include "optimized/testing/trial.h"

namespace concord::optimized {
namespace {

using testing::problem_of;

Problem row(Extent I, Extent K, Extent S, AutoPad auto_pad) {
  Problem problem =
      problem_of("Convolution1 f32 src=1x1x1 weights=1x1x1 data_format=NCX filter_format=OIX");
  problem.src.dims[2] = I;
  problem.weights.dims[2] = K;
  auto& attributes = std::get<Convolution1Attributes>(problem.attributes);
  attributes.strides = {S};
  attributes.auto_pad = auto_pad;
  return problem;
}

struct SameRow {
  Extent I, K, S;
  Extent upper, lower, documented_upper;  // padding at the beginning
};

// Worked by hand from the two formulas; S > 1 separates them.
constexpr SameRow kSameRows[] = {
    {4, 3, 2, 0, 1, 1}, {2, 2, 2, 0, 0, 0}, {6, 3, 3, 0, 0, 1},
    {6, 1, 3, 0, 0, 0}, {5, 4, 1, 1, 2, 1}, {3, 2, 1, 0, 1, 0},
};

TEST(Shape, SameSplitsItsPaddingAsEachReadingSays) {
  for (const SameRow& r : kSameRows) {
    Problem problem = row(r.I, r.K, r.S, AutoPad::kSameUpper);
    EXPECT_EQ(infer_shape(problem)->P[2], r.upper) << r.I << " " << r.K << " " << r.S;
    EXPECT_EQ(infer_shape(problem)->O[2], (r.I + r.S - 1) / r.S);
    problem.reading = Reading::kDocumented;
    EXPECT_EQ(infer_shape(problem)->P[2], r.documented_upper) << r.I << " " << r.K << " " << r.S;
    EXPECT_EQ(infer_shape(problem)->O[2], (r.I + r.S - 1) / r.S);
    EXPECT_EQ(infer_shape(row(r.I, r.K, r.S, AutoPad::kSameLower))->P[2], r.lower);
  }
}

TEST(Shape, FloorsTheOutputSize) {
  // 2 elements under 3 taps: one short at any stride gives an empty output, two short gives none.
  EXPECT_EQ(infer_shape(row(2, 3, 1, AutoPad::kValid))->O[2], 0);
  EXPECT_EQ(infer_shape(row(2, 3, 2, AutoPad::kValid))->O[2], 0);
  EXPECT_EQ(infer_shape(row(1, 3, 2, AutoPad::kValid))->O[2], 0);
  const auto refused = infer_shape(row(1, 3, 1, AutoPad::kValid));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.why().fault, Fault::kKernel);
}

TEST(Shape, CountsProductsOfAllWindows) {
  const auto products = [](const char* line) { return infer_shape(problem_of(line))->products(); };
  // 2 images of 5 x 3 outputs of 6 channels, from 3x2 taps of the 2 channels of a group.
  EXPECT_EQ(products("Convolution f32 src=2x7x4x6 weights=3x2x2x6 groups=3 data_format=NXC "
                     "weights_format=XIO"),
            2.0 * 5 * 3 * 6 * 3 * 2 * 2);
  // The first two of four axes: 3 outputs of 2 taps, 1 of 3.
  EXPECT_EQ(products("Convolution1 f32 src=1x1x4x3x2x2 weights=1x1x2x3x1x1 data_format=NCX "
                     "filter_format=OIX"),
            3.0 * 2 * 3 * 2 * 2);
}

TEST(Shape, ExplicitPadsAreIgnoredUnderAutoPad) {
  const auto shape = infer_shape(
      problem_of("Convolution f32 src=1x224x224x3 weights=3x3x3x8 strides=2,2 pads_begin=1,1 "
                 "pads_end=2,2 auto_pad=valid data_format=NXC weights_format=XIO"));
  ASSERT_TRUE(shape);
  EXPECT_EQ(shape->dst_tensor.dims, (Extents{1, 111, 111, 8}));
}

struct Hostile {
  const char* line;
  Fault fault;
};

constexpr Hostile kHostile[] = {
    {"Convolution f32 src=1x1 weights=1x1", Fault::kRank},
    {"Convolution f32 src=1x1x3 weights=1x1x3x3", Fault::kRank},
    {"AtrousConv2d f32 src=1x5x3 weights=3x3x3 padding=VALID", Fault::kRank},
    {"Convolution f32 src=1x-1x3 weights=1x1x3", Fault::kSize},
    {"Convolution f32 src=4294967296x4294967296x3 weights=1x3x1 strides=0", Fault::kSize},
    {"Convolution f32 src=2x4x3:1x3x1 weights=1x3x1", Fault::kLayout},
    {"Convolution f32 src=1x4x3 weights=1x3x1 strides=0", Fault::kStrides},
    {"Convolution f32 src=1x4x3 weights=1x3x1 strides=1,1 dilations=0", Fault::kStrides},
    {"Convolution f32 src=1x4x3 weights=1x3x1 dilations=-1", Fault::kDilations},
    {"AtrousConv2d f32 src=1x5x5x3 weights=3x3x3x1 rate=0 padding=VALID", Fault::kDilations},
    {"AtrousConv2d f32 src=1x5x5x3 weights=1x1x3x1 rate=2147483648 padding=SAME",
     Fault::kDilations},
    {"AtrousConv2d f32 src=1x5x5x3 weights=3x3x3x1 padding=valid", Fault::kPadding},
    {"Convolution f32 src=1x4x3 weights=1x3x1 pads_end=-1", Fault::kPads},
    {"Convolution f32 src=1x4x3 weights=1x3x1 groups=0", Fault::kGroups},
    {"Convolution f32 src=1x4x7 weights=1x3x1 groups=2", Fault::kChannels},
    {"Convolution f32 src=1x4x6 weights=1x3x1 groups=2", Fault::kChannels},
    {"Convolution f32 src=1x4x6 weights=1x3x2 bias=3 groups=3", Fault::kChannels},
    {"Convolution f32 src=1x4x3 weights=0x3x1", Fault::kKernel},
    {"Convolution f32 src=1x4x3 weights=9x3x1", Fault::kKernel},
    {"Convolution f32 src=1x4x3 weights=1x3x2 bias=3", Fault::kBias},
    {"Convolution f32 src=1x4x3 weights=1x3x2 bias=1x2", Fault::kBias},
    {"AtrousConv2d f32 src=1x5x5x3 weights=3x3x3x1 bias=1 padding=VALID", Fault::kBias},
    {"Convolution f32 src=1x4x3 weights=1x3x2 dst=1x3x2", Fault::kDst},
    {"Convolution f32 src=1x4x3 weights=2x3x2 dilations=9223372036854775807", Fault::kSize},
    {"Convolution f32 src=1x4x3 weights=1x3x2 pads_begin=9223372036854775807", Fault::kSize},
    {"Convolution f32 src=1x4x3 weights=1x3x2 pads_begin=4611686018427387904 "
     "pads_end=4611686018427387904",
     Fault::kSize},
};

TEST(Shape, RefusesWithTheFaultThatComesFirst) {
  for (const auto& [line, fault] : kHostile) {
    std::string text = line;
    if (text.front() == 'C') text += " data_format=NXC weights_format=XIO";
    const auto problem = parse(text);
    ASSERT_TRUE(problem) << text << ": " << problem.why().detail;
    const auto shape = infer_shape(*problem);
    ASSERT_FALSE(shape) << text;
    EXPECT_EQ(shape.why().fault, fault) << text << ": " << shape.why().detail;
    EXPECT_FALSE(shape.why().detail.empty());
  }
}

TEST(Shape, RefusesStridesThatAreNotOneForEachDimension) {
  Problem problem = row(4, 3, 1, AutoPad::kNone);
  problem.src.strides = {4, 1};
  const auto shape = infer_shape(problem);
  ASSERT_FALSE(shape);
  EXPECT_EQ(shape.why().fault, Fault::kLayout);
}

TEST(Shape, RefusesAPaddingThatIsNoEnumerator) {
  const auto shape = infer_shape(row(4, 3, 1, static_cast<AutoPad>(7)));
  ASSERT_FALSE(shape);
  EXPECT_EQ(shape.why().fault, Fault::kPadding);
}

TEST(Shape, AcceptsAttributesAtTheEdgeOf64Bits) {
  // Seven outputs, 2^60 apart, of which one sees the input.
  const auto shape = infer_shape(
      problem_of("Convolution f32 src=1x1x1 weights=1x1x1 strides=1152921504606846976 "
                 "pads_begin=4611686018427387904 pads_end=2305843009213693952 data_format=NXC "
                 "weights_format=XIO"));
  ASSERT_TRUE(shape) << shape.why().detail;
  EXPECT_EQ(shape->O[2], 7);
}

}  // namespace
}  // namespace concord::optimized
