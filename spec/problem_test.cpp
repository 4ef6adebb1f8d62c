// SPDX-License-Identifier: Apache-2.0
#include "spec/problem.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

namespace concord {
namespace {

using testing::HasSubstr;

constexpr const char* kLines[] = {
    "Convolution f32 src=2x4x9x10 weights=6x2x3x2 bias=6 strides=2,2 pads_begin=1,2 pads_end=0,3 "
    "dilations=2,2 groups=2 data_format=NCX weights_format=OIX",
    "Convolution1 bf16 src=1x9x7x3:256x28x4x1 weights=3x3x3x8 auto_pad=same_upper data_format=NXC "
    "filter_format=XIO",
    "AtrousConv2d f32 src=2x9x10x2 weights=3x2x2x2 rate=3 padding=SAME",
    // What no operation accepts must be written and read all the same.
    "Convolution1 f16 src=5x-1x7 weights=-1x0 bias=() dst=1x2:0x-5 strides=() pads_begin=-1,-2,-3 "
    "pads_end=9223372036854775807 dilations=-9223372036854775808 auto_pad=valid groups=-7 "
    "data_format=NCX filter_format=OIX reading=documented",
    "Convolution f32 src=1x5x5x1 weights=3x3x1x1 strides=2 pads_begin=() pads_end=0,0,0 "
    "dilations=1,1,1 auto_pad=same_lower groups=0 data_format=NXC weights_format=XIO",
    "AtrousConv2d f16 src=1x2x3x4x5x6x7x8 weights=9 dst=4:2 rate=-1 padding=VALID "
    "reading=documented",
    // A padding that its document does not spell so, and a rate that is not an int32.
    "AtrousConv2d f32 src=1x5x5x1 weights=3x3x1x1 rate=3000000000 padding=same",
    "AtrousConv2d f32 src=1x5x5x1 weights=3x3x1x1 padding=",
};

TEST(ProblemText, ComesBackAsItWas) {
  for (const char* line : kLines) {
    const auto problem = parse(line);
    ASSERT_TRUE(problem) << problem.why().detail;
    EXPECT_EQ(print(*problem), line);
    EXPECT_EQ(*parse(print(*problem)), *problem);
  }
}

TEST(ProblemText, HoldsEveryField) {
  const Problem problem =
      parse(
          "Convolution1 f16 src=1x9x7x3:256x28x4x1 weights=4x3x2x5 bias=4 dst=1x8x7x4 "
          "strides=1,2 pads_begin=3,4 pads_end=5,6 dilations=7,8 auto_pad=same_lower groups=9 "
          "data_format=NCX filter_format=OIX reading=documented")
          .value();
  Convolution1Attributes a;
  a.strides = {1, 2};
  a.pads_begin = {3, 4};
  a.pads_end = {5, 6};
  a.dilations = {7, 8};
  a.auto_pad = AutoPad::kSameLower;
  a.groups = 9;
  a.data_format = DataFormat::kNCX;
  a.filter_format = WeightsFormat::kOIX;
  Problem want;
  want.dtype = Dtype::kF16;
  want.reading = Reading::kDocumented;
  want.src = {{1, 9, 7, 3}, {256, 28, 4, 1}};
  want.weights = {{4, 3, 2, 5}, {}};
  want.bias = Tensor{{4}, {}};
  want.dst = Tensor{{1, 8, 7, 4}, {}};
  want.attributes = a;
  EXPECT_EQ(problem, want);
  EXPECT_EQ(problem.operation(), Operation::kConvolution1);
}

TEST(ProblemText, GivesATensorAnotherDtypeThanSrc) {
  const std::string line =
      "Convolution f32 src=1x5x1 weights=3x1x2 bias=2 data_format=NXC weights_format=XIO "
      "weights_dtype=f16 dst_dtype=bf16";
  const Problem problem = parse(line + " bias_dtype=f32").value();
  EXPECT_EQ(print(problem), line) << "bias has the dtype of src";
  EXPECT_EQ(dtype_of(problem, Input::kSrc), Dtype::kF32);
  EXPECT_EQ(dtype_of(problem, Input::kWeights), Dtype::kF16);
  EXPECT_EQ(dtype_of(problem, Input::kBias), Dtype::kF32);
  EXPECT_EQ(dtype_of_dst(problem), Dtype::kBF16);
}

TEST(ProblemText, HasNoDtypeOfATensorThatIsNotThere) {
  Problem problem = parse("Convolution f32 src=1x5x1 weights=3x1x2 bias=2 bias_dtype=f16").value();
  problem.bias.reset();
  EXPECT_EQ(print(problem),
            "Convolution f32 src=1x5x1 weights=3x1x2 data_format=NXC weights_format=XIO");
}

TEST(ProblemText, LeavesDefaultsOutAndFillsThemIn) {
  const Problem problem = parse("Convolution f32 src=1x5x6x7x2 weights=3x3x3x2x4").value();
  const auto& a = std::get<ConvolutionAttributes>(problem.attributes);
  EXPECT_EQ(a.strides, (Extents{1, 1, 1}));
  EXPECT_EQ(a.dilations, (Extents{1, 1, 1}));
  EXPECT_EQ(a.pads_begin, (Extents{0, 0, 0}));
  EXPECT_EQ(a.pads_end, (Extents{0, 0, 0}));
  EXPECT_EQ(a.groups, 1);
  EXPECT_EQ(a.auto_pad, AutoPad::kNone);
  EXPECT_EQ(print(problem),
            "Convolution f32 src=1x5x6x7x2 weights=3x3x3x2x4 data_format=NXC weights_format=XIO");
}

TEST(ProblemText, TakesNamesInAnyCaseAndWordsInAnyOrder) {
  EXPECT_EQ(parse("\tconvolution1  F32 filter_format=oix auto_pad=SAME_Upper weights=1x1x3x3 "
                  "reading=Documented data_format=nCx src=1x1x5x5\r\n")
                .value(),
            parse("Convolution1 f32 src=1x1x5x5 weights=1x1x3x3 auto_pad=same_upper "
                  "data_format=NCX filter_format=OIX reading=documented")
                .value());
  EXPECT_EQ(parse("ATROUSCONV2D bf16 src=1x5x5x1 weights=3x3x1x1 padding=SAME").value(),
            parse("AtrousConv2d bf16 padding=SAME weights=3x3x1x1 src=1x5x5x1").value());
}

struct Bad {
  const char* line;
  const char* word;  ///< what the complaint must name
};
const Bad kBad[] = {
    {"", "''"},
    {" \t\r\n", "an empty problem line"},
    {"Convolution2 f32 src=1x5x1 weights=3x1x1", "'Convolution2'"},
    {"Convolution", "'Convolution': no dtype"},
    {"Convolution f65 src=1x5x1 weights=3x1x1", "'f65'"},
    {"Convolution src=1x5x1 weights=3x1x1", "'src=1x5x1': not a dtype"},
    {"Convolution f32 src=1x5x1", "'weights'"},
    {"Convolution f32 weights=1x5x1", "'src'"},
    {"Convolution f32 src=1x5x1 weights=3x1x1 strides", "'strides': not of the form"},
    {"Convolution f32 src=1x5x1 weights=3x1x1 =", "'='"},
    {"Convolution f32 src=1x5x1 weights=3x1x1 stride=1", "'stride=1'"},
    {"Convolution f32 src=1x5x1 weights=3x1x1 STRIDES=1", "'STRIDES=1'"},
    {"Convolution f32 src=1x5x1 weights=3x1x1 rate=1", "'rate=1'"},
    {"Convolution f32 src=1x5x1 weights=3x1x1 filter_format=XIO", "'filter_format=XIO'"},
    {"Convolution1 f32 src=1x5x1 weights=3x1x1 weights_format=XIO", "'weights_format=XIO'"},
    {"AtrousConv2d f32 src=1x5x5x1 weights=3x3x1x1 strides=1,1", "'strides=1,1'"},
    {"Convolution f32 src=1x5x1 src=1x5x1 weights=3x1x1", "'src=1x5x1': this key is given twice"},
    {"Convolution f32 src=1x5x1 weights=3x1x1 groups=1 groups=2", "'groups=2'"},
    {"Convolution f32 src=1x5x1 weights=3x1x1 groups=", "'groups='"},
    {"Convolution f32 src=1x5x1 weights=3x1x1 groups=1.5", "'groups=1.5'"},
    {"Convolution f32 src=1x5x1 weights=3x1x1 groups=+1", "'groups=+1'"},
    {"Convolution f32 src=1x5x1 weights=3x1x1 groups=0x1", "'groups=0x1'"},
    {"Convolution f32 src=1x5x1 weights=3x1x1 groups=9223372036854775808", "775808'"},
    {"Convolution f32 src=1x5x1 weights=3x1x1 groups=-9223372036854775809", "775809'"},
    {"Convolution f32 src=1x5x1 weights=3x1x1 strides=1,", "'strides=1,'"},
    {"Convolution f32 src=1x5x1 weights=3x1x1 strides=,1", "'strides=,1'"},
    {"Convolution f32 src=1x5x1 weights=3x1x1 strides=1x1", "'strides=1x1'"},
    {"Convolution f32 src=1x5x1 weights=3x1x1 strides=(1)", "'strides=(1)'"},
    {"Convolution f32 src=1x5x1 weights=3x1x1 strides=", "'strides='"},
    {"Convolution f32 src=1x5x1 weights=3x1x1 strides=1,1,1,1,1,1,1,1,1", "'strides=1,1"},
    {"Convolution f32 src=1x5x1 weights=3x1x1 auto_pad=same", "none same_upper same_lower valid"},
    {"Convolution f32 src=1x5x1 weights=3x1x1 data_format=NHWC", "'data_format=NHWC'"},
    {"AtrousConv2d f32 src=1x5x5x1 weights=3x3x1x1", "needs padding="},
    {"AtrousConv2d f32 src=1x5x5x1 weights=3x3x1x1 padding=SAM\xc9", "printable"},
    {"Convolution f32 src=1x5x1 weights=3x1x1 reading=both", "'reading=both'"},
    {"CntkConvolution f32 src=5x1 weights=1x3 reading=first_version", "'reading=first_version'"},
    {"Convolution f32 src=1,5,1 weights=3x1x1", "'src=1,5,1'"},
    {"Convolution f32 src=1x5x weights=3x1x1", "'src=1x5x'"},
    {"Convolution f32 src=1x5x1: weights=3x1x1", "'src=1x5x1:'"},
    {"Convolution f32 src=1x5x1:5x1 weights=3x1x1", "'src=1x5x1:5x1'"},
    {"Convolution f32 src=1x5x1:5x1x1:1 weights=3x1x1", "'src=1x5x1:5x1x1:1'"},
    {"Convolution f32 src=():() weights=3x1x1", "'src=():()'"},
    {"Convolution f32 src=1x5x1:() weights=3x1x1", "'src=1x5x1:()'"},
    {"Convolution f32 src=1x5x1 weights=1x1x1x1x1x1x1x1x1", "'weights=1x1x1x1x1x1x1x1x1'"},
    {"Convolution f32 src=1x5x1 weights=3x1x1 bias=", "'bias='"},
    {"Convolution f32 src=1x5x1 weights=3x1x1 src_dtype=f16", "'src_dtype=f16'"},
    {"Convolution f32 src=1x5x1 weights=3x1x1 bias_dtype=f16", "'bias_dtype': there is no such"},
    {"Convolution f32 src=1x5x1 weights=3x1x1 dst_dtype=f17", "'dst_dtype=f17': not one of f32"},
    {"SpaceToBatch f32 src=1x4x4x1 weights_dtype=f16", "'weights_dtype=f16'"},
};

TEST(ProblemText, NamesTheWordThatIsWrong) {
  for (const auto& [line, word] : kBad) {
    const auto problem = parse(line);
    ASSERT_FALSE(problem) << line;
    EXPECT_EQ(problem.why().fault, Fault::kSyntax) << line;
    EXPECT_THAT(problem.why().detail, HasSubstr(word)) << line;
  }
}

TEST(ProblemText, ShowsAWordOfAnyBytesInPrintableOnes) {
  using namespace std::string_literals;
  const auto problem = parse("Convolution f32 src=\xff\x00\x7f\x1b"s);
  ASSERT_FALSE(problem);
  EXPECT_THAT(problem.why().detail, HasSubstr("'src=\\xff\\x00\\x7f\\x1b'"));
}

TEST(ProblemText, CutsAWordThatIsLong) {
  const auto problem = parse(std::string(1 << 20, 'q'));
  ASSERT_FALSE(problem);
  EXPECT_LT(problem.why().detail.size(), 200U);
  EXPECT_THAT(problem.why().detail, HasSubstr("qqq...'"));
}

// True, unless what was read does not come back; false if it was refused.
bool read_and_read_again(const std::string& text) {
  const auto problem = parse(text);
  if (!problem) {
    EXPECT_EQ(problem.why().fault, Fault::kSyntax);
    for (const char c : problem.why().detail) EXPECT_TRUE(c >= ' ' && c <= '~');
    return false;
  }
  const auto again = parse(print(*problem));
  EXPECT_TRUE(again && *again == *problem) << text;
  return true;
}

TEST(ProblemText, SurvivesAnyBytes) {
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    std::string text(random() % 200, ' ');
    for (char& c : text) c = static_cast<char>(random() % 256);
    read_and_read_again(text);
  }
}

TEST(ProblemText, SurvivesBytesChangedInsertedAndLost) {
  constexpr std::string_view kAlphabet = "0123456789-x,:=() \tabcdefnprstw_NXCOI\xff";
  std::mt19937 random(1);
  int accepted = 0, refused = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string text = kLines[random() % std::size(kLines)];
    for (auto changes = 1 + random() % 4; changes > 0; --changes) {
      const std::size_t place = random() % text.size();
      const char letter = kAlphabet[random() % kAlphabet.size()];
      switch (random() % 3) {
        case 0:
          text[place] = letter;
          break;
        case 1:
          text.insert(place, 1, letter);
          break;
        default:
          text.erase(place, 1 + random() % 5);
      }
    }
    ++(read_and_read_again(text) ? accepted : refused);
  }
  EXPECT_GT(accepted, 100);
  EXPECT_GT(refused, 1000);
}

TEST(Problem, FormatsAreThoseOfItsOperation) {
  const Problem convolution = parse(kLines[0]).value();
  EXPECT_EQ(data_format_of(convolution), DataFormat::kNCX);
  EXPECT_EQ(weights_format_of(convolution), WeightsFormat::kOIX);
  const Problem convolution_1 = parse(kLines[1]).value();
  EXPECT_EQ(data_format_of(convolution_1), DataFormat::kNXC);
  EXPECT_EQ(weights_format_of(convolution_1), WeightsFormat::kXIO);
  const Problem atrous = parse(kLines[2]).value();
  EXPECT_EQ(data_format_of(atrous), DataFormat::kNXC);
  EXPECT_EQ(weights_format_of(atrous), WeightsFormat::kXIO);
}

}  // namespace
}  // namespace concord
