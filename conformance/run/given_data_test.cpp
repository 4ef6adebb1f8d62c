// SPDX-License-Identifier: Apache-2.0
#include "conformance/run/given_data.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace concord::conformance {
namespace {

const Problem kProblem =
    *parse("Convolution f32 src=1x1x4 weights=1x1x2 data_format=NCX weights_format=OIX");

std::vector<double> src_of(const std::string& src) {
  const auto inputs = parse_data("src=" + src + ";weights=1,2", kProblem);
  return inputs ? inputs->src : std::vector<double>{};
}

std::string why_not(const std::string& data) {
  const auto inputs = parse_data(data, kProblem);
  return inputs ? "" : inputs.why().detail;
}

TEST(GivenData, IsReadAsItIsPrinted) {
  const auto inputs = parse_data("src=0*2,0.1875,-1;weights=1,-0", kProblem);
  ASSERT_TRUE(inputs);
  EXPECT_EQ(inputs->src, (std::vector<double>{0, 0, 0.1875, -1}));
  EXPECT_EQ(print_data(kProblem, *inputs), "src=0*2,0.1875,-1;weights=1,-0");
}

TEST(GivenData, MayBeHexadecimal) {
  EXPECT_EQ(src_of("0x1.8p-3,-0x1.8p3,0xap0*2"), (std::vector<double>{0.1875, -12, 10, 10}));
  for (const char* word : {"0x", "0xinf", "0xnan", "0x-1p0", "0x1p", "--0x1p0", "0x1p0 "}) {
    EXPECT_EQ(why_not(std::string("src=0*3,") + word + ";weights=1,2"),
              std::string("src: '") + word + "' is not a number");
  }
}

TEST(GivenData, NamesWhatIsWrongAndTheNearestNumber) {
  EXPECT_EQ(why_not("src=0*3,1e19;weights=1,2"),
            "src: 1e19 is not a value of f32; the nearest is 9.999999980506448e+18");
  EXPECT_EQ(why_not("src=0*3,-1e40;weights=1,2"),
            "src: -1e40 is not a value of f32; the nearest is -3.4028234663852886e+38");
  EXPECT_EQ(why_not("src=0*3;weights=1,2"), "src has 3 elements, not 4");
  EXPECT_EQ(why_not("src=0*5;weights=1,2"), "src has more elements, not 4");
  EXPECT_EQ(why_not("weights=1,2"), "'weights' where 'src=' is expected");
  EXPECT_EQ(why_not("src=0*4;weights=1,2;bias=1"), "'bias=1' after the last list");
}

}  // namespace
}  // namespace concord::conformance
