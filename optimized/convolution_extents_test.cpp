// SPDX-License-Identifier: Apache-2.0
// Extents: around tiles, of tasks and blocks of channels, dimensions, gaps, and nothing at all.
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "optimized/testing/trial.h"

namespace concord::optimized {
namespace {

using testing::problem_of;
using testing::Side;
using testing::wrong_anywhere;

std::string text(int value) { return std::to_string(value); }

TEST(Convolution, IsRightAroundEveryVectorAndTileWidth) {
  for (const int oc : {1, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 47, 48, 49, 63, 64, 65, 80}) {
    for (const int width : {1, 2, 3, 6, 7, 9, 13, 14, 15, 27, 29}) {
      for (const char* dtype : {"f32", "bf16", "f64"}) {
        const std::string line = "Convolution " + std::string(dtype) + " src=1x2x" +
                                 std::to_string(width) + "x3 weights=1x3x3x" + std::to_string(oc) +
                                 " bias=" + std::to_string(oc) +
                                 " pads_begin=0,1 pads_end=0,1 data_format=NXC weights_format=XIO";
        ASSERT_EQ(wrong_anywhere(problem_of(line)), "");
      }
    }
  }
}

// Outputs enough for several tasks: parts of a row, rows, planes and images.
TEST(Convolution, IsRightWhereTasksBringTheirOwnPartsOfSrc) {
  for (const char* line :
       {"src=1x3x9000 weights=33x3x3 pads_begin=2 dilations=2", "src=2x3x40x90 weights=17x3x3x3",
        "src=2x3x41x90 weights=17x3x3x5 strides=2,1 pads_begin=1,4 pads_end=1,2 bias=17",
        "src=2x2x7x20x41 weights=17x2x3x2x3 pads_begin=1,0,1 dilations=2,1,1",
        "src=40x6x9x9 weights=20x3x3x3 groups=2 pads_begin=1,1 pads_end=1,1",
        "src=3x300x9x21 weights=20x300x1x1 strides=1,2",
        "src=1x2x33x40 weights=9x2x3x3 pads_begin=12,12 pads_end=12,12 dilations=12,12"}) {
    for (const char* dtype : {"f32", "f16", "bf16", "f64"}) {
      ASSERT_EQ(wrong_anywhere(problem_of("Convolution " + std::string(dtype) + " " + line +
                                          " data_format=NCX weights_format=OIX")),
                "");
    }
  }
}

TEST(Convolution, IsRightForEveryInputWidthKernelStrideDilationAndPadding) {
  for (int width = 1; width <= 9; ++width) {
    for (int kernel = 1; kernel <= 4; ++kernel) {
      for (int stride = 1; stride <= 3; ++stride) {
        for (int dilation = 1; dilation <= 3; ++dilation) {
          for (int pad = 0; pad <= 5; ++pad) {
            const int end = (pad * 2 + width) % 4;
            if (width + pad + end < dilation * (kernel - 1) + 1) continue;
            for (const char* dtype : {"f32", "bf16", "f64"}) {
              const std::string line =
                  "Convolution " + std::string(dtype) + " src=1x" + std::to_string(width) +
                  "x2 weights=" + std::to_string(kernel) +
                  "x2x5 strides=" + std::to_string(stride) +
                  " dilations=" + std::to_string(dilation) + " pads_begin=" + std::to_string(pad) +
                  " pads_end=" + std::to_string(end) + " data_format=NXC weights_format=XIO";
              ASSERT_EQ(wrong_anywhere(problem_of(line)), "");
            }
          }
        }
      }
    }
  }
}

TEST(Convolution, IsRightInThreeDimensionsInEveryDtypeAndFormat) {
  for (const char* dtype : {"f32", "f16", "bf16", "f64"}) {
    for (const char* shapes :
         {"src=2x6x4x5x7 weights=10x3x2x3x2 bias=10 data_format=NCX weights_format=OIX",
          "src=2x4x5x7x6 weights=10x3x2x3x2 bias=10 data_format=NXC weights_format=OIX",
          "src=2x6x4x5x7 weights=2x3x2x3x10 bias=10 data_format=NCX weights_format=XIO",
          "src=2x4x5x7x6 weights=2x3x2x3x10 bias=10 data_format=NXC weights_format=XIO"}) {
      const std::string line = "Convolution " + std::string(dtype) + " " + shapes +
                               " groups=2 strides=1,2,1 dilations=2,1,3 pads_begin=1,0,3 "
                               "pads_end=0,2,2";
      for (const Side side : {Side::kBefore, Side::kAfter}) {
        ASSERT_EQ(wrong_anywhere(problem_of(line), 2, side), "");
      }
    }
  }
}

TEST(Convolution, IsRightOverFourToSixAxesInEveryDtypeAndFormat) {
  for (const char* const dtype : {"f32", "f16", "bf16", "f64"}) {
    for (const char* const line : {
             "src=2x3x5x4x7x6 weights=5x3x2x3x2x4 bias=5 strides=2,1,3,2 pads_begin=1,0,2,1 "
             "pads_end=0,2,1,0 dilations=2,1,1,1 data_format=NCX filter_format=OIX",
             "src=1x4x3x5x6x4 weights=3x2x2x3x2x6 strides=1,2,1,2 groups=2 auto_pad=same_upper "
             "data_format=NXC filter_format=XIO",
             "src=2x2x3x2x3x4:160x80x25x12x4x1 weights=3x2x2x1x2x3 dst=2x3x2x2x2x2:120x40x18x9x4x1 "
             "data_format=NCX filter_format=OIX",
             "src=1x2x1x2x1x3 weights=3x2x3x2x2x2 pads_begin=1,0,1,0 pads_end=1,1,0,1 "
             "data_format=NCX filter_format=OIX",
             "src=1x0x2x2x2x3 weights=3x0x2x2x1x2 bias=3 data_format=NCX filter_format=OIX",
             "src=1x2x3x4x5x4x3 weights=3x2x2x3x2x2x2 strides=1,2,1,2,1 pads_begin=1,0,1,0,1 "
             "pads_end=0,2,0,0,0 dilations=1,1,2,1,2 data_format=NCX filter_format=OIX",
             "src=1x3x3x2x4x3x2x2 weights=2x2x2x2x2x1x2x3 bias=3 strides=1,2,1,1,2,1 "
             "dilations=2,1,1,2,1,1 pads_begin=0,1,0,0,0,1 data_format=NXC filter_format=XIO",
         }) {
      const Problem problem = problem_of(std::string("Convolution1 ") + dtype + " " + line);
      for (const int threads : {1, 3}) {
        EXPECT_EQ(wrong_anywhere(problem, threads), "") << print(problem);
      }
      EXPECT_EQ(make_plan(problem)->name(), "loops") << print(problem);
    }
  }
}

// Axes of one element and one tap are no axes to the engine.
TEST(Convolution, DropsAxesThatMeanNothing) {
  const Problem problem = problem_of(
      "Convolution1 f32 src=2x3x1x5x1x6 weights=4x3x1x3x1x2 bias=4 pads_begin=0,1,0,1 "
      "data_format=NCX filter_format=OIX");
  EXPECT_NE(make_plan(problem)->name(), "loops");
  EXPECT_EQ(wrong_anywhere(problem), "");
}

// Patches, whose channels are read as another axis of taps.
TEST(Convolution, IsRightForRowsOfTapsThatDoNotOverlap) {
  const std::string ncx = " data_format=NCX weights_format=";
  for (const int channels : {2, 3, 5, 16, 17}) {
    for (const int kernel : {3, 4, 7}) {
      for (const int stride : {kernel, kernel + 2}) {
        for (const char* rest : {"", " pads_begin=2,3 pads_end=1,2", " dilations=1,2"}) {
          for (const char* dtype : {"f32", "f16", "f64"}) {
            const std::string taps = "3x" + text(kernel), in = text(channels);
            const std::string line = "Convolution " + std::string(dtype) + " src=2x" + in +
                                     "x7x33 strides=2," + text(stride) + rest + " weights=";
            ASSERT_EQ(wrong_anywhere(problem_of(line + "9x" + in + "x" + taps + ncx + "OIX")), "");
            ASSERT_EQ(wrong_anywhere(problem_of(line + taps + "x" + in + "x20" + ncx + "XIO")), "");
          }
        }
      }
    }
  }
}

TEST(Convolution, ReadsPatchesInPlace) {
  const std::string src = "src=1x3x224x224 weights=";
  const auto algorithm = [](const std::string& rest) {
    const auto plan = make_plan(
        problem_of("Convolution f32 " + rest + " data_format=NCX weights_format=OIX"),
        {.target = &kZen4});  // a larger second level, or a smaller one, decides otherwise
    const bool is_in_place = describe(*plan).find("read in place") != std::string::npos;
    return plan->name() + (is_in_place ? " in place" : "");
  };
  // With few registers, planes compute few vectors at once, and copies by columns cost too much.
  const Isa isa = *choose_isa(std::nullopt);
  const bool has_many_registers = includes(isa, Isa::kAvx512) || includes(isa, Isa::kNeon);
  const std::string copied = has_many_registers ? "planes_ncx" : "tiles";
  EXPECT_EQ(algorithm(src + "64x3x16x16 strides=16,16"), "tiles in place");
  EXPECT_EQ(algorithm(src + "64x3x16x16 strides=4,16"), "tiles in place");
  EXPECT_EQ(algorithm("src=1x1x224x224 weights=16x1x4x4 strides=4,4"), "tiles in place");
  EXPECT_EQ(algorithm(src + "64x3x16x16 strides=8,8"), copied) << "inputs are read twice";
  EXPECT_EQ(algorithm(src + "64x3x16x16 strides=32,32 dilations=1,2"), "tiles");
  EXPECT_EQ(algorithm(src + "1024x3x16x16 strides=16,16"), "tiles") << "many panels";
  EXPECT_EQ(algorithm("src=1x64x64x64 weights=64x64x8x8 strides=1,8"), "tiles") << "many runs";
  EXPECT_EQ(algorithm(src + "64x3x3x3 strides=3,3"), copied) << "short runs";
  EXPECT_EQ(algorithm("src=1x3x9x224x224 weights=16x3x3x4x4 strides=1,4,4"), copied)
      << "depth is taken";
}

// Of which intermediate sums leave 64 bits.
TEST(Convolution, AcceptsStridesThatPlansDivideBy) {
  for (const char* line :
       {"f32 src=1x1x1 weights=16x1x1 strides=2305843009213693936 pads_begin=2305843009213693937",
        "f32 src=1x1x1 weights=8x1x1 strides=2305843009213693944 pads_begin=2305843009213693945",
        "f64 src=1x1x1 weights=8x1x1 strides=1152921504606846968 pads_begin=1152921504606846969",
        "f16 src=2x3x1:54x18x2 weights=9x3x1 bias=9 strides=4611686018427387896 "
        "pads_begin=4611686018427387897 dst=2x9x2:1x5x2"}) {
    ASSERT_EQ(wrong_anywhere(problem_of("Convolution " + std::string(line) +
                                        " data_format=NCX weights_format=OIX")),
              "");
  }
}

TEST(Convolution, LeavesGapsOfDstAlone) {
  for (const char* dtype : {"f32", "f16", "bf16", "f64"}) {
    const std::string line = "Convolution " + std::string(dtype) +
                             " src=2x5x7x6:600x100x13x2 weights=3x3x6x20:800x260x40x2 bias=20:3 "
                             "dst=2x5x7x20:9000x1700x230x11"
                             " pads_begin=1,1 pads_end=1,1 data_format=NXC weights_format=XIO";
    ASSERT_EQ(wrong_anywhere(problem_of(line), 2), "");
    const std::string dense_channels =
        "Convolution " + std::string(dtype) +
        " src=2x5x7x6:600x100x13x1 weights=3x3x6x20 dst=2x5x7x20:1900x330x40x1"
        " pads_begin=1,1 pads_end=1,1 data_format=NXC weights_format=XIO";
    ASSERT_EQ(wrong_anywhere(problem_of(dense_channels), 2), "");
  }
}

// They are never multiplied by anything but zero, and may be too large for anything else.
TEST(Convolution, TakesAnyStrideOfAnAxisOfOneElement) {
  const std::string most = "9223372036854775807";
  for (const std::string& shapes :
       {"src=1x4x1:" + most + "x1x1 weights=1x1x16:" + most + "x" + most + "x1",
        "src=1x7x1 weights=7x1x256:256x" + most + "x1 pads_begin=3 pads_end=3",
        "src=1x4x64:" + most + "x64x1 weights=1x64x256:" + most + "x256x1",
        "src=1x1x16:" + most + "x" + most + "x1 weights=1x16x16 dst=1x1x16:" + most + "x" + most +
            "x1",
        "src=1x7x16 weights=1x1x16:" + most + "x" + most + "x1 groups=16",
        "src=1x7x7x16 weights=3x3x1x16:48x16x" + most + "x1 groups=16 pads_begin=1,1"}) {
    for (const char* dtype : {"f32", "f16", "bf16", "f64"}) {
      const std::string line = "Convolution " + std::string(dtype) + " " + shapes +
                               " data_format=NXC weights_format=XIO";
      ASSERT_EQ(wrong_anywhere(problem_of(line), 2), "");
    }
  }
}

TEST(Convolution, PassesOverManyInputChannelsInBlocks) {
  const Problem problem = problem_of(
      "Convolution f32 src=1x4x5x1500 weights=3x3x1500x40 pads_begin=1,1 pads_end=1,1 "
      "data_format=NXC weights_format=XIO");
  const auto plan = make_plan(problem);
  ASSERT_TRUE(plan);
  EXPECT_GT(plan->as<Tiling>()->channel_blocks(), 1) << describe(*plan);
  EXPECT_EQ(wrong_anywhere(problem, 2), "");
}

TEST(Convolution, IsRightForEveryNumberOfInputChannelsInBf16) {
  for (const char* shapes :
       {"src=2x5x19xC weights=2x3xCx18 strides=1,2 pads_begin=1,0 pads_end=0,2",
        "src=1x3x37xC weights=1x1xCx33",
        "src=1x6x40xC weights=3x2xCx16 dilations=2,17 pads_begin=2,9"
        " pads_end=1,9"}) {
    for (int channels = 1; channels <= 70; channels += channels < 10 ? 1 : 3) {
      std::string line =
          "Convolution bf16 " + std::string(shapes) + " data_format=NXC weights_format=XIO";
      for (auto at = line.find("xC"); at != std::string::npos; at = line.find("xC")) {
        line.replace(at + 1, 1, std::to_string(channels));
      }
      ASSERT_EQ(wrong_anywhere(problem_of(line), 2), "");
    }
  }
}

TEST(Convolution, WalksPointwiseImagesAsOneRow) {
  const Problem problem =
      problem_of("Convolution f32 src=3x5x7x6 weights=1x1x6x20 data_format=NXC weights_format=XIO");
  const auto plan = make_plan(problem);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->as<Tiling>()->rows(), 1);
  EXPECT_EQ(wrong_anywhere(problem), "");
}

TEST(Convolution, SkipsTapsThatTouchOnlyPadding) {
  // With dilation 9 and padding 9 on 10 rows, the outer kernel rows reach one row of outputs each.
  const Problem problem = problem_of(
      "Convolution f32 src=1x10x10x8 weights=3x3x8x16 dilations=9,9 pads_begin=9,9 pads_end=9,9 "
      "data_format=NXC weights_format=XIO");
  const auto plan = make_plan(problem);
  ASSERT_TRUE(plan);
  Extent products = 0;
  for (const Segment& segment : plan->as<Tiling>()->segments) {
    for (const TileTap& tap : segment.taps) {
      products += segment.tiles * (segment.pixels - std::abs(tap.left_out));
    }
  }
  EXPECT_EQ(products, 10 + 1 + 1);
  EXPECT_EQ(wrong_anywhere(problem), "");
}

TEST(Convolution, DropsTapsThatAllOutputsFindInPadding) {
  struct Case {
    const char* shapes;
    Spatial kernel;  // what is left
    Extent dropped_weights;
  };
  for (const Case& c :
       {Case{"src=3x1x1x24 weights=3x3x24x40 pads_begin=1,1 pads_end=1,1", {1, 1, 1}, 4 * 24 * 40},
        Case{"src=2x1x3x3x16 weights=3x3x3x16x20 strides=2,2,2 pads_begin=1,1,1 pads_end=1,1,1",
             {1, 3, 3},
             9 * 16 * 20},
        Case{"src=1x9x7x8 weights=3x3x8x16 dilations=9,9 pads_begin=9,9 pads_end=9,9",
             {1, 1, 1},
             4 * 8 * 16},
        Case{"src=1x2x2x8 weights=5x5x1x8 groups=8 pads_begin=2,2 pads_end=2,2", {1, 3, 3}, 6 * 8},
        // The only output begins in the padding.
        Case{"src=1x1x4x8 weights=1x5x8x16 strides=1,3 pads_begin=0,1 pads_end=0,1",
             {1, 1, 4},
             8 * 16},
        // The padding is half of a dilated step: without it, tap 1 would read another input.
        Case{"src=1x1x4x8 weights=1x2x8x16 strides=1,3 dilations=1,2 pads_begin=0,1 pads_end=0,0",
             {1, 1, 2},
             0},
        Case{"src=1x2x2x8 weights=2x2x8x16 pads_begin=9,9 pads_end=9,9", {1, 2, 2}, 0},
        Case{"src=1x1x2x8 weights=1x2x8x16 strides=1,9 pads_begin=0,5 pads_end=0,5",
             {1, 1, 1},
             0}}) {
    const auto problem = [&](const char* dtype) {
      return problem_of("Convolution " + std::string(dtype) + " " + c.shapes +
                        " data_format=NXC weights_format=XIO");
    };
    const auto plan = make_plan(problem("f32"));
    ASSERT_TRUE(plan) << c.shapes;
    EXPECT_EQ(plan->shape.K, c.kernel) << c.shapes;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      EXPECT_TRUE(plan->shape.K[axis] > 1 || plan->shape.D[axis] == 1) << c.shapes;
    }
    EXPECT_EQ(plan->dropped_weights, c.dropped_weights) << c.shapes;
    for (const char* dtype : {"f32", "f16", "bf16", "f64"}) {
      EXPECT_EQ(wrong_anywhere(problem(dtype)), "") << dtype << " " << c.shapes;
    }
  }
  // Rows of all columns follow one another, but not those of images, whose last rows none reads.
  for (const char* dtype : {"f32", "f16", "bf16", "f64"}) {
    EXPECT_EQ(wrong_anywhere(problem_of("Convolution " + std::string(dtype) +
                                        " src=2x5x3x4 weights=2x2x4x8 dilations=9,9 pads_end=6,9 "
                                        "data_format=NXC weights_format=XIO")),
              "")
        << dtype;
    EXPECT_EQ(wrong_anywhere(problem_of("AtrousConv2d " + std::string(dtype) +
                                        " src=2x4x2x1 weights=1x2x1x1 rate=2 padding=VALID "
                                        "reading=documented")),
              "")
        << dtype;
  }
  for (const char* shapes :
       {"src=2x5x1x1 weights=6x5x3x3 pads_begin=1,1 pads_end=1,1",
        "src=2x3x1x9 weights=8x3x3x3 pads_begin=1,1 pads_end=1,1",
        "src=2x6x2x20 weights=6x1x5x5 groups=6 pads_begin=2,2 pads_end=2,2",
        "src=2x6x20x2 weights=6x3x5x5 groups=2 pads_begin=2,2 pads_end=2,2 bias=6",
        "src=2x3x1x6x6 weights=8x3x3x3x3 pads_begin=1,1,1 pads_end=1,1,1 strides=2,2,2"}) {
    for (const char* dtype : {"f32", "f16", "bf16", "f64"}) {
      EXPECT_EQ(wrong_anywhere(problem_of("Convolution " + std::string(dtype) + " " + shapes +
                                          " data_format=NCX weights_format=OIX")),
                "")
          << dtype << " " << shapes;
    }
  }
}

TEST(Convolution, AcceptsPaddingBeyondTheKernel) {
  EXPECT_EQ(wrong_anywhere(problem_of("Convolution f32 src=1x2x3x4 weights=2x2x4x5 bias=5 "
                                      "pads_begin=7,9 pads_end=8,5 data_format=NXC "
                                      "weights_format=XIO")),
            "");
}

TEST(Convolution, DoesNotServeWindowsWhosePlanWouldListMillionsOfTaps) {
  const auto problem = [](const char* shapes) {
    return problem_of("Convolution f32 " + std::string(shapes) +
                      " data_format=NXC weights_format=XIO");
  };
  for (const char* shapes : {"src=1x1099511627776x1 weights=1099511627776x1x1",
                             "src=1x1x4194305x1 weights=1x4194305x1x1"}) {
    const auto plan = make_plan(problem(shapes));
    ASSERT_FALSE(plan) << shapes;
    EXPECT_EQ(plan.why().fault, Fault::kLimit) << shapes;
    EXPECT_NE(plan.why().detail.find("taps"), std::string::npos) << plan.why().detail;
  }
  for (const char* shapes : {"src=1x1x100000x1 weights=1x100000x1x1",       // few enough
                             "src=1x1x4194305x0 weights=1x4194305x0x1"}) {  // none is read
    EXPECT_TRUE(make_plan(problem(shapes))) << shapes;
  }
  EXPECT_EQ(make_plan(problem("src=1x1x4194305x1 weights=1x4194305x2x1")).why().fault,
            Fault::kChannels);
}

TEST(Convolution, ComputesNothingForEmptyOutputs) {
  for (const char* shapes : {"src=0x4x4x3 weights=3x3x3x8", "src=2x4x4x3 weights=3x3x3x0",
                             "src=1x2x2x3 weights=3x3x3x8"}) {
    const Problem problem = problem_of("Convolution f32 " + std::string(shapes) +
                                       " data_format=NXC weights_format=XIO");
    const auto plan = make_plan(problem);
    ASSERT_TRUE(plan) << shapes;
    EXPECT_EQ(plan->name(), "nothing");
    EXPECT_EQ(wrong_anywhere(problem), "");
  }
}

TEST(Convolution, GivesTheBiasWhereNothingIsSummed) {
  // Without input channels, a kernel has no elements, however many taps it has.
  for (const char* shapes : {"src=2x4x4x0 weights=3x3x0x8 bias=8 strides=1,2 pads_begin=0,2",
                             "src=1x1099511627776x0 weights=1099511627776x0x6 bias=6 groups=2",
                             "src=1x1x1x1x0 weights=1048576x1048576x1048576x0x1 bias=1 "
                             "pads_begin=1048575,1048575,1048576"}) {
    for (const char* dtype : {"f32", "f16", "bf16", "f64"}) {
      const std::string line = "Convolution " + std::string(dtype) + " " + shapes +
                               " data_format=NXC weights_format=XIO";
      ASSERT_EQ(wrong_anywhere(problem_of(line), 2), "");
    }
  }
}

}  // namespace
}  // namespace concord::optimized
