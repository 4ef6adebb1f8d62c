// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "optimized/amx/plan.h"
#include "optimized/testing/trial.h"

namespace concord::optimized {
namespace {

using testing::problem_of;
using testing::Side;
using testing::Trial;

// What is wrong at any instruction set that this processor runs, AMX among them where it has it.
std::string wrong_anywhere(const std::string& line, Side side = Side::kAfter, int threads = 1) {
  Trial trial(problem_of("Convolution bf16 " + line + " data_format=NXC weights_format=XIO"));
  for (const Isa isa : testing::supported_isas()) {
    std::string wrong = trial.run({.threads = threads, .isa = isa}, side);
    if (!wrong.empty()) return line + ", " + std::string(to_string(isa)) + ": " + wrong;
  }
  return {};
}

std::string text(int value) { return std::to_string(value); }

// Pairs of tiles one after the other, an odd one at the end, of one panel and of several.
TEST(Amx, IsRightForEveryNumberOfPixelsAndPanels) {
  for (const int channels : {2, 32, 58, 256}) {
    for (const int filters : {5, 16, 17, 32, 33, 64, 80}) {
      for (const int pixels : {1, 15, 16, 17, 33, 48, 64, 65, 200, 1100}) {
        const std::string c = text(channels), f = text(filters);
        ASSERT_EQ(wrong_anywhere("src=1x" + text(pixels) + "x" + c + " weights=1x" + c + "x" + f +
                                     " bias=" + f,
                                 pixels % 2 == 0 ? Side::kBefore : Side::kAfter),
                  "");
      }
    }
  }
}

// The kernel stores a block while it computes the next one, which may have nothing to compute.
TEST(Amx, StoresEveryBlockWhereWindowsSeeNothingButPadding) {
  for (const char* line : {
           "src=1x28x28x64 weights=1x1x64x16 strides=2,2 pads_begin=1,1",
           "src=1x6x40x4 weights=1x1x4x40 bias=40 pads_begin=2,3 pads_end=2,40",
           "src=1x1x13x4x2 weights=1x1x5x2x8 strides=2,1,2 pads_begin=2,2,2 pads_end=1,1,1",
           "src=1x2x9x6 weights=2x2x6x20 bias=20 pads_begin=5,1 pads_end=4,0",
       }) {
    for (const int threads : {1, 2}) EXPECT_EQ(wrong_anywhere(line, Side::kAfter, threads), "");
  }
}

TEST(Amx, IsRightWhereWindowsAreJoinedToOneRow) {
  for (const char* line : {
           "src=2x17x17x32 weights=7x1x32x40 bias=40 pads_begin=3,0 pads_end=3,0",
           "src=1x9x5x6 weights=3x1x6x33 pads_begin=2,0 pads_end=5,0 dilations=2,1",
           "src=1x9x40x2 weights=4x1x2x16 pads_begin=1,0",
           "src=1x30x2x10 weights=5x1x10x8 bias=8 pads_begin=2,0 pads_end=2,0",
           "src=1x7x5x6x8 weights=3x1x1x8x24 pads_begin=1,0,0 pads_end=1,0,0",
           "src=1x9x16x8 weights=3x1x4x24 pads_begin=1,0 pads_end=1,0 groups=2",
           "src=2x5x6x4:600x80x10x1 weights=3x1x4x8 pads_begin=1,0 pads_end=1,0",
           "src=1x9x7x6 weights=3x1x6x8 strides=2,1 pads_begin=1,0",
           "src=1x9x7x6 weights=3x1x6x8 strides=1,2 pads_begin=1,0",
           "src=1x9x7x6 weights=3x1x6x8 pads_begin=1,1 pads_end=1,1",
       }) {
    for (const int threads : {1, 2}) EXPECT_EQ(wrong_anywhere(line, Side::kAfter, threads), "");
  }
  const auto view_of = [](const std::string& line) {
    return make_plan(problem_of("Convolution bf16 " + line + " data_format=NXC weights_format=XIO"),
                     {.isa = Isa::kAmx})
        ->as<AmxPlan>()
        ->view;
  };
  if (!is_supported(Isa::kAmx)) return;
  const Shape view = view_of("src=1x17x17x32 weights=7x1x32x40 pads_begin=3,0 pads_end=3,0");
  EXPECT_EQ(view.O, (Spatial{1, 1, 17 * 17}));
  EXPECT_EQ(view.D[2], 17);
  EXPECT_EQ(view_of("src=1x17x17x58 weights=7x1x58x40").O, (Spatial{1, 11, 17}))
      << "copied, since no even chunk of more than 2 divides 58";
  EXPECT_EQ(view_of("src=1x2000x4x32 weights=1001x1x32x1 pads_begin=500,0").K[1], 1001)
      << "each zone would list its taps";
}

// Numbers near 2^63 are compared as doubles.
TEST(Amx, PlansShapesWhoseReachIsBeyondAnyMemory) {
  for (const char* line : {
           "src=1x1x32 weights=1x32x64 strides=9007199254740990 pads_begin=9007199254740990",
           "src=1x1x32 weights=1x32x16 strides=18014398509481984 pads_begin=18014398509481984",
           "src=1x2x4096x2 weights=64x1x2x1 pads_end=4611686018427387,0 "
           "dilations=73201365371863,1",
       }) {
    EXPECT_EQ(wrong_anywhere(line), "");
  }
}

}  // namespace
}  // namespace concord::optimized
