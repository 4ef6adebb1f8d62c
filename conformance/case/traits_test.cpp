// SPDX-License-Identifier: Apache-2.0
#include "conformance/case/traits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace concord::conformance {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> traits(const char* line) { return traits_of(*parse(line)); }

TEST(Traits, NameWhatAProblemVaries) {
  EXPECT_THAT(traits("Convolution f32 src=1x4x9x10 weights=4x1x3x2 bias=4 strides=2,1 "
                     "dilations=2,2 groups=4 pads_begin=1,1 data_format=NCX weights_format=OIX"),
              ElementsAre("2d", "depthwise", "strided", "uneven_strides", "dilated", "padded",
                          "asymmetric_pads", "even_kernel", "bias", "NCX", "OIX"));
  EXPECT_THAT(traits("Convolution1 f32 src=1x9x4 weights=1x2x4 groups=2 auto_pad=same_lower "
                     "dst=1x9x4:72x8x1 reading=documented"),
              ElementsAre("1d", "grouped", "same_lower", "pointwise", "strided_memory", "NXC",
                          "XIO", "documented"));
  EXPECT_THAT(traits("AtrousConv2d f32 src=1x9x9x1 weights=3x3x1x1 rate=2 padding=SAME"),
              ElementsAre("2d", "dilated", "SAME", "NXC", "XIO"));
}

TEST(Traits, AreMadeForProblemsThatBreakEveryRule) {
  EXPECT_THAT(traits("Convolution f32 src=() weights=5 strides=() groups=0"),
              ElementsAre("grouped", "NXC", "XIO"));
}

}  // namespace
}  // namespace concord::conformance
