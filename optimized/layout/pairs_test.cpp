// SPDX-License-Identifier: Apache-2.0
#include "optimized/layout/pairs.h"

#include <gtest/gtest.h>

#include <string>

#include "optimized/testing/trial.h"

namespace concord::optimized {
namespace {

using testing::problem_of;
using testing::wrong_anywhere;

Shape shape_of(const std::string& line) {
  return infer_shape(problem_of("Convolution bf16 " + line)).value();
}

Extent channels_of(const std::string& line) {
  Shape shape = shape_of(line);
  fold_odd_taps(&shape);
  return shape.IC;
}

TEST(FoldOddTaps, MakesTapsChannelsThatArePairsThen) {
  Shape shape = shape_of("src=1x8x16x3 weights=4x4x3x16 strides=4,4");
  fold_odd_taps(&shape);
  EXPECT_EQ(shape.IC, 12);
  EXPECT_EQ(shape.K[1], 4);
  EXPECT_EQ(shape.K[2], 1);
  EXPECT_EQ(shape.S[2], 1);
  EXPECT_EQ(shape.I[2], 4);
  EXPECT_EQ(shape.src.spatial[2], 12);
  EXPECT_EQ(shape.weights.channel, 16);
  EXPECT_TRUE(has_pairs_in_place(shape));
}

TEST(FoldOddTaps, LeavesWhatGainsNothingOrIsNotTogether) {
  EXPECT_EQ(channels_of("src=1x8x16x3 weights=4x4x3x16 strides=4,2"), 12)
      << "in place, overlapping";
  EXPECT_EQ(channels_of("src=1x9x17x3 weights=4x4x3x16 strides=4,4"), 12) << "to be copied, once";
  EXPECT_EQ(channels_of("src=1x16x1 weights=2x1x8 strides=2"), 2) << "one channel";
  EXPECT_EQ(channels_of("src=1x161x1 weights=40x1x64 strides=16"), 40) << "an odd image alone";
  for (const char* line :
       {"src=1x9x17x3 weights=4x4x3x16 strides=4,3", "src=1x8x16x3 weights=4x3x3x16 strides=4,3",
        "src=1x8x16x4 weights=4x4x4x16 strides=4,4",
        "src=1x8x16x3 weights=4x4x3x16 strides=4,4 pads_begin=0,1",
        "src=1x8x15x3 weights=4x4x3x16 strides=4,4 pads_end=0,1",
        "src=1x8x16x3 weights=4x4x3x16 strides=4,4 dilations=1,2",
        "src=1x8x16x3:800x100x5x1 weights=4x4x3x16 strides=4,4",
        "src=1x8x16x3 weights=16x3x4x4 strides=4,4 weights_format=OIX",
        "src=1x3x8x16 weights=16x3x4x4 strides=4,4 data_format=NCX weights_format=OIX",
        "src=1x8x16x6 weights=4x4x3x16 strides=4,4 groups=2"}) {
    const Shape before = shape_of(line);
    EXPECT_EQ(channels_of(line), before.IC) << line;
  }
}

TEST(FoldOddTaps, ChangesNoValue) {
  for (const char* line :
       {"src=2x8x16x3 weights=4x4x3x16 bias=16 strides=4,4",
        "src=1x9x17x3 weights=4x4x3x16 strides=4,4",
        "src=1x8x16x3 weights=3x2x3x20 strides=1,2 pads_begin=1,0 pads_end=1,0",
        "src=2x40x3:200x5x1 weights=6x3x24 strides=6", "src=2x40x1 weights=8x1x33 strides=4",
        "src=1x8x16x3:1000x100x3x1 weights=4x4x3x16 strides=3,5",
        "src=1x2x8x5 weights=2x8x5x7 strides=1,9", "src=1x161x1 weights=40x1x64 strides=16"}) {
    EXPECT_EQ(wrong_anywhere(problem_of(std::string("Convolution bf16 ") + line)), "") << line;
  }
  // More than three axes are computed by loops.
  EXPECT_EQ(wrong_anywhere(problem_of(
                "Convolution1 bf16 src=2x3x3x8x16x3 weights=2x2x4x4x3x8 strides=1,1,4,2")),
            "");
}

TEST(CopyPairs, OfOneChannel) {
  for (const char* line : {"src=2x5x9x1 weights=3x3x1x20 pads_begin=1,1 pads_end=1,1",
                           "src=1x4x9x1:160x40x3x1 weights=3x3x1x16 pads_begin=1,1 pads_end=1,1",
                           "src=1x3x40x40x1 weights=3x1x1x1x32 pads_begin=1,0,0 pads_end=1,0,0",
                           "src=2x1x40x1 weights=1x5x1x8 strides=1,2 pads_begin=0,2 pads_end=0,2",
                           "src=1x1x70 weights=9x1x3 pads_begin=4 pads_end=4 data_format=NCX"}) {
    EXPECT_EQ(wrong_anywhere(problem_of(std::string("Convolution bf16 ") + line)), "") << line;
  }
}

}  // namespace
}  // namespace concord::optimized
