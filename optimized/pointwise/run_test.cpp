// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "optimized/pointwise/plan.h"
#include "optimized/testing/trial.h"

namespace concord::optimized {
namespace {

using testing::problem_of;
using testing::run_dense;
using testing::try_integers;

// Runs the problem with the kernels of every instruction set; all must be planned as pointwise NCX.
void expect_right(const std::string& line, int threads) {
  const Problem problem = problem_of(line);
  for (const Isa isa : testing::supported_isas()) {
    const Options options{
        .threads = threads, .isa = isa, .choice = PlanChoice{PointwiseNcx::kName, {}, 0}};
    const auto plan = make_plan(problem, options);
    ASSERT_TRUE(plan);
    ASSERT_EQ(plan->name(), "pointwise_ncx") << line;
    for (const auto side : {testing::Side::kBefore, testing::Side::kAfter}) {
      ASSERT_EQ(try_integers(problem, options, 7, side), "") << line << " " << to_string(isa);
    }
  }
}

TEST(PointwiseNcx, AreRightAroundEveryVectorAndPanelWidth) {
  for (const int width : {16, 31, 47, 48, 62, 63, 64, 79, 80, 125, 128, 143, 208}) {
    for (const int oc : {1, 2, 5, 6, 7, 13, 14, 15, 28, 29}) {
      expect_right("Convolution f32 src=2x3x" + std::to_string(width) +
                       " weights=" + std::to_string(oc) + "x3x1 data_format=NCX weights_format=OIX",
                   1);
    }
  }
}

TEST(PointwiseNcx, AreRightForStridesGroupsBiasAndGaps) {
  for (const char* line :
       {"Convolution f32 src=1x6x16x31 weights=10x6x1x1 strides=1,2 bias=10 data_format=NCX "
        "weights_format=OIX",
        "Convolution f32 src=2x6x31x32 weights=10x6x1x1 strides=2,2 data_format=NCX "
        "weights_format=OIX",
        "Convolution f32 src=1x4x3x7x33 weights=9x4x1x1x1 strides=2,3,1 data_format=NCX "
        "weights_format=OIX",
        "Convolution f32 src=2x18x8x16 weights=10x9x1x1 groups=2 bias=10 data_format=NCX "
        "weights_format=OIX",
        "Convolution f32 src=1x5x8x16 weights=1x1x5x30 data_format=NCX weights_format=XIO bias=30",
        "Convolution f32 src=1x127x8x8 weights=20x127x1x1 data_format=NCX weights_format=OIX "
        "bias=20",
        "Convolution f32 src=1x128x8x8 weights=20x128x1x1 data_format=NCX weights_format=OIX",
        // Rows of weights that lie apart, as they come and turned.
        "Convolution f32 src=2x1024x7x7 weights=20x1024x1x1 strides=2,2 data_format=NCX "
        "weights_format=OIX",
        "Convolution f32 src=1x2046x4x4 weights=1x1x1023x30 groups=2 bias=30 data_format=NCX "
        "weights_format=XIO",
        "Convolution f64 src=1x512x2x4 weights=1x1x512x15 data_format=NCX weights_format=XIO"}) {
    expect_right(line, 1);
    expect_right(line, 3);
  }
}

TEST(PointwiseNcx, TakeABiasAsItIs) {
  const Problem problem = problem_of(
      "Convolution f32 src=1x1x16 weights=3x1x1 bias=3 data_format=NCX weights_format=OIX");
  ASSERT_EQ(make_plan(problem)->name(), "pointwise_ncx");
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> src(16, -0.0);
  const auto dst = run_dense(problem, {}, src, {1, 1, 1}, {-0.0, infinity, 0x1p-149});
  EXPECT_TRUE(std::signbit(dst[0]));
  EXPECT_EQ(dst[0], 0);
  EXPECT_EQ(dst[16], infinity);
  EXPECT_EQ(dst[32], 0x1p-149);
}

TEST(PointwiseNcx, AreLeftToTilesForOtherKernelsLayoutsAndTypesAndLargePanels) {
  for (const char* problem : {"f32 src=1x14x14x64 weights=64x64x1x1 data_format=NXC",
                              "f32 src=1x64x16x16 weights=64x64x3x3 data_format=NCX",
                              "f32 src=1x64x16x16 weights=64x64x1x1 pads_begin=1,1 data_format=NCX",
                              "f32 src=1x1025x16x16 weights=64x1025x1x1 data_format=NCX",
                              "f32 src=1x64x1x5 weights=64x64x1x1 data_format=NCX",
                              "bf16 src=1x64x16x16 weights=64x64x1x1 data_format=NCX"}) {
    const std::string line = "Convolution " + std::string(problem) + " weights_format=OIX";
    EXPECT_EQ(make_plan(problem_of(line), {.isa = Isa::kGeneric})->name(), "tiles") << line;
  }
}

}  // namespace
}  // namespace concord::optimized
