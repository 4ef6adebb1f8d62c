// SPDX-License-Identifier: Apache-2.0
#include "conformance/run/work.h"

#include <gtest/gtest.h>

namespace concord::conformance {
namespace {

double work_of(const std::string& line) {
  const Problem problem = *parse(line);
  return predicted_work(problem, *reference::resolve(problem));
}

// Worked by hand: 1x4x6x6 outputs of 2x3x3 products, and 32 for each of 128 + 72 + 144 elements.
TEST(Work, IsTheProductsOfAllOutputsAndSomethingForEachElement) {
  EXPECT_EQ(work_of("Convolution f32 src=1x2x8x8 weights=4x2x3x3 data_format=NCX "
                    "weights_format=OIX"),
            144 * 18 + 32 * (128 + 72 + 144));
}

// Worked by hand: 18 outputs of up to 4 products; what only the literal reference computes
// counts 32.
TEST(Work, TermsOfTheLiteralReferenceCountMore) {
  const double work = work_of("CntkConvolution2d f32 src=3x1x2x1 weights=1x2");
  EXPECT_GT(work, 32 * 6);
  EXPECT_LT(work, 1e4);
}

// Measured: neighbours take 0.5 to 0.6 us each, these 40 ms, some 3e8 multiply-adds.
TEST(Work, NeighboursOfTheContinuousLayerTakeTimeWhateverTheKernel) {
  const auto work = [](const char* widths) {
    return work_of(std::string("ContinuousConvolution f32 src=1x1x4x4 weights=0 channels=1 "
                               "kernel=1,64 size=1,1024 scale=1,1/64 boundary=replicate "
                               "function=keys widths=") +
                   widths);
  };
  EXPECT_GT(work("16,16"), 1e8);
  EXPECT_LT(work("16,16"), 1e9);
  EXPECT_EQ(work("16,16"), work("4611686018427387904,3"));
}

TEST(Work, ACaseOfYearsIsRefusedWithBothNumbers) {
  const Problem problem = *parse(
      "Convolution f32 src=1x1x1x33554432 weights=1x1x1x2097152 data_format=NCX "
      "weights_format=OIX");
  const auto resolution = reference::resolve(problem);
  const auto reason = exceeds_work(problem, *resolution, kDefaultMaxWork);
  ASSERT_TRUE(reason);
  EXPECT_EQ(
      *reason,
      "judging the case needs some 6.6e+13 multiply-adds of the reference; the limit is 1e+12 "
      "(--max-work)");
  EXPECT_FALSE(exceeds_work(problem, *resolution, 1e14));
}

}  // namespace
}  // namespace concord::conformance
