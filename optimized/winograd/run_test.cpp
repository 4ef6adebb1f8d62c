// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include "optimized/testing/trial.h"
#include "optimized/winograd/plan.h"

namespace concord::optimized {
namespace {

using testing::problem_of;
using testing::run_dense;
using testing::Side;
using Values = std::vector<double>;

// With weights that are multiples of this, every transform is a sum of small integers or quarters:
// exact, so that Winograd's algorithm has the bits of the direct one. G of F(4,3) has 24ths, twice.
double exact_unit(int size) { return size == 2 ? 1 : 576; }

// What is wrong at any instruction set that this processor runs.
std::string wrong_anywhere(const std::string& line, int size, int threads = 1,
                           Side side = Side::kAfter) {
  for (const Isa isa : testing::supported_isas()) {
    const Options options{.threads = threads, .isa = isa, .winograd = size};
    const auto plan = make_plan(problem_of(line), options);
    const bool has_all_taps = plan && plan->shape.K == Spatial{1, 3, 3};
    if (has_all_taps != (plan && plan->name() == "winograd")) return line + ": not by Winograd";
    std::string wrong = testing::try_integers(problem_of(line), options, 7, side, exact_unit(size));
    if (!wrong.empty()) return std::string(to_string(isa)) + ": " + wrong;
  }
  return {};
}

std::string text(int value) { return std::to_string(value); }

TEST(Winograd, IsRightForEveryExtentOfTheOutputAndEveryPadding) {
  for (const int size : {2, 4}) {
    for (int height = 1; height <= 7; ++height) {
      for (int width = 1; width <= 11; ++width) {
        for (int pad = 0; pad <= 3; ++pad) {
          const int end = (pad + height) % 4;
          if (height + pad + end < 3 || width + pad + end < 3) continue;
          const std::string pads =
              text(pad) + "," + text(pad) + " pads_end=" + text(end) + "," + text(end);
          ASSERT_EQ(wrong_anywhere("Convolution f32 src=1x" + text(height) + "x" + text(width) +
                                       "x3 weights=3x3x3x5 bias=5 pads_begin=" + pads,
                                   size),
                    "");
        }
      }
    }
  }
}

TEST(Winograd, IsRightAroundEveryVectorWidthOfChannels) {
  for (const int size : {2, 4}) {
    for (const int ic : {1, 3, 4, 5, 7, 8, 9, 15, 16, 17}) {
      for (const int oc : {1, 4, 5, 8, 15, 16, 17, 33, 65}) {
        const std::string line = "Convolution f32 src=1x7x6x" + text(ic) + " weights=3x3x" +
                                 text(ic) + "x" + text(oc) + " pads_begin=1,1 pads_end=1,1";
        ASSERT_EQ(wrong_anywhere(line, size, 1, ic % 2 == 0 ? Side::kBefore : Side::kAfter), "");
      }
    }
  }
}

TEST(Winograd, IsRightForImagesStridesOfMemoryAndThreads) {
  for (const int size : {2, 4}) {
    for (const char* line :
         {"Convolution f32 src=3x29x31x4 weights=3x3x4x6 bias=6 pads_begin=1,1 pads_end=1,1",
          "Convolution f32 src=2x6x5x4:900x100x11x1 weights=3x3x4x6:800x260x40x2 bias=6:3 "
          "dst=2x6x5x6:1900x330x40x1 pads_begin=1,1 pads_end=1,1",
          "Convolution f32 src=2x6x9x5 weights=6x5x3x3 weights_format=OIX",
          "Convolution1 f32 src=2x6x9x5 weights=6x5x3x3 auto_pad=same_lower filter_format=OIX",
          "AtrousConv2d f32 src=1x9x8x5 weights=3x3x5x6 rate=1 padding=SAME"}) {
      for (const int threads : {1, 3}) ASSERT_EQ(wrong_anywhere(line, size, threads), "");
    }
  }
}

// Of 9 MiB, in lines that are whole, or not where channels or addresses forbid it.
TEST(Winograd, IsRightWhereDstGoesPastTheCaches) {
  const auto line = [](const std::string& channels) {
    return "Convolution f32 src=1x190x191x2 weights=3x3x2x" + channels + " bias=" + channels +
           " pads_begin=1,1 pads_end=1,1";
  };
  for (const int size : {2, 4}) {
    EXPECT_TRUE(
        make_plan(problem_of(line("64")), {.winograd = size})->as<Winograd>()->non_temporal_dst);
    EXPECT_EQ(wrong_anywhere(line("64"), size), "");
    EXPECT_EQ(wrong_anywhere(line("64"), size, 1, Side::kUnaligned), "");
    EXPECT_EQ(wrong_anywhere(line("72"), size, 2), "");
  }
}

TEST(Winograd, IsNeverTheDefaultAndLeavesTheRestToTheDirectEngine) {
  const std::string served = "Convolution f32 src=1x9x9x4 weights=3x3x4x6";
  EXPECT_EQ(make_plan(problem_of(served))->name(), "tiles");
  for (const std::string line : {"Convolution f32 src=1x9x9x4 weights=3x3x4x6 strides=1,2",
                                 "Convolution f32 src=1x9x9x4 weights=3x3x4x6 dilations=2,1",
                                 "Convolution f32 src=1x9x9x4 weights=3x5x4x6",
                                 "Convolution f32 src=1x9x9x4 weights=3x3x2x6 groups=2",
                                 "Convolution f32 src=1x9x9x9x4 weights=3x3x3x4x6",
                                 "Convolution f32 src=1x9x4 weights=3x4x6",
                                 "Convolution f32 src=1x4x9x9 weights=3x3x4x6 data_format=NCX",
                                 "Convolution f32 src=1x9x9x0 weights=3x3x0x6",
                                 "Convolution bf16 src=1x9x9x4 weights=3x3x4x6",
                                 "Convolution f16 src=1x9x9x4 weights=3x3x4x6"}) {
    const auto plan = make_plan(problem_of(line), {.winograd = 4});
    ASSERT_TRUE(plan) << line;
    EXPECT_NE(plan->name(), "winograd") << line;
    EXPECT_EQ(testing::try_integers(problem_of(line), {.winograd = 4}, 7), "");
  }
}

TEST(Winograd, ComputesNothingForEmptyOutputs) {
  const Problem problem = problem_of("Convolution f32 src=0x9x9x4 weights=3x3x4x6");
  EXPECT_EQ(make_plan(problem, {.winograd = 2})->name(), "nothing");
}

TEST(Winograd, HasNoTilesOfThree) {
  const auto plan =
      make_plan(problem_of("Convolution f32 src=1x9x9x4 weights=3x3x4x6"), {.winograd = 3});
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.why().detail, "the option winograd is 3, which is none of 0, 2, 4");
}

// One layer's data, and by how much Winograd's result is off the direct engine's.
struct Comparison {
  double error = 0;     // the largest
  double normwise = 0;  // what it may be
  double result = 0;    // the largest element
  double componentwise =
      0;  // the largest error as a part of what two conventional sums may be apart
};

constexpr std::size_t kIC = 24, kOC = 20, kSide = 18;

double largest(const Values& values, std::size_t first, std::size_t step) {
  double most = 0;
  for (std::size_t i = first; i < values.size(); i += step) {
    most = std::max(most, std::fabs(values[i]));
  }
  return most;
}

double gamma(double n) { return n * 0x1p-24 / (1 - n * 0x1p-24); }

Values magnitudes(Values values) {
  for (double& value : values) value = std::fabs(value);
  return values;
}

// Sum over channels of max|g| max|d|.
double norm(const Values& src, const Values& weights) {
  double sum = 0;
  for (std::size_t ic = 0; ic < kIC; ++ic) {
    double g = 0;
    for (std::size_t oc = 0; oc < kOC; ++oc) {
      g = std::max(g, largest(weights, ic * kOC + oc, kIC * kOC));
    }
    sum += g * largest(src, ic, kIC);
  }
  return sum;
}

Comparison compare(int size, const Values& src, const Values& weights) {
  const Problem problem =
      problem_of("Convolution f32 src=1x18x18x24 weights=3x3x24x20 pads_begin=1,1 pads_end=1,1");
  const Values direct = run_dense(problem, {}, src, weights);
  const Values got = run_dense(problem, {.winograd = size}, src, weights);
  const Values S = run_dense(problem, {}, magnitudes(src), magnitudes(weights));
  // docs/numerics.md#bilinear: the error of each side.
  const double c = size == 2 ? 8 : 48;
  const double direct_bound = gamma(9 * kIC + 1);
  Comparison result;
  result.normwise = (gamma(kIC + 15) * c * c + direct_bound * 9) * norm(src, weights);
  result.result = largest(direct, 0, 1);
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double error = std::fabs(got[i] - direct[i]);
    result.error = std::max(result.error, error);
    if (S[i] > 0) {
      result.componentwise = std::max(result.componentwise, error / (2 * direct_bound * S[i]));
    }
  }
  return result;
}

// Magnitudes are uniform, then scaled by a power of two down to 2^-spread.
Values random_values(std::size_t count, unsigned spread, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<float> uniform(-1, 1);
  Values values(count);
  for (double& value : values) {
    const auto scale = static_cast<int>(generator() % (spread + 1));
    value = std::ldexp(static_cast<double>(uniform(generator)), -scale);
  }
  return values;
}

Values random_src(unsigned spread) { return random_values(kSide * kSide * kIC, spread, 1); }
Values random_weights(unsigned spread) { return random_values(9 * kIC * kOC, spread, 2); }

TEST(Winograd, StaysWithinItsNormwiseBoundOfTheDirectEngine) {
  for (const int size : {2, 4}) {
    for (const unsigned spread : {0U, 8U, 24U}) {
      const Comparison c = compare(size, random_src(spread), random_weights(spread));
      EXPECT_LE(c.error, c.normwise) << size << " " << spread;
    }
    // And the bound is narrow enough for every wrong constant.
    const Comparison even = compare(size, random_src(0), random_weights(0));
    EXPECT_LT(even.normwise, 0.02 * even.result) << size;
  }
}

// Why it is a class of its own: the middle taps are 2^20 times the others, every other column of
// src is zero. A window around such a column sees small products only, but shares its tile's sums.
TEST(Winograd, LeavesTheBoundOfAConventionalSumWhereMagnitudesVary) {
  Values src = random_src(0);
  for (std::size_t i = 0; i < src.size(); ++i) {
    if (i / kIC % 2 == 0) src[i] = 0;
  }
  Values weights = random_weights(0);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (i / (kIC * kOC) % 3 == 1) weights[i] *= 0x1p20;
  }
  for (const int size : {2, 4}) {
    const Comparison c = compare(size, src, weights);
    EXPECT_GT(c.componentwise, 100) << size;
    EXPECT_LE(c.error, c.normwise) << size;
  }
}

}  // namespace
}  // namespace concord::optimized
