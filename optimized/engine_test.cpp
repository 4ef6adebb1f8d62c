// SPDX-License-Identifier: Apache-2.0
#include "optimized/engine.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <set>
#include <string>

#include "optimized/testing/trial.h"

namespace concord::optimized {
namespace {

using testing::problem_of;
using testing::run_dense;
using testing::Side;
using testing::try_integers;
using Values = std::vector<double>;

// Every instruction set that this processor runs.
std::vector<Isa> isas() {
  std::vector<Isa> found;
  for (const Isa isa : kIsas) {
    if (is_supported(isa)) found.push_back(isa);
  }
  return found;
}

// Tries the problem at every instruction set.
std::string wrong_anywhere(const Problem& problem, int threads = 1, Side side = Side::kAfter) {
  for (const Isa isa : isas()) {
    std::string wrong = try_integers(problem, {.threads = threads, .isa = isa}, 7, side);
    if (!wrong.empty()) return std::string(to_string(isa)) + ": " + wrong;
  }
  return {};
}

// The known answer of a 4x4 input under a 3x3 kernel of ones on the diagonals' corners; published
// with the oneDNN Graph's own tests and recomputed by hand:
// -3+2-1+2... each output sums the corners and the centre of its window.
const Values kFourByFour = {-3, -1.5, 2, .5, -.5, -1, 1, 1.5, 2, 2.5, -1, 0, 3, -2, -1, 4};
const Values kCorners = {1, 0, 1, 0, 1, 0, 1, 0, 1};

TEST(Engine, AgreesWithTheGraphsPublishedExampleInEveryDtypeAndFormat) {
  for (const char* dtype : {"f32", "f16", "bf16"}) {
    for (const char* shapes :
         {"src=1x1x4x4 weights=1x1x3x3 data_format=NCX weights_format=OIX",
          "src=1x4x4x1 weights=1x1x3x3 data_format=NXC weights_format=OIX",
          "src=1x1x4x4 weights=3x3x1x1 data_format=NCX weights_format=XIO",
          "src=1x1x1x4x4 weights=1x1x1x3x3 data_format=NCX weights_format=OIX"}) {
      const Problem problem = problem_of("Convolution " + std::string(dtype) + " " + shapes);
      for (const Isa isa : isas()) {
        EXPECT_EQ(run_dense(problem, {.isa = isa}, kFourByFour, kCorners),
                  (Values{-1, 2.5, 5, 1.5}))
            << print(problem);
      }
    }
  }
}

TEST(Engine, AddsTheBias) {
  const Problem problem = problem_of(
      "Convolution f32 src=1x1x4x4 weights=1x1x3x3 bias=1 data_format=NCX weights_format=OIX");
  EXPECT_EQ(run_dense(problem, {}, kFourByFour, kCorners, {-1}), (Values{-2, 1.5, 4, .5}));
}

// Checked by the convolution libraries of six projects, which agree: src = (7i+3) mod 11 - 5,
// weights = (5i+1) mod 7 - 3, bias = i - 2.
TEST(Engine, AgreesWithSixLibrariesOnStridesDilationsGroupsAndAsymmetricPadding) {
  const Problem problem = problem_of(
      "Convolution f32 src=2x4x9x10 weights=6x2x3x2 bias=6 strides=2,2 pads_begin=1,2 "
      "pads_end=0,3 dilations=2,2 groups=2 data_format=NCX weights_format=OIX");
  Values src(2 * 4 * 9 * 10);
  Values weights(6 * 2 * 3 * 2);
  for (std::size_t i = 0; i < src.size(); ++i) src[i] = static_cast<double>((7 * i + 3) % 11) - 5;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    weights[i] = static_cast<double>((5 * i + 1) % 7) - 3;
  }
  for (const Isa isa : isas()) {
    const Values dst = run_dense(problem, {.isa = isa}, src, weights, {-2, -1, 0, 1, 2, 3});
    ASSERT_EQ(dst.size(), 2U * 6 * 3 * 7);
    EXPECT_EQ(std::accumulate(dst.begin(), dst.end(), 0.0), 79);
    EXPECT_EQ(Values(dst.begin(), dst.begin() + 12),
              (Values{-7, -3, 5, -20, -1, -17, -2, -8, 28, -22, 5, -1}));
  }
}

// From TensorFlow's own test of conv2d: input and filter are both 1, 2, 3, ...; SAME, no stride.
TEST(Engine, AgreesWithTensorFlowsPublishedExample) {
  const Problem problem = problem_of("AtrousConv2d f32 src=1x2x3x3 weights=1x2x3x3 padding=VALID");
  Values src(18);
  Values weights(18);
  std::iota(src.begin(), src.end(), 1);
  std::iota(weights.begin(), weights.end(), 1);
  EXPECT_EQ(run_dense(problem, {}, src, weights),
            (Values{231, 252, 273, 384, 423, 462, 690, 765, 840, 843, 936, 1029}));
}

// Convolution-1 says that SAME makes the output before striding as large as the input; the library
// makes the output after striding ceil(I/S). For 4 elements, 3 taps and stride 2 this moves the
// window by one: pads are (1,1) against (0,1).
TEST(Engine, ReadsSameAsDocumentedOrAsImplemented) {
  Problem problem = problem_of(
      "Convolution1 f32 src=1x1x4 weights=1x1x3 strides=2 auto_pad=same_upper data_format=NCX "
      "filter_format=OIX");
  const Values src = {1, 2, 3, 4};
  const Values weights = {1, 10, 100};
  problem.reading = Reading::kImplemented;
  EXPECT_EQ(run_dense(problem, {}, src, weights), (Values{321, 43}));
  problem.reading = Reading::kDocumented;
  EXPECT_EQ(run_dense(problem, {}, src, weights), (Values{210, 432}));
}

TEST(Engine, IsRightAroundEveryVectorAndTileWidth) {
  for (const int oc : {1, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 47, 48, 49, 63, 64, 65, 80}) {
    for (const int width : {1, 2, 3, 6, 7, 9, 13, 14, 15, 27, 29}) {
      for (const char* dtype : {"f32", "bf16"}) {
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
TEST(Engine, IsRightWhereTasksBringTheirOwnPartsOfSrc) {
  for (const char* line :
       {"src=1x3x9000 weights=33x3x3 pads_begin=2 dilations=2", "src=2x3x40x90 weights=17x3x3x3",
        "src=2x3x41x90 weights=17x3x3x5 strides=2,1 pads_begin=1,4 pads_end=1,2 bias=17",
        "src=2x2x7x20x41 weights=17x2x3x2x3 pads_begin=1,0,1 dilations=2,1,1",
        "src=40x6x9x9 weights=20x3x3x3 groups=2 pads_begin=1,1 pads_end=1,1",
        "src=3x300x9x21 weights=20x300x1x1 strides=1,2",
        "src=1x2x33x40 weights=9x2x3x3 pads_begin=12,12 pads_end=12,12 dilations=12,12"}) {
    for (const char* dtype : {"f32", "f16", "bf16"}) {
      ASSERT_EQ(wrong_anywhere(problem_of("Convolution " + std::string(dtype) + " " + line +
                                          " data_format=NCX weights_format=OIX")),
                "");
    }
  }
}

TEST(Engine, IsRightForEveryInputWidthKernelStrideDilationAndPadding) {
  for (int width = 1; width <= 9; ++width) {
    for (int kernel = 1; kernel <= 4; ++kernel) {
      for (int stride = 1; stride <= 3; ++stride) {
        for (int dilation = 1; dilation <= 3; ++dilation) {
          for (int pad = 0; pad <= 5; ++pad) {
            const int end = (pad * 2 + width) % 4;
            if (width + pad + end < dilation * (kernel - 1) + 1) continue;
            for (const char* dtype : {"f32", "bf16"}) {
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

TEST(Engine, IsRightInThreeDimensionsInEveryDtypeAndFormat) {
  for (const char* dtype : {"f32", "f16", "bf16"}) {
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

TEST(Engine, LeavesGapsOfDstAlone) {
  for (const char* dtype : {"f32", "f16", "bf16"}) {
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

TEST(Engine, IsRightForDepthwiseAndNarrowGroups) {
  for (const char* dtype : {"f32", "f16", "bf16"}) {
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

TEST(Engine, IsRightDownTheColumnsOfDepthwiseOutputs) {
  // Around the tiles of 4 and of 7 outputs, the blocks of 8 rows, and vectors of channels; padding
  // on any side, none, and more than the kernel reaches.
  for (const char* sizes :
       {"src=1x4x4x16 weights=3x3x1x16 groups=16 pads_begin=1,1 pads_end=1,1",
        "src=2x8x7x17 weights=3x3x1x17 groups=17 bias=17 pads_begin=1,1 pads_end=1,1",
        "src=1x9x8x15 weights=3x3x1x15 groups=15 pads_begin=0,1 pads_end=1,0",
        "src=1x17x15x33 weights=3x3x1x33 groups=33 pads_begin=1,0 pads_end=0,1",
        "src=1x6x16x40 weights=3x3x1x40 groups=40",
        "src=1x5x3x24 weights=3x3x1x24 groups=24 pads_begin=4,2 pads_end=3,5",
        "src=1x10x29x4 weights=3x3x1x4 groups=4 bias=4 pads_begin=1,1 pads_end=1,1",
        "src=1x3x9x14x20 weights=1x3x3x1x20 groups=20 pads_begin=1,1,1 pads_end=1,1,1"}) {
    for (const char* dtype : {"f32", "f16", "bf16"}) {
      const Problem problem = problem_of("Convolution " + std::string(dtype) + " " + sizes +
                                         " data_format=NXC weights_format=XIO");
      ASSERT_TRUE(make_plan(problem)->grouping.by_columns);
      ASSERT_EQ(wrong_anywhere(problem, 2), "");
      ASSERT_EQ(wrong_anywhere(problem, 1, Side::kBefore), "");
    }
  }
}

TEST(Engine, IsRightForGroupsAsWideAsAVector) {
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
        for (const Isa isa : isas()) {
          const auto plan = make_plan(problem_of(line), {.isa = isa});
          const bool widens = isa == Isa::kGeneric;
          if (plan->algorithm != Algorithm::kGroups) continue;
          EXPECT_EQ(plan->grouping.stages_src, widens) << line << to_string(isa);
          EXPECT_EQ(plan->grouping.stages_dst, widens) << line << to_string(isa);
        }
      }
    }
  }
}

TEST(Engine, PassesOverManyInputChannelsInBlocks) {
  const Problem problem = problem_of(
      "Convolution f32 src=1x4x5x1500 weights=3x3x1500x40 pads_begin=1,1 pads_end=1,1 "
      "data_format=NXC weights_format=XIO");
  const auto plan = make_plan(problem);
  ASSERT_TRUE(plan);
  EXPECT_GT(plan->tiling.channel_blocks(), 1) << describe(*plan);
  EXPECT_EQ(wrong_anywhere(problem, 2), "");
}

TEST(Engine, IsRightForEveryNumberOfInputChannelsInBf16) {
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

// Padding may be left out or multiplied as zeros, but for all outputs alike. A tap that is infinite
// for one output channel makes NaN of zeros.
TEST(Engine, TreatsAllPaddingAlikeWhereAWeightIsInfinite) {
  for (const char* attributes :
       {"pads_begin=1,1 pads_end=1,1", "pads_begin=2,9 pads_end=2,9 dilations=2,9",
        "pads_begin=1,1 pads_end=1,1 strides=2,2"}) {
    for (const int channels : {3, 32}) {
      const std::string c = std::to_string(channels);
      const Problem problem =
          problem_of("Convolution bf16 src=1x9x20x" + c + " weights=3x3x" + c + "x40 " +
                     attributes + " data_format=NXC weights_format=XIO");
      const auto shape = make_plan(problem)->shape;
      Values src(static_cast<std::size_t>(9 * 20 * channels), 1.0);
      for (std::size_t tap = 0; tap < 9; ++tap) {
        Values weights(static_cast<std::size_t>(9 * channels * 40), 1.0);
        weights[tap * static_cast<std::size_t>(channels) * 40 + 37] = INFINITY;
        for (const Isa isa : isas()) {
          const Values dst = run_dense(problem, {.isa = isa}, src, weights);
          std::set<bool> padding_is_nan;
          for (Extent oh = 0; oh < shape.O[1]; ++oh) {
            for (Extent ow = 0; ow < shape.O[2]; ++ow) {
              const auto kh = static_cast<Extent>(tap / 3);
              const auto kw = static_cast<Extent>(tap % 3);
              const Extent ih = oh * shape.S[1] + kh * shape.D[1] - shape.P[1];
              const Extent iw = ow * shape.S[2] + kw * shape.D[2] - shape.P[2];
              const bool pads = ih < 0 || ih >= 9 || iw < 0 || iw >= 20;
              const double got = dst[static_cast<std::size_t>((oh * shape.O[2] + ow) * 40 + 37)];
              if (pads) {
                padding_is_nan.insert(std::isnan(got));
                EXPECT_NE(got, INFINITY);
              } else {
                EXPECT_EQ(got, INFINITY);
              }
            }
          }
          EXPECT_LE(padding_is_nan.size(), 1U) << to_string(isa) << " " << print(problem) << tap;
        }
      }
    }
  }
}

// 2^-130 is subnormal: dot products of bf16 take it as zero, f32 arithmetic does not.
TEST(Engine, SaysWhetherItFlushesSubnormals) {
  for (const char* line : {"Convolution bf16 src=1x1x64x32 weights=1x1x32x16",
                           "Convolution f32 src=1x1x64x32 weights=1x1x32x16",
                           "Convolution f16 src=1x1x64x32 weights=1x1x32x16",
                           "Convolution bf16 src=1x1x64x32 weights=1x1x1x32 groups=32"}) {
    const Problem problem = problem_of(std::string(line) + " data_format=NXC weights_format=XIO");
    const bool is_f16 = problem.dtype == Dtype::kF16;
    const Values src(64 * 32, is_f16 ? 0x1p-20 : 0x1p-130);
    const auto count = static_cast<std::size_t>(*element_count(problem.weights.dims));
    for (const Isa isa : isas()) {
      const Values dst = run_dense(problem, {.isa = isa}, src, Values(count, 1.0));
      const auto plan = make_plan(problem, {.isa = isa});
      EXPECT_EQ(dst[0] == 0, plan->flushes_subnormals) << print(problem) << to_string(isa);
      EXPECT_TRUE(isa > Isa::kAvx512 || !plan->flushes_subnormals);
    }
  }
}

TEST(Engine, WalksPointwiseImagesAsOneRow) {
  const Problem problem =
      problem_of("Convolution f32 src=3x5x7x6 weights=1x1x6x20 data_format=NXC weights_format=XIO");
  const auto plan = make_plan(problem);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->tiling.rows(), 1);
  EXPECT_EQ(wrong_anywhere(problem), "");
}

TEST(Engine, SkipsTapsThatTouchOnlyPadding) {
  // With dilation 9 and padding 9 on 10 rows, the outer kernel rows reach one row of outputs each.
  const Problem problem = problem_of(
      "Convolution f32 src=1x10x10x8 weights=3x3x8x16 dilations=9,9 pads_begin=9,9 pads_end=9,9 "
      "data_format=NXC weights_format=XIO");
  const auto plan = make_plan(problem);
  ASSERT_TRUE(plan);
  Extent products = 0;
  for (const Segment& segment : plan->tiling.segments) {
    for (const TileTap& tap : segment.taps) {
      const Extent skipped = tap.rows == kAllRows ? 0 : (tap.rows % 2 == 1 ? 1 : 2);
      products += segment.tiles * (segment.pixels - skipped);
    }
  }
  EXPECT_EQ(products, 10 + 1 + 1);
  EXPECT_EQ(wrong_anywhere(problem), "");
}

TEST(Engine, AcceptsPaddingBeyondTheKernel) {
  EXPECT_EQ(wrong_anywhere(problem_of("Convolution f32 src=1x2x3x4 weights=2x2x4x5 bias=5 "
                                      "pads_begin=7,9 pads_end=8,5 data_format=NXC "
                                      "weights_format=XIO")),
            "");
}

TEST(Engine, ComputesNothingForEmptyOutputs) {
  for (const char* shapes : {"src=0x4x4x3 weights=3x3x3x8", "src=2x4x4x3 weights=3x3x3x0",
                             "src=1x2x2x3 weights=3x3x3x8"}) {
    const Problem problem = problem_of("Convolution f32 " + std::string(shapes) +
                                       " data_format=NXC weights_format=XIO");
    const auto plan = make_plan(problem);
    ASSERT_TRUE(plan) << shapes;
    EXPECT_EQ(plan->algorithm, Algorithm::kNothing);
    EXPECT_EQ(wrong_anywhere(problem), "");
  }
}

TEST(Engine, GivesTheBiasWhereNothingIsSummed) {
  EXPECT_EQ(wrong_anywhere(problem_of("Convolution f32 src=2x4x4x0 weights=3x3x0x8 bias=8 "
                                      "data_format=NXC weights_format=XIO")),
            "");
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

TEST(Engine, RoundsOnceToTheDtype) {
  // 2048 + 1 is not an f16; ties go to even, so 2049 becomes 2048, and 2051 becomes 2052.
  const Problem problem =
      problem_of("Convolution f16 src=1x1x3 weights=1x1x3 data_format=NCX weights_format=OIX");
  EXPECT_EQ(run_dense(problem, {}, {2048, 1, 0}, {1, 1, 1}), (Values{2048}));
  EXPECT_EQ(run_dense(problem, {}, {2048, 1, 2}, {1, 1, 1}), (Values{2052}));
  // Rounding after each addition would lose both ones: 2048 + 1 = 2048, twice.
  EXPECT_EQ(run_dense(problem, {}, {2048, 1, 1}, {1, 1, 1}), (Values{2050}));
}

TEST(Engine, RefusesOptionsThatCannotBe) {
  const Problem problem =
      problem_of("Convolution f32 src=1x1x3 weights=1x1x3 data_format=NCX weights_format=OIX");
  const auto plan = make_plan(problem, {.threads = 0});
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.why().detail, "the option threads is 0, less than 1");
}

}  // namespace
}  // namespace concord::optimized
