// SPDX-License-Identifier: Apache-2.0
// What the engine computes: published examples, readings, padding, rounding.
#include "optimized/convolution.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "optimized/testing/trial.h"

namespace concord::optimized {
namespace {

using testing::problem_of;
using testing::run_dense;
using testing::supported_isas;
using Values = std::vector<double>;

// The known answer of a 4x4 input under a 3x3 kernel of ones on the diagonals' corners; published
// with the oneDNN Graph's own tests and recomputed by hand:
// -3+2-1+2... each output sums the corners and the centre of its window.
const Values kFourByFour = {-3, -1.5, 2, .5, -.5, -1, 1, 1.5, 2, 2.5, -1, 0, 3, -2, -1, 4};
const Values kCorners = {1, 0, 1, 0, 1, 0, 1, 0, 1};

TEST(Convolution, AgreesWithTheGraphsPublishedExampleInEveryDtypeAndFormat) {
  for (const char* dtype : {"f32", "f16", "bf16", "f64"}) {
    for (const char* shapes :
         {"src=1x1x4x4 weights=1x1x3x3 data_format=NCX weights_format=OIX",
          "src=1x4x4x1 weights=1x1x3x3 data_format=NXC weights_format=OIX",
          "src=1x1x4x4 weights=3x3x1x1 data_format=NCX weights_format=XIO",
          "src=1x1x1x4x4 weights=1x1x1x3x3 data_format=NCX weights_format=OIX"}) {
      const Problem problem = problem_of("Convolution " + std::string(dtype) + " " + shapes);
      for (const Isa isa : supported_isas()) {
        EXPECT_EQ(run_dense(problem, {.isa = isa}, kFourByFour, kCorners),
                  (Values{-1, 2.5, 5, 1.5}))
            << print(problem);
      }
    }
  }
}

TEST(Convolution, AddsTheBias) {
  const Problem problem = problem_of(
      "Convolution f32 src=1x1x4x4 weights=1x1x3x3 bias=1 data_format=NCX weights_format=OIX");
  EXPECT_EQ(run_dense(problem, {}, kFourByFour, kCorners, {-1}), (Values{-2, 1.5, 4, .5}));
}

// Checked by the convolution libraries of six projects, which agree: src = (7i+3) mod 11 - 5,
// weights = (5i+1) mod 7 - 3, bias = i - 2.
TEST(Convolution, AgreesWithSixLibrariesOnStridesDilationsGroupsAndAsymmetricPadding) {
  const Problem problem = problem_of(
      "Convolution f32 src=2x4x9x10 weights=6x2x3x2 bias=6 strides=2,2 pads_begin=1,2 "
      "pads_end=0,3 dilations=2,2 groups=2 data_format=NCX weights_format=OIX");
  Values src(2 * 4 * 9 * 10);
  Values weights(6 * 2 * 3 * 2);
  for (std::size_t i = 0; i < src.size(); ++i) src[i] = static_cast<double>((7 * i + 3) % 11) - 5;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    weights[i] = static_cast<double>((5 * i + 1) % 7) - 3;
  }
  for (const Isa isa : supported_isas()) {
    const Values dst = run_dense(problem, {.isa = isa}, src, weights, {-2, -1, 0, 1, 2, 3});
    ASSERT_EQ(dst.size(), 2U * 6 * 3 * 7);
    EXPECT_EQ(std::accumulate(dst.begin(), dst.end(), 0.0), 79);
    EXPECT_EQ(Values(dst.begin(), dst.begin() + 12),
              (Values{-7, -3, 5, -20, -1, -17, -2, -8, 28, -22, 5, -1}));
  }
}

// From TensorFlow's own test of conv2d: input and filter are both 1, 2, 3, ...; SAME, no stride.
TEST(Convolution, AgreesWithTensorFlowsPublishedExample) {
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
TEST(Convolution, ReadsSameAsDocumentedOrAsImplemented) {
  Problem problem = problem_of(
      "Convolution1 f32 src=1x1x4 weights=1x1x3 strides=2 auto_pad=same_upper data_format=NCX "
      "filter_format=OIX");
  const Values src = {1, 2, 3, 4};
  const Values weights = {1, 10, 100};
  problem.reading = Reading::kImplemented;
  EXPECT_EQ(run_dense(problem, {}, src, weights), (Values{321, 43}));
  problem.reading = Reading::kDocumented;
  EXPECT_EQ(run_dense(problem, {}, src, weights), (Values{210, 432}));
  const Problem graph = problem_of(
      "Convolution f32 src=1x1x4 weights=1x1x3 strides=2 auto_pad=same_upper data_format=NCX "
      "weights_format=OIX reading=documented");
  EXPECT_EQ(run_dense(graph, {}, src, weights), (Values{210, 432}));
}

// The formula of atrous_conv2d as printed has no shift under SAME: 1 + 30 + 500, 2 + 40, ..
TEST(Convolution, ReadsSameOfAtrousConv2dAsPrintedOrAsImplemented) {
  const std::string line =
      "AtrousConv2d f32 src=1x1x5x1 weights=1x3x1x1 rate=2 padding=SAME reading=";
  const Values src = {1, 2, 3, 4, 5};
  const Values weights = {1, 10, 100};
  EXPECT_EQ(run_dense(problem_of(line + "documented"), {}, src, weights),
            (Values{531, 42, 53, 4, 5}));
  EXPECT_EQ(run_dense(problem_of(line + "implemented"), {}, src, weights),
            (Values{310, 420, 531, 42, 53}));
}

// Padding may be left out or multiplied as zeros, but for all outputs alike. A tap that is infinite
// for one output channel makes NaN of zeros.
TEST(Convolution, TreatsAllPaddingAlikeWhereAWeightIsInfinite) {
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
        for (const Isa isa : supported_isas()) {
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

// Where padding is multiplied, taps that find nothing else stay.
TEST(Convolution, TreatsPaddingOfAllTapsAlike) {
  for (const char* format :
       {"f32 src=1x3x1x20 weights=16x3x3x3 data_format=NCX weights_format=OIX",
        "bf16 src=1x1x20x32 weights=3x3x32x16 data_format=NXC weights_format=XIO"}) {
    const Problem problem =
        problem_of("Convolution " + std::string(format) + " pads_begin=1,1 pads_end=1,1");
    const bool is_planes = problem.dtype == Dtype::kF32;
    const std::size_t channels = is_planes ? 3 : 32;
    const Values src(20 * channels, 1.0);
    for (const Isa isa : supported_isas()) {
      std::set<bool> padding_is_nan;
      for (std::size_t tap = 0; tap < 9; ++tap) {
        Values weights(9 * channels * 16, 1.0);
        weights[is_planes ? 5 * 27 + tap : tap * channels * 16 + 5] = INFINITY;
        weights[is_planes ? 7 * 27 + 3 : 3 * channels * 16 + 7] = INFINITY;
        const Values dst = run_dense(problem, {.isa = isa}, src, weights);
        const bool pads = tap / 3 != 1 || tap % 3 == 0;
        if (!pads) continue;
        padding_is_nan.insert(std::isnan(dst[is_planes ? 5 * 20 : 5]));
        padding_is_nan.insert(std::isnan(dst[is_planes ? 7 * 20 : 7]));
      }
      EXPECT_EQ(padding_is_nan.size(), 1U) << to_string(isa) << " " << format;
    }
  }
}

// 2^-130 is subnormal: dot products of bf16 take it as zero, f32 arithmetic does not.
TEST(Convolution, SaysWhetherItFlushesSubnormals) {
  for (const char* line : {"Convolution bf16 src=1x1x64x32 weights=1x1x32x16",
                           "Convolution f32 src=1x1x64x32 weights=1x1x32x16",
                           "Convolution f16 src=1x1x64x32 weights=1x1x32x16",
                           "Convolution bf16 src=1x1x64x32 weights=1x1x8x32 groups=4",
                           "Convolution bf16 src=1x1x64x32 weights=1x1x1x32 groups=32"}) {
    const Problem problem = problem_of(std::string(line) + " data_format=NXC weights_format=XIO");
    const bool is_f16 = problem.dtype == Dtype::kF16;
    const Values src(64 * 32, is_f16 ? 0x1p-20 : 0x1p-130);
    const auto count = static_cast<std::size_t>(*element_count(problem.weights.dims));
    for (const Isa isa : supported_isas()) {
      const Values dst = run_dense(problem, {.isa = isa}, src, Values(count, 1.0));
      const auto plan = make_plan(problem, {.isa = isa});
      EXPECT_EQ(dst[0] == 0, plan->flushes_subnormals) << print(problem) << to_string(isa);
      EXPECT_TRUE(includes(isa, Isa::kAvx512Bf16) || !plan->flushes_subnormals);
    }
  }
}

TEST(Convolution, RoundsOnceToTheDtype) {
  // 2048 + 1 is not an f16; ties go to even, so 2049 becomes 2048, and 2051 becomes 2052.
  const Problem problem =
      problem_of("Convolution f16 src=1x1x3 weights=1x1x3 data_format=NCX weights_format=OIX");
  EXPECT_EQ(run_dense(problem, {}, {2048, 1, 0}, {1, 1, 1}), (Values{2048}));
  EXPECT_EQ(run_dense(problem, {}, {2048, 1, 2}, {1, 1, 1}), (Values{2052}));
  // Rounding after each addition would lose both ones: 2048 + 1 = 2048, twice.
  EXPECT_EQ(run_dense(problem, {}, {2048, 1, 1}, {1, 1, 1}), (Values{2050}));
}

TEST(Convolution, RefusesOptionsThatCannotBe) {
  const Problem problem =
      problem_of("Convolution f32 src=1x1x3 weights=1x1x3 data_format=NCX weights_format=OIX");
  const auto plan = make_plan(problem, {.threads = 0});
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.why().detail, "the option threads is 0, less than 1");
}

}  // namespace
}  // namespace concord::optimized
