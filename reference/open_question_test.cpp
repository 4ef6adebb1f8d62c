// SPDX-License-Identifier: Apache-2.0
// Which refusals no document asks for. Source: docs/spec.md#what-the-documents-leave-open.
#include "reference/open_question.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/reference.h"

namespace concord::reference {
namespace {

using testing::HasSubstr;

std::optional<OpenQuestion> question_of(const std::string& line) {
  const auto problem = parse(line);
  EXPECT_TRUE(problem) << line;
  return open_question(*problem);
}

struct Open {
  const char* line;
  const char* why;
  std::optional<Extents> dst_dims;
};
const Open kOpen[] = {
    {"Convolution f32 src=1x5x6x3 weights=3x3x3x4 pads_begin=-1,0 auto_pad=same_upper",
     "pads_begin=-1,0 under auto_pad=same_upper", Extents{1, 5, 6, 4}},
    {"Convolution f32 src=1x5x6x3 weights=3x3x3x4 pads_end=0,-2 auto_pad=same_lower",
     "pads_end=0,-2 under auto_pad=same_lower", Extents{1, 5, 6, 4}},
    {"Convolution1 f32 src=1x5x6x3 weights=3x3x3x4 pads_end=0,-2 auto_pad=valid",
     "pads_end=0,-2 under auto_pad=valid", Extents{1, 3, 4, 4}},
    {"Convolution f32 src=1x5x6x3 weights=3x3x3x4 pads_begin=1,1,1 auto_pad=valid",
     "pads_begin=1,1,1", Extents{1, 3, 4, 4}},
    {"Convolution f32 src=1x5x1:5x0x1 weights=3x1x1", "src=1x5x1:5x0x1", Extents{1, 3, 1}},
    {"Convolution f32 src=1x5x1 weights=3x1x1:0x1x1", "weights=3x1x1:0x1x1", Extents{1, 3, 1}},
    {"Convolution f32 src=1x5x1 weights=3x1x1 dst=1x4x1", "dst=1x4x1", Extents{1, 3, 1}},
    {"Convolution f32 src=1x5x1 weights=3x1x1 dst=3", "dst=3", Extents{1, 3, 1}},
    {"Convolution f32 src=1x5x1 weights=0x1x1", "weights=0x1x1", std::nullopt},
    {"AtrousConv2d f32 src=1x5x5x1 weights=3x0x1x1 padding=SAME", "weights=3x0x1x1", std::nullopt},
    {"CntkConvolution f32 src=9x8x3x2 weights=4x18 kernel=3,2,3 stride=1,1,3 autoPadding=false "
     "weights_dtype=f16",
     "different dtypes", Extents{7, 7, 4, 2}},
    {"SpaceToBatch f32 src=1x4x4x1 block_size=2 dst_dtype=f16", "different dtypes",
     Extents{4, 2, 2, 1}},
    {"CntkConvolution f32 src=10x9x3x2 weights=4x18 kernel=3,2,3 stride=1,1,3 "
     "autoPadding=true,true,false lowerPad=-1,0,0",
     "lowerPad=-1,0,0", Extents{10, 9, 4, 2}},
    {"CntkConvolution f32 src=10x9x3x2 weights=4x18 kernel=3,2,3 stride=1,1,3 autoPadding=false "
     "maxTempMemSizeInSamples=-1",
     "maxTempMemSizeInSamples=-1", Extents{8, 8, 4, 2}},
    {"ContinuousConvolution f32 src=1x2x8x9 weights=422 scale=4294967296/3,1 channels=3",
     "scale=4294967296/3", std::nullopt},
    {"ContinuousConvolution f32 src=1x2x8x9 weights=422 scale=2/3,0.7 kernel=3,0 channels=3",
     "kernel=3,0", std::nullopt},
};

TEST(OpenQuestion, IsWhatNoDocumentForbidsAndTellsTheShapeIfOneFollows) {
  for (const Open& row : kOpen) {
    EXPECT_FALSE(resolve(parse(row.line).value())) << row.line;
    const auto question = question_of(row.line);
    ASSERT_TRUE(question) << row.line;
    EXPECT_THAT(question->why, HasSubstr(row.why)) << row.line;
    EXPECT_EQ(question->dst_dims, row.dst_dims) << row.line;
  }
}

TEST(OpenQuestion, IsNoneWhereADocumentForbidsTheProblemOrNothingDoes) {
  for (const char* line : {
           "Convolution f32 src=1x5x1 weights=3x1x1",
           "Convolution f32 src=1x5x1 weights=3x1x1 pads_begin=-1",
           "Convolution f32 src=1x5x1 weights=3x1x1 pads_begin=-1 auto_pad=valid groups=0",
           "Convolution f32 src=1x5x1 weights=9x1x1 pads_begin=-1 auto_pad=valid",
           "Convolution f32 src=1x5x1:-5x1x1 weights=3x1x1",
           "Convolution f32 src=2x5x1 weights=3x1x1 dst=2x3x1:0x1x1",
           "Convolution f32 src=1x5x1 weights=9x1x1 dst=1x3x1",
           "Convolution f32 src=1x5x1 weights=0x1x1 strides=0",
           "AtrousConv2d f32 src=1x5x5x1 weights=3x3x1x1 padding=same",
           "AtrousChain f32 src=1x6x6x2 weights=2x3x3x2x2 weights_dtype=bf16 rate=2",
           "AtrousConv2d f32 src=1x5x5x1 weights=3x3x1x1 rate=3000000000 padding=SAME",
           "CntkConvolution f32 src=10x9x3x2 weights=4x18 kernel=3,2,3 stride=1,1,3 "
           "autoPadding=true,false,false lowerPad=0,-1,0",
           "ContinuousConvolution f32 src=1x2x8x9 weights=422 scale=-2147483648/3,1 channels=3",
           "CntkConvolution f32 src=9x8x3x2 weights=4x18 kernel=3,2,3 stride=1,1,3 "
           "autoPadding=false imageLayout=HWC",
           "ContinuousConvolution f32 src=1x2x8x9 weights=421 scale=2/3,0.7 channels=3",
       }) {
    EXPECT_FALSE(question_of(line)) << line;
  }
}

// "Broadcasting is supported", the document says of Convolution-1's bias.
TEST(OneBias, IsAddedToAllChannelsAsDocumentedAndRefusedAsImplemented) {
  const Problem problem = *parse(
      "Convolution1 f32 src=1x1x3 weights=2x1x2 bias=1 data_format=NCX "
      "filter_format=OIX reading=documented");
  const std::vector<double> src{1, 2, 4}, weights{1, 0, 1, 1}, bias{100};
  const auto resolution = resolve(problem);
  ASSERT_TRUE(resolution);
  EXPECT_EQ(evaluate(problem, *resolution, {src, weights, bias, {}}).value,
            (std::vector<double>{101, 102, 103, 106}));
  EXPECT_TRUE(may_be_refused(problem));

  Problem implemented = problem;
  implemented.reading = Reading::kImplemented;
  EXPECT_EQ(resolve(implemented).why().fault, Fault::kBias);
  EXPECT_FALSE(may_be_refused(implemented));
  Problem one_channel = problem;
  one_channel.weights.dims[0] = 1;
  EXPECT_FALSE(may_be_refused(one_channel)) << "one element a channel";
  Problem no_channel = problem;
  no_channel.weights.dims[0] = 0;
  EXPECT_TRUE(may_be_refused(no_channel)) << "one element too many";
}

}  // namespace
}  // namespace concord::reference
