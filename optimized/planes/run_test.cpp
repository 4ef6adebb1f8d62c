// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <variant>

#include "optimized/planes/plan.h"
#include "optimized/runtime/kernel_table.h"
#include "optimized/testing/trial.h"

namespace concord::optimized {
namespace {

using testing::problem_of;
using testing::try_integers;

// Runs the problem in both types with the kernels of every instruction set, whether planes pay or
// not; notes the kernels of those that are planned as planes, and in which way. If there is nothing
// to note, one must be.
void expect_right(const std::string& line, int threads = 1, std::set<std::string>* ways = nullptr) {
  bool is_of_planes = ways != nullptr;
  for (const char* dtype : {"f32 ", "f64 "}) {
    const Problem problem = problem_of("Convolution " + std::string(dtype) + line +
                                       " data_format=NCX weights_format=OIX");
    for (const Isa isa : testing::supported_isas()) {
      const Options options{
          .threads = threads, .isa = isa, .choice = PlanChoice{PlanesNcx::kName, {}, 0}};
      const auto plan = make_plan(problem, options);
      ASSERT_TRUE(plan);
      const auto* planes = plan->as<PlanesNcx>();
      is_of_planes = is_of_planes || planes != nullptr;
      if (ways != nullptr && planes != nullptr) {
        ways->insert(plan->kernel() + (planes->is_flat     ? " flat"
                                       : planes->goes_down ? " down"
                                                           : ""));
      }
      ASSERT_EQ(try_integers(problem, options, 7), "") << dtype << line << " " << to_string(isa);
    }
  }
  EXPECT_TRUE(is_of_planes) << line;
}

// Every kernel that this processor runs must be among them, vectors of two by rows alone.
void expect_all_ways(const std::set<std::string>& ways) {
  for (const KernelRow& row : kernel_rows()) {
    if (!is_supported(row.needs)) continue;
    if (!std::holds_alternative<const PlaneFamily* (*)()>(row.family)) continue;
    EXPECT_EQ(ways.count(row.name), 1U) << row.name;
    EXPECT_EQ(ways.count(std::string(row.name) + " down"), 1U) << row.name;
    EXPECT_EQ(ways.count(std::string(row.name) + " flat"), row.facts.lanes == 2 ? 0U : 1U)
        << row.name;
  }
}

std::string text(int value) { return std::to_string(value); }

TEST(PlanesNcx, AreRightForEveryWidthAndNumberOfRows) {
  std::set<std::string> ways;
  for (int width = 1; width <= 36; ++width) {
    for (const int height : {1, 2, 5, 11, 12, 13, 25}) {
      for (const char* kernel : {"3x3 pads_begin=1,1 pads_end=1,1", "2x2", "3x3 strides=2,2"}) {
        const std::string window(kernel);
        if (window[0] == '2' && (width == 1 || height == 1)) continue;
        if (window.find("strides") != std::string::npos && (width < 3 || height < 3)) continue;
        expect_right(
            "src=2x2x" + text(height) + "x" + text(width) + " groups=2 weights=2x1x" + window, 1,
            &ways);
      }
    }
  }
  expect_all_ways(ways);
}

TEST(PlanesNcx, AreRightForEveryStrideDilationAndPadding) {
  for (const char* strides : {"1,1", "2,2", "3,1", "1,3", "4,5"}) {
    for (const char* dilations : {"1,1", "2,3", "3,2"}) {
      for (const char* pads : {"pads_begin=0,0 pads_end=0,0", "pads_begin=4,1 pads_end=0,6",
                               "pads_begin=0,5 pads_end=7,2", "pads_begin=40,50 pads_end=30,70"}) {
        expect_right("src=2x2x20x61 weights=2x1x4x3 groups=2 bias=2 strides=" +
                     std::string(strides) + " dilations=" + dilations + " " + pads);
      }
    }
  }
}

TEST(PlanesNcx, AreRightForEveryNumberOfChannelsInAGroup) {
  for (const int in : {1, 2, 3, 7, 8}) {
    for (int out = 1; out <= 16; ++out) {
      if (in <= 3) {
        expect_right("src=1x" + text(3 * in) + "x20x40 weights=" + text(3 * out) + "x" + text(in) +
                     "x3x2 groups=3 bias=" + text(3 * out));
      }
      expect_right("src=1x" + text(in) + "x20x40 weights=" + text(out) + "x" + text(in) +
                   "x3x2 bias=" + text(out));
    }
  }
  expect_right("src=2x1x9x40 weights=1x1x5x5 pads_begin=2,2 pads_end=2,2");
}

// Runs of every length, with rows that are every number of vectors at the end of a block.
TEST(PlanesNcx, AreRightForEveryColumnOfTaps) {
  for (int taps = 1; taps <= 12; ++taps) {
    for (const char* channels : {"2x1", "4x1", "6x1", "8x2"}) {
      const std::string groups = " groups=2 weights=" + std::string(channels) + "x" + text(taps);
      const std::string src = "src=1x" + std::string(channels[2] == '2' ? "4" : "2") + "x";
      expect_right(src + text(taps + 16) + "x35" + groups + "x2");
      expect_right(src + text(taps + 29) + "x19" + groups + "x1 strides=2,1 pads_begin=1,0");
      expect_right(src + text(2 * taps + 30) + "x19" + groups + "x1 strides=2,1 dilations=2,1");
      expect_right(src + text(3 * taps + 30) + "x19" + groups + "x1 strides=2,1 dilations=3,1");
    }
  }
}

TEST(PlanesNcx, AreRightForDepthOneAxisAndGaps) {
  expect_right("src=1x4x5x7x20 weights=4x1x3x3x3 groups=4 pads_begin=1,1,1 pads_end=2,1,1");
  expect_right("src=1x4x9x7x40 weights=8x2x2x1x3 groups=2 strides=3,2,2 dilations=4,1,1 bias=8");
  expect_right("src=2x3x100 weights=3x1x9 groups=3 pads_begin=4 pads_end=4");
  expect_right("src=2x3x6x20x18 weights=3x1x1x1x1 groups=3");
  expect_right("src=2x3x9x20:1000x300x24x1 weights=3x1x3x3 dst=2x3x7x18:2000x500x30x1 groups=3");
}

// Bands of rows and of columns, and of several threads.
TEST(PlanesNcx, AreRightForPlanesLargerThanACache) {
  for (const int threads : {1, 3}) {
    expect_right("src=1x2x200x230 weights=2x1x3x3 groups=2 pads_begin=1,1 pads_end=1,1", threads);
    expect_right("src=1x2x150x150 weights=2x1x3x3 groups=2 pads_begin=40,40 dilations=40,40",
                 threads);
    expect_right("src=1x2x200001 weights=2x1x7 groups=2 strides=2 pads_begin=3 pads_end=3",
                 threads);
    expect_right("src=7x9x14x14 weights=9x1x3x3 groups=9 pads_begin=1,1 pads_end=1,1", threads);
  }
}

// Outputs are copied to dst from its own place in a line on, of four channels, two and one.
TEST(PlanesNcx, AreRightWhereTheyComeFromMemoryAndGoThere) {
  const auto planned = [](const std::string& line) {
    const Problem problem =
        problem_of("Convolution f32 " + line + " data_format=NCX weights_format=OIX");
    return *make_plan(problem, {})->as<PlanesNcx>();
  };
  expect_right("src=1x2x901x907 weights=10x1x3x3 groups=2 pads_begin=1,1 pads_end=1,1", 3);
  expect_right("src=1x2x1500x1501 weights=2x1x3x3 groups=2 strides=2,2");
  for (const std::string line :
       {"src=1x1x901x907 weights=3x1x2x2 dst=1x3x900x906:2500000x815411x906x1 bias=3",
        "src=2x1x601x907 weights=3x1x2x2 bias=3", "src=1x1x3x601x907 weights=2x1x2x2x2",
        "src=16x600x230 weights=600x1x9 groups=600"}) {
    EXPECT_TRUE(planned(line).copies_dst) << line;
    expect_right(line);
  }
  const std::string depthwise = " weights=2x1x3x3 groups=2";
  EXPECT_TRUE(planned("src=1x2x1103x1101" + depthwise).copies_dst);
  EXPECT_TRUE(planned("src=1x2x1103x1101" + depthwise).reads_in_order);
  EXPECT_FALSE(planned("src=1x2x1001x1001" + depthwise).copies_dst) << "what is near";
  EXPECT_FALSE(
      planned("src=1x2x1103x1101 dst=1x2x1101x1099:9999999x2222222x1100x1" + depthwise).copies_dst)
      << "rows with gaps";
}

TEST(PlanesNcx, AreLeftToOthersForFewPixelsManyChannelsAndOtherLayoutsAndTypes) {
  for (const char* problem :
       {"f32 src=1x14x14x64 weights=64x1x3x3 groups=64 data_format=NXC",
        "f32 src=1x64x3x1 weights=64x1x3x1 groups=64 data_format=NCX",
        "f32 src=1x64x16x16 weights=64x32x3x3 groups=2 data_format=NCX",
        "f32 src=1x9x16x16 weights=4x9x3x3 data_format=NCX",
        "f32 src=1x64x16x16 weights=64x1x7x7 groups=64 data_format=NCX",
        "f32 src=1x4x1x16 weights=4x1x1x16 strides=1,1000000007 groups=4 data_format=NCX",
        "bf16 src=1x64x16x16 weights=64x1x3x3 groups=64 data_format=NCX"}) {
    const std::string line = "Convolution " + std::string(problem) + " weights_format=OIX";
    EXPECT_NE(make_plan(problem_of(line), {.isa = Isa::kGeneric})->name(), "planes_ncx") << line;
  }
}

}  // namespace
}  // namespace concord::optimized
