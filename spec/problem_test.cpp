// SPDX-License-Identifier: Apache-2.0
#include "spec/problem.h"

#include <gtest/gtest.h>

namespace concord {
namespace {

constexpr const char* kLines[] = {
    "Convolution f32 src=2x4x9x10 weights=6x2x3x2 bias=6 strides=2,2 pads_begin=1,2 pads_end=0,3 "
    "dilations=2,2 groups=2 data_format=NCX weights_format=OIX",
    "Convolution1 bf16 src=1x9x7x3:256x28x4x1 weights=3x3x3x8 auto_pad=same_upper data_format=NXC "
    "filter_format=XIO",
    "AtrousConv2d f32 src=2x9x10x2 weights=3x2x2x2 rate=3 padding=SAME",
};

TEST(ProblemText, ComesBackAsItWas) {
  for (const char* line : kLines) {
    const auto problem = parse(line);
    ASSERT_TRUE(problem) << problem.why().detail;
    EXPECT_EQ(print(*problem), line);
    EXPECT_EQ(*parse(print(*problem)), *problem);
  }
}

}  // namespace
}  // namespace concord
