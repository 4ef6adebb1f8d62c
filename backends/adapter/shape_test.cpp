// SPDX-License-Identifier: Apache-2.0
#include "backends/adapter/shape.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace concord::backends {
namespace {

using ::testing::HasSubstr;

PaddedConvolution lowered(const std::string& line) {
  const auto problem = parse(line);
  EXPECT_TRUE(problem) << problem.why().detail;
  auto padded = lower(*problem);
  if (!padded) {
    ADD_FAILURE() << line << ": " << padded.why().reason;
    return {};
  }
  return *std::move(padded);
}

std::string refusal(const std::string& line) {
  const auto problem = parse(line);
  EXPECT_TRUE(problem) << problem.why().detail;
  const auto padded = lower(*problem);
  if (padded) return "not refused";
  EXPECT_EQ(padded.why().status, CONCORD_INVALID);
  return padded.why().reason;
}

struct Row {
  Extent I, K, S, begin, end;
};

std::string line_of(const char* operation, const Row& row, const std::string& more) {
  return std::string(operation) + " f32 src=1x1x" + std::to_string(row.I) + " weights=1x1x" +
         std::to_string(row.K) + " strides=" + std::to_string(row.S) + " data_format=NCX " + more;
}

void expect_pads(const std::string& line, const Row& row) {
  const PaddedConvolution p = lowered(line);
  EXPECT_EQ(p.pad_begin, Extents{row.begin}) << line;
  EXPECT_EQ(p.pad_end, Extents{row.end}) << line;
  EXPECT_EQ(p.O, Extents{(row.I + row.S - 1) / row.S}) << line;
}

// Worked by hand from the rule: ceil(I/S) windows, what they lack shared between the ends.
TEST(Lower, PutsTheOddElementOfSameUpperAtTheEnd) {
  for (const Row& row : {Row{4, 3, 2, 0, 1},
                         {2, 2, 2, 0, 0},
                         {6, 1, 3, 0, 0},
                         {5, 4, 1, 1, 2},
                         {3, 2, 1, 0, 1},
                         {7, 5, 3, 2, 2}}) {
    expect_pads(line_of("Convolution", row, "weights_format=OIX auto_pad=same_upper"), row);
    expect_pads(line_of("Convolution1", row, "filter_format=OIX auto_pad=same_upper"), row);
  }
}

TEST(Lower, PutsTheOddElementOfSameLowerAtTheBeginning) {
  for (const Row& row : {Row{4, 3, 2, 1, 0}, {5, 4, 1, 2, 1}, {3, 2, 1, 1, 0}}) {
    expect_pads(line_of("Convolution", row, "weights_format=OIX auto_pad=same_lower"), row);
  }
}

TEST(Lower, PadsForStrideOneWhereAConvolutionIsReadAsDocumented) {
  const std::string more = " auto_pad=same_upper reading=documented";
  for (const Row& row : {Row{4, 3, 2, 1, 1}, {2, 2, 2, 0, 1}, {6, 3, 3, 1, 1}}) {
    expect_pads(line_of("Convolution1", row, "filter_format=OIX" + more), row);
    expect_pads(line_of("Convolution", row, "weights_format=OIX" + more), row);
  }
}

TEST(Lower, ReadsABiasOfOneElementForAllChannelsWhereTheDocumentBroadcastsIt) {
  const std::string line = "f32 src=1x1x5x5 weights=4x1x3x3 bias=1 data_format=NCX ";
  const std::string documented = " reading=documented";
  EXPECT_EQ(lowered("Convolution1 " + line + "filter_format=OIX" + documented).bias_stride, 0);
  for (const std::string& refused : {"Convolution1 " + line + "filter_format=OIX",
                                     "Convolution " + line + "weights_format=OIX" + documented}) {
    EXPECT_FALSE(lower(parse(refused).value())) << refused;
  }
}

// A filter of 3 at rate 2 needs four zeros: two on either side, or all of them behind the input.
TEST(Lower, PadsTheSameOfAtrousConv2dBehindTheInputAsPrinted) {
  const std::string line = "AtrousConv2d f32 src=1x1x5x1 weights=1x3x1x1 rate=2 padding=SAME ";
  EXPECT_EQ(lowered(line).pad_begin, (Extents{0, 2}));
  EXPECT_EQ(lowered(line + "reading=documented").pad_begin, (Extents{0, 0}));
  EXPECT_EQ(lowered(line + "reading=documented").pad_end, (Extents{0, 4}));
}

TEST(Lower, IgnoresExplicitPadsUnderAutoPad) {
  const PaddedConvolution p = lowered(
      "Convolution f32 src=1x1x9x9 weights=1x1x3x3 pads_begin=5,6 pads_end=7,8 auto_pad=valid "
      "data_format=NCX weights_format=OIX");
  EXPECT_EQ(p.pad_begin, (Extents{0, 0}));
  EXPECT_EQ(p.O, (Extents{7, 7}));
}

TEST(Lower, MakesADilatedConvolutionOfAtrousConv2d) {
  const PaddedConvolution p =
      lowered("AtrousConv2d f32 src=2x9x10x4 weights=3x2x4x5 rate=3 padding=SAME");
  EXPECT_EQ(p.D, (Extents{3, 3}));
  EXPECT_EQ(p.pad_begin, (Extents{3, 1}));
  EXPECT_EQ(p.pad_end, (Extents{3, 2}));
  EXPECT_EQ(p.dst_dims, (Extents{2, 9, 10, 5}));
  EXPECT_EQ(p.weights.dims, (Extents{5, 4, 3, 2}));
  const PaddedConvolution valid =
      lowered("AtrousConv2d f32 src=1x9x10x4 weights=3x2x4x5 rate=3 padding=VALID");
  EXPECT_EQ(valid.O, (Extents{3, 7}));
}

TEST(Lower, PadsValidAsDocumentedAsFarAsItReachesAndDeclinesWhatLeavesWindowsOut) {
  const std::string line = "AtrousConv2d f32 src=1x9x8x3 weights=2x3x3x4 padding=VALID ";
  const PaddedConvolution p = lowered(line + "rate=4 reading=documented");
  EXPECT_EQ(p.O, (Extents{5, 6}));
  EXPECT_EQ(p.pad_begin, (Extents{0, 0}));
  EXPECT_EQ(p.pad_end, (Extents{0, 6}));
  const auto declined = lower(parse(line + "rate=1 reading=documented").value());
  ASSERT_FALSE(declined);
  EXPECT_EQ(declined.why().status, CONCORD_UNSUPPORTED);
}

TEST(Lower, SeesEveryTensorChannelsFirst) {
  const PaddedConvolution p = lowered(
      "Convolution f32 src=2x7x6 weights=3x2x9 bias=9:2 groups=3 data_format=NXC "
      "weights_format=XIO");
  EXPECT_EQ(to_string(p.src), "2x6x7:42x1x6");
  EXPECT_EQ(to_string(p.weights), "9x2x3:1x9x18");
  EXPECT_EQ(p.G, 3);
}

TEST(Lower, KeepsTheStridesAskedForAndElseMakesDstDense) {
  const std::string line =
      "Convolution f32 src=1x5x2 weights=1x2x3 data_format=NXC "
      "weights_format=XIO";
  EXPECT_EQ(to_string(lowered(line).dst), "1x3x5:15x1x3");
  EXPECT_EQ(to_string(lowered(line + " dst=1x5x3:40x8x2").dst), "1x3x5:40x2x8");
}

TEST(Lower, CutsThePaddedInputThatNoWindowReaches) {
  const PaddedConvolution p = lowered(
      "Convolution f32 src=1x1x6 weights=1x1x3 strides=2 pads_end=1 data_format=NCX "
      "weights_format=OIX");
  EXPECT_EQ(p.O, Extents{3});
}

// The size is a floor: (2-3)/2 is -1, so that there is no output, while (2-3)/1 + 1 is 0 as well.
TEST(Lower, GivesNoOutputWhereTheKernelExceedsTheInputByUpToAStride) {
  const std::string line =
      "Convolution f32 src=1x1x2 weights=1x1x3 data_format=NCX "
      "weights_format=OIX strides=";
  EXPECT_EQ(lowered(line + "1").O, Extents{0});
  EXPECT_EQ(lowered(line + "2").O, Extents{0});
  EXPECT_THAT(refusal("Convolution f32 src=1x1x1 weights=1x1x3 data_format=NCX "
                      "weights_format=OIX"),
              HasSubstr("exceeds"));
}

TEST(Lower, NamesWhatASpecificationForbids) {
  const std::string good =
      "Convolution f32 src=1x4x5x5 weights=6x2x3x3 groups=2 data_format=NCX "
      "weights_format=OIX";
  EXPECT_EQ(refusal(good), "not refused");
  const auto with = [&](const std::string& key, const std::string& value) {
    std::string line;
    std::size_t begin = 0;
    while (begin < good.size()) {
      const std::size_t end = std::min(good.find(' ', begin), good.size());
      const std::string word = good.substr(begin, end - begin);
      if (word.rfind(key + "=", 0) != 0) line += word + " ";
      begin = end + 1;
    }
    return refusal(line + key + "=" + value);
  };
  EXPECT_THAT(with("src", "4x5"), HasSubstr("src has 2 dimensions"));
  EXPECT_THAT(with("weights", "6x2x3"), HasSubstr("weights has 3 dimensions"));
  EXPECT_THAT(with("src", "1x4x5x-5"), HasSubstr("src=1x4x5x-5"));
  EXPECT_THAT(with("src", "1x4x5x5:100x25x5x0"), HasSubstr("overlap"));
  EXPECT_THAT(with("src", "4611686018427387904x4x5x5"), HasSubstr("no size"));
  EXPECT_THAT(with("strides", "1,0"), HasSubstr("strides=1,0"));
  EXPECT_THAT(with("strides", "1"), HasSubstr("strides=1 must be 2 numbers"));
  EXPECT_THAT(with("dilations", "()"), HasSubstr("dilations=()"));
  EXPECT_THAT(with("dilations", "9223372036854775807,1"), HasSubstr("overflows"));
  EXPECT_THAT(with("pads_begin", "0,-1"), HasSubstr("pads_begin=0,-1"));
  EXPECT_THAT(with("pads_end", "9223372036854775807,1"), HasSubstr("overflows"));
  EXPECT_THAT(with("groups", "0"), HasSubstr("groups=0"));
  EXPECT_THAT(with("groups", "3"), HasSubstr("groups=3"));
  EXPECT_THAT(with("weights", "6x2x0x3"), HasSubstr("extent 0 on spatial axis 0"));
  EXPECT_THAT(with("dilations", "1,4"), HasSubstr("exceeds the padded input of 5"));
  EXPECT_THAT(with("bias", "5"), HasSubstr("bias=5"));
  EXPECT_THAT(with("dst", "1x6x3x4"), HasSubstr("should be 1x6x3x3"));
  EXPECT_THAT(refusal("AtrousConv2d f32 src=1x5x5x2 weights=3x3x2x2 bias=2 rate=1 padding=SAME"),
              HasSubstr("AtrousConv2d has none"));
  EXPECT_THAT(refusal("AtrousConv2d f32 src=1x5x5x2 weights=3x3x2x2 rate=0 padding=SAME"),
              HasSubstr("dilations=0,0"));
  EXPECT_THAT(refusal("AtrousConv2d f32 src=1x5x5x2 weights=1x1x2x2 rate=2147483648 padding=SAME"),
              HasSubstr("rate=2147483648"));
  EXPECT_THAT(refusal("AtrousConv2d f32 src=1x5x5x2 weights=3x3x2x2 padding=same"),
              HasSubstr("neither SAME nor VALID"));
}

TEST(Lower, SaysWhatItDid) {
  EXPECT_EQ(lowering_part(*parse("Convolution f32 src=1x1x1 weights=1x1x1 data_format=NCX "
                                 "weights_format=OIX")),
            "");
  EXPECT_EQ(lowering_part(*parse("Convolution f32 src=1x1x1 weights=1x1x1 auto_pad=valid "
                                 "data_format=NCX weights_format=OIX")),
            "auto_pad");
}

TEST(Lower, LeavesMoreThanThreeAxesToThoseThatHaveThem) {
  const std::string line = "f32 src=1x2x4x5x3x6 weights=3x2x2x2x2x2 data_format=NCX ";
  const auto four = lower(*parse("Convolution1 " + line + "filter_format=OIX"));
  ASSERT_TRUE(four);
  EXPECT_EQ(four->spatial_rank, 4U);
  EXPECT_EQ(four->dst_dims, (Extents{1, 3, 3, 4, 2, 5}));
  const auto declined = beyond_three_axes(*four);
  ASSERT_TRUE(declined);
  EXPECT_EQ(declined->status, CONCORD_UNSUPPORTED);
  // The oneDNN Graph's document has no such problem, nor does it forbid one.
  const auto open = lower(*parse("Convolution " + line + "weights_format=OIX"));
  ASSERT_FALSE(open);
  EXPECT_EQ(open.why().status, CONCORD_UNSUPPORTED);
}

}  // namespace
}  // namespace concord::backends
