// SPDX-License-Identifier: Apache-2.0
// Groups: depthwise, narrow, as wide as a vector, of any width.
#include <gtest/gtest.h>

#include <initializer_list>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "optimized/testing/trial.h"

namespace concord::optimized {
namespace {

using testing::problem_of;
using testing::Side;
using testing::supported_isas;
using testing::wrong_anywhere;

TEST(Engine, IsRightForDepthwiseAndNarrowGroups) {
  for (const char* dtype : {"f32", "f16", "bf16", "f64"}) {
    for (const char* format : {"NXC", "NCX"}) {
      for (const int width : {1, 2, 4, 8, 16}) {
        const int channels = 6 * width;
        const std::string c = std::to_string(channels);
        const std::string src = std::string(format) == "NXC" ? "2x9x10x" + c : "2x" + c + "x9x10";
        const std::string line =
            "Convolution " + std::string(dtype) + " src=" + src + " weights=" + c + "x" +
            std::to_string(width) + "x3x3 bias=" + c +
            " groups=6 pads_begin=1,1 pads_end=1,1 weights_format=OIX data_format=" + format;
        ASSERT_EQ(wrong_anywhere(problem_of(line), 2), "");
      }
    }
  }
}

// Sizes of src before its channels, and attributes.
using Images = std::initializer_list<std::pair<const char*, const char*>>;

Problem depthwise(const std::string& dtype, const std::string& image, int channels,
                  const std::string& rest) {
  const std::string c = std::to_string(channels);
  return problem_of("Convolution " + dtype + " src=" + image + "x" + c + " weights=3x3x1x" + c +
                    " groups=" + c + " " + rest + " data_format=NXC weights_format=XIO");
}

TEST(Engine, IsRightInPatchesOfDepthwiseOutputs) {
  // Around the patches of 4, 6 and 7 outputs and those of 1, 2 and 3 rows; padding on any side and
  // none, patches that see padding and that see none in a row, and rows of nothing but padding.
  for (const auto& [image, rest] : Images{{"1x2x4", "pads_begin=1,1 pads_end=1,1"},
                                          {"2x3x5", "pads_begin=1,1 pads_end=1,1"},
                                          {"1x4x8", "pads_begin=1,1 pads_end=1,1"},
                                          {"1x9x9", "pads_begin=0,1 pads_end=1,0"},
                                          {"1x7x15", "pads_begin=1,0 pads_end=0,1"},
                                          {"1x6x16", ""},
                                          {"1x5x6", "pads_begin=4,1 pads_end=3,1"},
                                          {"1x3x7", "pads_begin=1,1 pads_end=1,1"},
                                          {"1x4x12", "pads_begin=1,1 pads_end=1,1"},
                                          {"1x3x13", "pads_begin=1,1 pads_end=1,1"},
                                          {"1x5x12", "strides=2,2 pads_begin=1,1 pads_end=1,1"},
                                          {"1x6x21", "strides=2,2 pads_begin=0,0 pads_end=1,1"},
                                          {"1x9x22", "pads_begin=1,1 pads_end=1,1"},
                                          {"1x17x44", "strides=2,2 pads_begin=1,1 pads_end=1,1"},
                                          {"1x7x8", "strides=2,2 pads_begin=1,1 pads_end=1,1"},
                                          {"2x4x14", "strides=2,2 pads_end=1,1"},
                                          {"1x9x15", "strides=2,2 pads_begin=1,1 pads_end=1,1"},
                                          {"1x5x33", "strides=2,2"},
                                          {"1x11x17", "strides=2,2 pads_begin=3,1 pads_end=4,0"}}) {
    for (const int channels : {16, 4, 33}) {
      for (const char* dtype : {"f32", "f16", "bf16", "f64"}) {
        const Problem problem = depthwise(dtype, image, channels, rest);
        ASSERT_TRUE(make_plan(problem)->as<Grouping>()->by_patches) << image;
        ASSERT_EQ(wrong_anywhere(problem, 2), "");
        ASSERT_EQ(wrong_anywhere(problem, 1, Side::kBefore), "");
      }
    }
  }
  const Problem deep = problem_of(
      "Convolution f32 src=1x3x9x14x20 weights=1x3x3x1x20 groups=20 pads_begin=1,1,1 "
      "pads_end=1,1,1 data_format=NXC weights_format=XIO");
  // At the first and the last depth the one depth tap meets padding.
  ASSERT_TRUE(make_plan(deep)->as<Grouping>()->by_patches);
  ASSERT_EQ(wrong_anywhere(deep, 2), "");
}

TEST(Engine, IsRightForDepthwiseOutputsThatPatchesDoNotSuit) {
  for (const auto& [image, rest] : Images{{"1x4x2", "pads_begin=1,1 pads_end=1,1"},
                                          {"1x1x3", "pads_begin=1,1 pads_end=1,0"},
                                          {"1x5x4", "pads_begin=1,2 pads_end=1,1"},
                                          {"1x5x7", "pads_begin=1,0 pads_end=1,3"},
                                          {"1x9x9", "strides=1,2 pads_begin=1,1 pads_end=1,1"},
                                          {"1x9x16", "strides=3,3"},
                                          {"1x9x9", "dilations=2,1 pads_begin=1,1 pads_end=1,1"}}) {
    const Problem problem = depthwise("f32", image, 20, rest);
    ASSERT_FALSE(make_plan(problem)->as<Grouping>()->by_patches) << image;
    ASSERT_EQ(wrong_anywhere(problem, 2), "");
    ASSERT_EQ(wrong_anywhere(problem, 1, Side::kBefore), "");
  }
}

// `sizes` are those of the image and of the kernel: "7x9 5x5". Pixels of a two-dimensional src are
// `apart` elements from each other; 0: dense.
std::string line(const std::string& dtype, const std::string& sizes, int channels,
                 const std::string& rest, int apart = 0) {
  const std::string c = std::to_string(channels);
  const std::string image = sizes.substr(0, sizes.find(' '));
  const int width = std::stoi(image.substr(image.find('x') + 1));
  const std::string strides =
      ":0x" + std::to_string(width * apart) + "x" + std::to_string(apart) + "x1";
  return "Convolution " + dtype + " src=1x" + image + "x" + c + (apart == 0 ? "" : strides) +
         " weights=" + sizes.substr(sizes.find(' ') + 1) + "x1x" + c + " groups=" + c +
         " bias=" + c + " " + rest + " data_format=NXC weights_format=XIO";
}

// Around the 14, 7 and 8 outputs of a tile, the 7 and 5 taps added at once and the 4 rows of a
// call; whole and partial vectors, one, two and three of them.
TEST(Engine, IsRightInBandsOfDepthwiseOutputs) {
  for (const auto& [sizes, rest] :
       Images{{"7x7 5x5", "pads_begin=2,2 pads_end=2,2"},
              {"9x14 7x7", "pads_begin=3,3 pads_end=3,3"},
              {"5x15 9x9", "pads_begin=4,4 pads_end=4,4"},
              {"6x29 1x13", "pads_begin=0,6 pads_end=0,6"},
              {"8x9 13x1", "pads_begin=6,0 pads_end=6,0"},
              {"4x3 31x31", "pads_begin=15,15 pads_end=15,15"},
              {"7x7 7x7", ""},
              {"9x13 2x4", "pads_begin=1,30 pads_end=9,25"},
              {"9x30 5x5", "strides=2,2 pads_begin=2,2 pads_end=1,2"},
              {"12x17 7x8", "strides=3,2 pads_begin=3,4 pads_end=2,3"},
              {"11x3 3x6", "strides=1,2 pads_begin=1,9 pads_end=0,8"},
              {"9x17 3x3", "dilations=2,3 pads_begin=2,3 pads_end=2,3"},
              {"5x6 3x5", "dilations=7,9 pads_begin=7,20 pads_end=7,17"},
              {"20x9 3x3", "strides=2,1 dilations=3,1 pads_begin=4,1"},
              {"33x5 18x3", "dilations=2,1 pads_begin=17,1 pads_end=17,1"},
              {"3x6x16 3x3x3", "pads_begin=1,1,1 pads_end=1,1,1"},
              {"3x6x9 2x5x5", "pads_begin=2,2,2 pads_end=0,2,1"}}) {
    for (const int channels : {16, 7, 33, 50}) {
      for (const char* dtype : {"f32", "f16", "bf16"}) {
        const Problem problem = problem_of(line(dtype, sizes, channels, rest));
        ASSERT_TRUE(make_plan(problem)->as<Grouping>()->by_bands) << sizes;
        ASSERT_EQ(wrong_anywhere(problem, 2), "");
      }
    }
  }
  // Strides of 3 and more, stride with dilation, and a window that reaches too far.
  for (const auto& [sizes, rest] : Images{{"9x16 5x5", "strides=3,3"},
                                          {"9x16 5x5", "strides=2,2 dilations=2,2"},
                                          {"1x600001 1x2", "dilations=1,600000"}}) {
    const Problem problem = problem_of(line("f32", sizes, 3, rest));
    ASSERT_FALSE(make_plan(problem)->as<Grouping>()->by_bands) << sizes;
    ASSERT_EQ(wrong_anywhere(problem), "");
  }
}

// Bands of three rows and two kernel rows of so many taps, with either stride.
std::vector<std::string> banded(const std::string& dtype, int width, int taps, int padding,
                                int channels, int apart = 0) {
  const std::string p = std::to_string(padding);
  const std::string sizes = "3x" + std::to_string(width) + " 2x" + std::to_string(taps);
  std::vector<std::string> lines;
  if (width + 2 * padding < taps) return lines;
  for (const char* stride : {"1", "2"}) {
    const std::string rest =
        "strides=1," + std::string(stride) + " pads_begin=1," + p + " pads_end=0," + p;
    lines.push_back(line(dtype, sizes, channels, rest, apart));
  }
  return lines;
}

// Every width of a tile with the kernel rows that have functions of their own, where padding
// reaches as far as they test, less far and farther; whole and partial vectors.
TEST(Engine, IsRightInBandsOfFewTaps) {
  for (const int taps : {3, 5, 7}) {
    for (const int padding : {0, taps / 2, taps / 2 + 1, taps - 1}) {
      for (int width = 1; width <= 17; ++width) {
        for (const std::string& given : banded("f32", width, taps, padding, 20)) {
          ASSERT_EQ(wrong_anywhere(problem_of(given)), "") << given;
        }
      }
    }
  }
}

// The same where pixels lie in one place of the first-level cache, and kernels read lines: from one
// tap to more than are added at once, with four, two, one and a part of a vector left over.
TEST(Engine, IsRightInBandsOfLines) {
  for (const int taps : {1, 2, 3, 4, 5, 6, 7, 9, 13}) {
    for (const int padding : {0, taps / 2, taps}) {
      for (int width = 1; width <= 15; ++width) {
        for (const char* dtype : {"f32", "f64"}) {
          for (const std::string& given : banded(dtype, width, taps, padding, 63, 1024)) {
            ASSERT_EQ(wrong_anywhere(problem_of(given)), "") << given;
          }
        }
      }
    }
  }
  // More rows than a call lists at once, in tiles that both ends of the image are in.
  const Problem tall =
      problem_of(line("f32", "40x2 19x9", 63, "pads_begin=9,4 pads_end=9,4", 1024));
  ASSERT_EQ(wrong_anywhere(tall, 2), "");
}

// Pixels that lie in one or in two places of the first-level cache: around the 4 and 7 outputs of a
// tile, with four, two, one and a part of a vector left over, and windows of all chunks of taps.
TEST(Engine, IsRightWherePixelsPushOneAnotherOutOfTheCache) {
  for (const auto& [sizes, rest] :
       Images{{"5x4 3x3", "strides=2,2 pads_begin=1,1 pads_end=1,1"},
              {"5x9 3x3", "strides=2,2 pads_begin=1,1 pads_end=0,1"},
              {"3x14 2x2", "strides=2,2"},
              {"3x4 3x3", "pads_begin=1,1 pads_end=1,1"},
              {"3x9 5x5", "pads_begin=2,2 pads_end=2,2"},
              {"4x7 7x7", "strides=2,2 pads_begin=3,3 pads_end=3,3"},
              {"2x5 1x9", "pads_begin=0,4 pads_end=0,2"},
              {"3x17 4x6", "pads_begin=2,3 pads_end=1,2"},
              {"3x4 3x3", "dilations=1,2 pads_begin=1,2 pads_end=1,2"}}) {
    for (const int channels : {64, 100, 121}) {
      for (const auto& [dtype, apart] :
           {std::pair{"f32", 512}, {"f32", 1024}, {"f64", 512}, {"f16", 1024}}) {
        const Problem problem = problem_of(line(dtype, sizes, channels, rest, apart));
        ASSERT_NE(make_plan(problem)->as<Grouping>(), nullptr) << sizes;
        ASSERT_EQ(wrong_anywhere(problem, 2), "") << print(problem);
        ASSERT_EQ(wrong_anywhere(problem, 1, Side::kBefore), "") << print(problem);
      }
    }
  }
}

// Several chunks of several images, the last chunk not full; rows of src and of dst that do not
// follow one another; planes of depth; other dtypes; and what is too large for a core's own cache.
TEST(Engine, IsRightWhereTasksStageChunksOfImages) {
  for (const std::string line :
       {"f32 src=2x53x9x11 weights=53x1x7x7 pads_begin=3,3 pads_end=3,3 groups=53",
        "bf16 src=3x40x12x14 weights=40x4x3x5 pads_begin=1,2 pads_end=1,2 groups=10 bias=40",
        "f32 src=2x30x9x8:9000x200x20x1 weights=30x1x9x9 pads_begin=4,4 pads_end=4,4 groups=30",
        "f64 src=2x21x4x8x7 weights=21x1x3x7x5 pads_begin=1,3,2 pads_end=1,3,2 groups=21",
        "f16 src=2x37x9x13 weights=37x1x3x3 strides=2,2 pads_begin=1,1 groups=37",
        "f32 src=1x240x7x9 weights=240x1x7x5 pads_begin=3,2 pads_end=3,2 groups=240",
        "f64 src=1x240x3x65 weights=240x1x5x2 pads_begin=2,1 dilations=1,64 pads_end=2,0 "
        "groups=240",
        "f32 src=1x16x1000000000000x0 weights=16x1x1x1 strides=1000000000000,1 pads_begin=0,1 "
        "groups=16",
        "bf16 src=2x36x9x13 weights=36x1x7x7 pads_begin=3,3 pads_end=3,3 groups=36"}) {
    const Problem problem =
        problem_of("Convolution " + line + " data_format=NCX weights_format=OIX");
    testing::Trial trial(problem);
    for (const int threads : {1, 3}) {
      for (const Isa isa : supported_isas()) {
        const Options options{
            .threads = threads, .isa = isa, .choice = PlanChoice{Grouping::kName, {}, 0}};
        const auto plan = make_plan(problem, options);
        ASSERT_NE(plan->as<Grouping>(), nullptr) << line;
        EXPECT_TRUE(plan->as<Grouping>()->stages_by_task) << line << " " << to_string(isa);
        EXPECT_FALSE(plan->as<Grouping>()->reads_ahead) << line << " " << to_string(isa);
        ASSERT_EQ(trial.run(options), "") << line << " " << to_string(isa);
      }
    }
  }
  const auto large =
      make_plan(problem_of("Convolution f32 src=1x16x900x900 weights=16x1x9x9 "
                           "groups=16 data_format=NCX weights_format=OIX"));
  ASSERT_NE(large->as<Grouping>(), nullptr);
  EXPECT_FALSE(large->as<Grouping>()->stages_by_task);
}

// Tensors of 16 MB and more: dense ones, whose last chunk has few channels, planes of depth, and
// images and rows that other memory lies between.
TEST(Engine, IsRightWhereTasksReadAheadWhatTheyTranspose) {
  for (const std::string line :
       {"f32 src=41x501x10x10 weights=501x1x3x3 pads_begin=1,1 pads_end=1,1 groups=501",
        "f32 src=30x130x3x19x20 weights=130x1x3x3x3 pads_begin=1,1,1 pads_end=1,1,1 "
        "strides=1,2,2 groups=130",
        "f16 src=90x501x10x10 weights=501x1x3x3 pads_begin=1,1 pads_end=1,1 groups=501",
        "f32 src=41x501x10x10:70000x120x10x1 weights=501x1x3x3 pads_begin=1,1 pads_end=1,1 "
        "groups=501",
        "f32 src=41x501x10x10:60000x100x10x1 weights=501x1x3x3 strides=1,2 pads_begin=1,1 "
        "pads_end=1,1 dst=41x501x10x5:50000x51x5x1 groups=501"}) {
    const Problem problem =
        problem_of("Convolution " + line + " data_format=NCX weights_format=OIX");
    for (const int threads : {1, 3}) {
      const auto plan = make_plan(problem, {.threads = threads});
      ASSERT_NE(plan->as<Grouping>(), nullptr) << line;
      EXPECT_TRUE(plan->as<Grouping>()->reads_ahead) << line;
      ASSERT_EQ(wrong_anywhere(problem, threads), "") << line;
    }
  }
}

// Kernels read a copy, those that read whole lines if they have five rows of taps: of
// several pieces of the channels, a part of a vector last, of rows between padding, of all depth
// taps; not of what a task has staged.
TEST(Engine, IsRightWhereCallsCopyWhatTheyRead) {
  const auto line = [](const std::string& rest, int channels) {
    const std::string c = std::to_string(channels);
    return "Convolution " + rest + " weights_format=XIO groups=" + c;
  };
  for (const std::string& given :
       {line("f32 src=2x9x9x1024 weights=3x3x1x1024 bias=1024 strides=2,1 pads_begin=1,1 "
             "pads_end=1,1 data_format=NXC",
             1024),
        line("f32 src=2x70x9x512 weights=3x3x1x512 pads_begin=1,1 pads_end=1,1 data_format=NXC",
             512),  // more rows than the workspace has room for
        line("f32 src=1x9x9x1000:82944x9216x1024x1 weights=3x3x1x1000 pads_begin=1,1 pads_end=1,1 "
             "data_format=NXC",
             1000),
        line("f32 src=1x19x9x512 weights=5x7x1x512 pads_begin=3,2 pads_end=1,4 data_format=NXC",
             512),
        line("f32 src=1x14x9x512 weights=3x5x1x512 dilations=4,1 pads_begin=5,2 pads_end=4,2 "
             "data_format=NXC",
             512),
        line("f32 src=1x3x7x7x512 weights=2x3x3x1x512 strides=2,1,1 pads_begin=1,1,1 "
             "pads_end=1,1,1 data_format=NXC",
             512),
        line("f16 src=1x9x9x1024 weights=3x3x1x1024 pads_begin=1,1 pads_end=1,1 data_format=NXC",
             1024),
        line("bf16 src=1x9x9x1024 weights=7x7x1x1024 pads_begin=3,3 pads_end=3,3 data_format=NXC",
             1024),
        line("f32 src=2x9x9x1000:82944x9216x1024x1 weights=5x3x1x1000 bias=1000 strides=2,1 "
             "pads_begin=3,1 pads_end=2,2 data_format=NXC",
             1000),
        line("f32 src=1x9x9x1024 weights=5x5x1x1024 strides=2305843009213693952,1 "
             "pads_end=2305843009213693952,0 data_format=NXC",
             1024),
        line("f64 src=1x9x9x256 weights=3x3x1x256 pads_begin=1,1 pads_end=1,1 data_format=NXC",
             256)}) {
    const Problem problem = problem_of(given);
    for (const Isa isa : supported_isas()) {
      const auto plan = make_plan(problem, {.isa = isa});
      const auto* grouping = plan->as<Grouping>();
      ASSERT_NE(grouping, nullptr) << given;
      const GroupedFamily& family = *grouping->family;
      const Extent read = family.vectors_together * family.lanes * grouping->element_bytes();
      const bool crowds = (read < plan->target->line_bytes || grouping->view.K[1] >= 5) &&
                          !grouping->stages_by_task;
      EXPECT_EQ(grouping->spread_pixel > 0, crowds) << given << " " << to_string(isa);
    }
    ASSERT_EQ(wrong_anywhere(problem, 2), "") << given;
    ASSERT_EQ(wrong_anywhere(problem, 1, Side::kBefore), "") << given;
  }
}

// Where vectors are parts of a line, four are read together; of 127 and a rest, the last by two and
// one.
TEST(Engine, IsRightWherePartsOfLinesAreReadTogether) {
  const auto line = [](const std::string& rest, int channels) {
    const std::string c = std::to_string(channels);
    return "Convolution " + rest + " strides=2,2 weights_format=XIO data_format=NXC groups=" + c;
  };
  for (const std::string& given :
       {line("f32 src=2x9x15x512 weights=3x3x1x512 bias=512 pads_begin=1,1 pads_end=1,1", 512),
        line("f32 src=1x8x20x1018:163840x20480x1024x1 weights=3x3x1x1018 pads_begin=2,0 "
             "pads_end=1,2",
             1018),
        line("f32 src=1x14x12x1024 weights=3x2x1x1024 pads_begin=0,1 pads_end=1,0", 1024),
        line("f64 src=1x9x9x512 weights=3x3x1x512 pads_begin=1,1 pads_end=1,1", 512)}) {
    const Problem problem = problem_of(given);
    for (const Isa isa : supported_isas()) {
      const auto plan = make_plan(problem, {.isa = isa});
      const auto* grouping = plan->as<Grouping>();
      ASSERT_NE(grouping, nullptr) << given;
      const GroupedFamily& family = *grouping->family;
      const Extent bytes = family.lanes * grouping->element_bytes();
      if (family.vectors_together * bytes == plan->target->line_bytes) continue;
      EXPECT_EQ(grouping->vectors_at_once, 4) << given << " " << to_string(isa);
      EXPECT_EQ(grouping->rows_per_call, 1) << given << " " << to_string(isa);
      EXPECT_EQ(grouping->spread_pixel, 0) << given << " " << to_string(isa);
    }
    ASSERT_EQ(wrong_anywhere(problem, 2), "") << given;
    ASSERT_EQ(wrong_anywhere(problem, 1, Side::kBefore), "") << given;
  }
}

TEST(Engine, IsRightForGroupsAsWideAsAVector) {
  for (const char* sizes : {"src=1x5x6x24", "src=2x3x7x24", "src=1x4x14x24", "src=1x3x15x24"}) {
    for (const char* rest : {"pads_begin=1,1 pads_end=1,1 bias=24",
                             "pads_begin=2,0 pads_end=1,2 strides=1,2", "dilations=1,2"}) {
      const Problem problem =
          problem_of("Convolution f64 " + std::string(sizes) + " weights=3x3x8x24 groups=3 " +
                     rest + " data_format=NXC weights_format=XIO");
      ASSERT_EQ(wrong_anywhere(problem, 2), "");
    }
  }
  // Around the tiles of 14 and of 7 outputs.
  for (const char* sizes : {"src=1x5x6x48", "src=2x3x7x48", "src=1x4x13x48", "src=1x4x14x48",
                            "src=1x3x15x48", "src=1x3x27x48", "src=1x2x29x48", "src=1x1x1x48"}) {
    for (const char* rest :
         {"pads_begin=1,1 pads_end=1,1", "pads_begin=1,1 pads_end=1,1 strides=2,2",
          "pads_begin=1,2 pads_end=2,3 bias=48", "pads_begin=2,0 pads_end=1,2 strides=1,2",
          "pads_begin=2,2 pads_end=2,2 dilations=1,2"}) {
      const Problem problem =
          problem_of("Convolution f32 " + std::string(sizes) + " weights=3x3x16x48 groups=3 " +
                     rest + " data_format=NXC weights_format=XIO");
      ASSERT_EQ(wrong_anywhere(problem, 2), "");
      ASSERT_EQ(wrong_anywhere(problem, 1, Side::kBefore), "");
    }
  }
}

TEST(Engine, ReadsAndWritesNarrowGroupsOfHalvesInPlace) {
  for (const char* dtype : {"f16", "bf16"}) {
    for (const int channels : {2, 7, 8, 9, 16, 17, 31, 40}) {
      for (const int width : {1, 2, 4}) {
        const std::string c = std::to_string(channels * width);
        const std::string line = "Convolution " + std::string(dtype) + " src=2x4x9x" + c +
                                 " weights=3x3x" + std::to_string(width) + "x" + c + " bias=" + c +
                                 " groups=" + std::to_string(channels) +
                                 " pads_begin=1,1 pads_end=1,1 data_format=NXC weights_format=XIO";
        ASSERT_EQ(wrong_anywhere(problem_of(line)), "");
        for (const Isa isa : supported_isas()) {
          const auto plan = make_plan(problem_of(line), {.isa = isa});
          const auto* grouping = plan->as<Grouping>();
          if (grouping == nullptr) continue;
          const bool widens = grouping->family->element == kSingle;
          EXPECT_EQ(grouping->stages_src, widens) << line << to_string(isa);
          EXPECT_EQ(grouping->stages_dst, widens) << line << to_string(isa);
        }
      }
    }
  }
}

TEST(Engine, IsRightForGroupsOfAnyWidthInBf16) {
  for (const int width : {3, 5, 16, 20, 33}) {
    const std::string in = std::to_string(width);
    for (const char* format : {"NXC", "NCX"}) {
      const std::string c = std::to_string(3 * width);
      const std::string src = std::string(format) == "NXC" ? "2x7x21x" + c : "2x" + c + "x7x21";
      ASSERT_EQ(wrong_anywhere(problem_of("Convolution bf16 src=" + src + " weights=" + c + "x" +
                                          in + "x3x3 bias=" + c +
                                          " groups=3 pads_begin=1,1 pads_end=1,1 data_format=" +
                                          format + " weights_format=OIX"),
                               2),
                "");
    }
  }
}

TEST(Engine, GivesTheBiasToGroupsThatSeeOnlyPadding) {
  for (const char* sizes : {"src=1x5x0x16 weights=3x3x1x16 bias=16 groups=16",
                            "src=1x0x6x8 weights=3x3x1x8 bias=8 groups=8",
                            "src=1x5x0x48 weights=3x3x16x48 bias=48 groups=3"}) {
    const Problem problem =
        problem_of("Convolution f32 " + std::string(sizes) +
                   " pads_begin=2,2 pads_end=2,2 data_format=NXC weights_format=XIO");
    EXPECT_EQ(wrong_anywhere(problem), "");
  }
}

// Whole vectors of channels that lie together, but not 2 KiB apart, and by kernels that read single
// vectors.
TEST(Engine, ReadsDepthwiseWeightsWhereTheyLieIfItCan) {
  for (const Isa isa : supported_isas()) {
    const auto grouping = [&](const std::string& channels, const std::string& weights) {
      const Problem problem = problem_of(
          "Convolution f32 src=1x9x11x" + channels + " weights=" + weights + " groups=" + channels +
          " pads_begin=1,1 pads_end=1,1 data_format=NXC weights_format=" +
          (weights[0] == '3' ? "XIO" : "OIX"));
      return *make_plan(problem, {.isa = isa})->as<Grouping>();
    };
    const Grouping whole = grouping("48", "3x3x1x48");
    EXPECT_EQ(whole.reads_raw, whole.family->vectors_together == 1) << to_string(isa);
    EXPECT_FALSE(grouping("49", "3x3x1x49").reads_raw);
    EXPECT_FALSE(grouping("512", "3x3x1x512").reads_raw);
    EXPECT_FALSE(grouping("48", "48x1x3x3").reads_raw);
  }
}

struct RecordedCall {
  GroupedCall call;
  RowsAhead ahead;
};
std::vector<RecordedCall>& recorded_calls() {
  static std::vector<RecordedCall> calls;
  return calls;
}
void record_call(const GroupedCall& call) {
  recorded_calls().push_back({call, call.rows_ahead != nullptr ? *call.rows_ahead : RowsAhead{}});
}

// The calls of a plan that prefetches bands, for one thread.
std::vector<RecordedCall> calls_of(const Problem& problem, Isa isa) {
  Target target = kZen4;
  target.core.far_src = target.core.far_src_of_bands = {};
  Plan plan = *make_plan(problem, {.isa = isa, .target = &target});
  auto& grouping = std::get<Grouping>(plan.algorithm);
  EXPECT_TRUE(grouping.prefetches_bands) << print(problem);
  EXPECT_EQ(grouping.spread_pixel, 0) << print(problem);
  grouping.function = record_call;
  const auto floats = [](Extent count) {
    return std::vector<float>(static_cast<std::size_t>(count));
  };
  const auto src = floats(src_elements(grouping.view));
  const auto weights = floats(grouping.taps() * grouping.view.OC);
  auto dst = floats(dst_elements(grouping.view));
  std::vector<std::byte> workspace(plan.workspace_bytes + 1);
  recorded_calls().clear();
  execute(plan, pack(plan, weights.data(), nullptr), src.data(), dst.data(), workspace.data());
  return recorded_calls();
}

// Addresses of the rows of src that the call reads, where their first tap lies.
std::set<std::uintptr_t> rows_of(const GroupedCall& call, const Extent kernel_rows) {
  std::set<std::uintptr_t> rows;
  for (Extent output = 0; output < call.rows; ++output) {
    for (Extent tap = 0; tap < kernel_rows; ++tap) {
      const Extent row = output * call.row_stride + tap * call.row_dilation;
      if (row < call.rows_begin || row >= call.rows_end) continue;
      const Extent offset = (call.src_offset + row * call.src_row) * Extent{sizeof(float)};
      rows.insert(reinterpret_cast<std::uintptr_t>(call.src) + static_cast<std::uintptr_t>(offset));
    }
  }
  return rows;
}

// Of what a band reads, the bands before have read what they have not prefetched.
TEST(Bands, PrefetchTheRowsOfTheNextOne) {
  for (const char* line :
       {"src=2x13x19x32 weights=3x3x1x32 groups=32 pads_begin=1,1 pads_end=1,1",
        "src=3x7x7x32 weights=3x3x1x32 groups=32 strides=2,2 pads_begin=1,1 pads_end=1,1",
        "src=2x11x9x32 weights=5x5x1x32 groups=32 pads_begin=2,2 pads_end=2,2",
        "src=2x23x9x32 weights=5x3x1x32 groups=32 strides=2,1 pads_begin=0,1 pads_end=1,1"}) {
    const Problem problem =
        problem_of("Convolution f32 " + std::string(line) + " data_format=NXC weights_format=XIO");
    for (const Isa isa : supported_isas()) {
      const std::vector<RecordedCall> calls = calls_of(problem, isa);
      ASSERT_GT(calls.size(), 1U) << line;
      const Extent kernel_rows = problem.weights.dims[0];
      std::set<std::uintptr_t> cached = rows_of(calls.front().call, kernel_rows);
      for (std::size_t i = 1; i < calls.size(); ++i) {
        const RowsAhead& ahead = calls[i - 1].ahead;
        for (Extent row = 0; row < ahead.rows; ++row) {
          const Extent offset = row * ahead.row * Extent{sizeof(float)};
          EXPECT_TRUE(cached.insert(ahead.from + static_cast<std::uintptr_t>(offset)).second)
              << line << ": once is enough";
        }
        for (const std::uintptr_t row : rows_of(calls[i].call, kernel_rows)) {
          EXPECT_EQ(cached.count(row), 1U) << line << " call " << i << " " << to_string(isa);
        }
      }
      EXPECT_EQ(calls.back().call.rows_ahead, nullptr) << line;
    }
  }
}

}  // namespace
}  // namespace concord::optimized
