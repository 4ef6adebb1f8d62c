// SPDX-License-Identifier: Apache-2.0
// Which problems are refused, for which fault, and in which words. Source: docs/spec.md#refusals.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "reference/discrete.h"

namespace concord::reference {
namespace {

using testing::HasSubstr;

struct Row {
  const char* line;
  Fault fault;
  const char* names;  ///< what the sentence must name: the attribute and its value
};

void expect_refused(const Row& row) {
  const auto problem = parse(row.line);
  ASSERT_TRUE(problem) << problem.why().detail;
  const auto geometry = resolve_discrete(*problem);
  ASSERT_FALSE(geometry) << row.line;
  EXPECT_EQ(to_string(geometry.why().fault), to_string(row.fault)) << row.line;
  EXPECT_THAT(geometry.why().detail, HasSubstr(row.names)) << row.line;
}

constexpr const char* kOperations[] = {"Convolution", "Convolution1"};

// The rest of a line of either convolution.
const Row kConvolutionRows[] = {
    {"f32 src=1x5 weights=3x1x1", Fault::kRank, "src=1x5"},
    {"f32 src=() weights=()", Fault::kRank, "src=(): 0 dimensions, not 3 to"},
    {"f32 src=1x2x2x2x2x1 weights=1x1x1x1x1", Fault::kRank, ""},
    {"f32 src=1x5x5x1 weights=3x1x1", Fault::kRank, "weights=3x1x1: 3 dimensions, src has 4"},
    {"f32 src=1x5x1 weights=3x1x1 dst=3", Fault::kRank, "dst=3"},
    {"f32 src=1x-5x1 weights=3x1x1", Fault::kSize, "src=1x-5x1: an extent is negative"},
    {"f32 src=1x5x1 weights=3x1x-1", Fault::kSize, "weights=3x1x-1"},
    {"f32 src=1x5x1 weights=3x1x1 bias=-1", Fault::kSize, "bias=-1"},
    {"f32 src=1x5x1 weights=3x1x1 dst=1x-3x1", Fault::kSize, "dst=1x-3x1"},
    {"f32 src=4294967296x2147483648x1 weights=1x1x1", Fault::kSize, "src="},
    {"f32 src=0x4294967296x4294967296 weights=1x1x1", Fault::kSize, "src="},
    {"f32 src=1x2305843009213693952x1 weights=1x1x1", Fault::kSize, "src="},
    {"f32 src=1x5x1 weights=3x1x1 pads_begin=9223372036854775807", Fault::kSize, "axis W"},
    {"f32 src=1x5x1 weights=3x1x1 dilations=9223372036854775807", Fault::kSize, "axis W"},
    {"f16 src=1073741824x8x1 weights=1x1x2147483648 pads_end=7", Fault::kSize, "dst="},
    {"f32 src=1x5x1:5x-1x1 weights=3x1x1", Fault::kLayout, "src=1x5x1:5x-1x1: a stride is neg"},
    {"f32 src=1x5x1:5x0x1 weights=3x1x1", Fault::kLayout, "src=1x5x1:5x0x1: its strides let"},
    {"f32 src=1x5x1 weights=3x1x2:2x2x1 dst=1x3x2:6x1x2", Fault::kLayout, "dst=1x3x2:6x1x2"},
    {"f32 src=1x5x1 weights=3x1x1 bias=1:-3", Fault::kLayout, "bias=1:-3"},
    {"f32 src=2x5x1:9223372036854775807x1x1 weights=3x1x1", Fault::kLayout, "src="},
    {"f32 src=2x5x1:4611686018427387904x1x1 weights=3x1x1", Fault::kLayout, "src="},
    {"f32 src=1x5x1 weights=3x1x1 strides=()", Fault::kStrides, "strides=(): not one value"},
    {"f32 src=1x5x1 weights=3x1x1 strides=1,1", Fault::kStrides, "strides=1,1"},
    {"f32 src=1x5x1 weights=3x1x1 strides=0", Fault::kStrides, "strides=0"},
    {"f32 src=1x5x5x1 weights=3x3x1x1 strides=2,-2", Fault::kStrides, "strides=2,-2"},
    {"f32 src=1x5x1 weights=3x1x1 dilations=()", Fault::kDilations, "dilations=()"},
    {"f32 src=1x5x1 weights=3x1x1 dilations=0", Fault::kDilations, "dilations=0"},
    {"f32 src=1x5x1 weights=3x1x1 pads_begin=()", Fault::kPads, "pads_begin=()"},
    {"f32 src=1x5x1 weights=3x1x1 pads_end=1,1", Fault::kPads, "pads_end=1,1"},
    {"f32 src=1x5x1 weights=3x1x1 pads_begin=-1", Fault::kPads, "pads_begin=-1"},
    {"f32 src=1x5x1 weights=3x1x1 pads_end=-1", Fault::kPads, "pads_end=-1"},
    {"f32 src=1x5x1 weights=3x1x1 pads_end=-1 auto_pad=valid", Fault::kPads, "pads_end=-1"},
    {"f32 src=1x5x1 weights=3x1x1 groups=0", Fault::kGroups, "groups=0"},
    {"f32 src=1x5x1 weights=3x1x1 groups=-2", Fault::kGroups, "groups=-2"},
    {"f32 src=1x5x7 weights=3x3x4 groups=2", Fault::kChannels, "IC=7"},
    {"f32 src=1x5x4 weights=3x2x3 groups=2", Fault::kChannels, "OC=3"},
    {"f32 src=1x5x4 weights=3x4x2 groups=2", Fault::kChannels, "4 input channels"},
    {"f32 src=1x5x4 weights=3x3x2", Fault::kChannels, "3 input channels"},
    {"f32 src=1x5x1 weights=0x1x1", Fault::kKernel, "KW=0"},
    {"f32 src=1x5x6x1 weights=0x3x1x1", Fault::kKernel, "KH=0"},
    {"f32 src=1x5x1 weights=7x1x1", Fault::kKernel, "7 elements, the padded input 5"},
    {"f32 src=1x5x1 weights=4x1x1 dilations=2", Fault::kKernel, "the output size would be -1"},
    {"f32 src=1x5x1 weights=3x1x2 bias=2x1", Fault::kBias, "bias=2x1"},
    {"f32 src=1x5x1 weights=3x1x2 bias=3", Fault::kBias, "OC=2"},
    {"f32 src=1x5x1 weights=3x1x2 bias=1", Fault::kBias, "bias=1"},
    {"f32 src=1x5x1 weights=3x1x2 bias=()", Fault::kBias, "bias=()"},
    {"f32 src=1x5x1 weights=3x1x2 dst=1x2x2", Fault::kDst,
     "dst=1x2x2: the inferred shape is 1x3x2"},
};

TEST(Refusal, NamesTheFirstFaultOfAConvolutionAndItsValue) {
  for (const char* operation : kOperations) {
    for (const Row& row : kConvolutionRows) {
      const std::string line = std::string(operation) + " " + row.line;
      expect_refused({line.c_str(), row.fault, row.names});
    }
  }
}

// The oneDNN Graph's document has three spatial axes, Convolution-1's any number.
TEST(Refusal, OfMoreThanThreeSpatialAxesIsTheOneDnnGraphsAlone) {
  expect_refused({"Convolution f32 src=1x2x2x2x2x1 weights=1x1x1x1x1x1", Fault::kRank,
                  "src=1x2x2x2x2x1: 6 dimensions, not 3 to 5"});
  const auto accepted =
      resolve_discrete(parse("Convolution1 f32 src=1x2x3x4x5x1 weights=1x1x1x1x1x1").value());
  EXPECT_TRUE(accepted);
  expect_refused({"Convolution1 f32 src=1x2x2x2x2x1 weights=1x1x1x1x1x1 strides=1,1,1",
                  Fault::kStrides, "not one value for each of 4 spatial axes"});
  expect_refused({"Convolution1 f32 src=1x2x2x2x2x1 weights=1x0x1x1x1x1", Fault::kKernel, "KX2=0"});
  expect_refused({"Convolution1 f32 src=1x3x3x3x2x1 weights=1x1x1x4x1x1", Fault::kKernel,
                  "axis X4: the dilated kernel has 4 elements"});
}

const Row kAtrousRows[] = {
    {"AtrousConv2d f32 src=1x5x1 weights=3x1x1 padding=VALID", Fault::kRank, "3 dimensions, not 4"},
    {"AtrousConv2d f32 src=1x5x5x1 weights=3x3x1 padding=VALID", Fault::kRank, "weights=3x3x1"},
    {"AtrousConv2d f32 src=1x5x5x-1 weights=3x3x1x1 padding=VALID", Fault::kSize, "src=1x5x5x-1"},
    {"AtrousConv2d f32 src=1x5x5x1 weights=8589934592x3x1x1 rate=2147483647 padding=VALID",
     Fault::kSize, "axis H"},
    {"AtrousConv2d f32 src=1x5x5x1 weights=3x3x1x1 rate=9223372036854775807 padding=VALID",
     Fault::kDilations, "rate=9223372036854775807"},
    {"AtrousConv2d f32 src=1x5x5x1:1x1x1x1 weights=3x3x1x1 padding=VALID", Fault::kLayout,
     "src=1x5x5x1:1x1x1x1"},
    {"AtrousConv2d f32 src=1x5x5x1 weights=3x3x1x1 rate=0 padding=VALID", Fault::kDilations,
     "rate=0"},
    {"AtrousConv2d f32 src=1x5x5x1 weights=3x3x1x1 rate=-3 padding=VALID", Fault::kDilations,
     "rate=-3"},
    {"AtrousConv2d f32 src=1x5x5x4 weights=3x3x2x1 padding=VALID", Fault::kChannels,
     "2 input channels"},
    {"AtrousConv2d f32 src=1x5x5x1 weights=3x0x1x1 padding=VALID", Fault::kKernel, "KW=0"},
    {"AtrousConv2d f32 src=1x5x5x1 weights=4x3x1x1 rate=2 padding=VALID", Fault::kKernel,
     "size would be -1"},
    {"AtrousConv2d f32 src=1x5x5x1 weights=3x3x1x1 bias=1 padding=VALID", Fault::kBias, "bias=1"},
    {"AtrousConv2d f32 src=1x9x9x1 weights=3x3x1x1 dst=1x5x5x1 padding=VALID", Fault::kDst,
     "1x7x7x1"},
};

TEST(Refusal, NamesTheFirstFaultOfAnAtrousConv2dAndItsValue) {
  for (const Row& row : kAtrousRows) expect_refused(row);
}

// One line that breaks every rule after kRank that one line can; the rules are mended one by one.
TEST(Refusal, ComesInTheOrderOfTheFaults) {
  Problem problem =
      parse(
          "Convolution f32 src=1x5x5:25x0x1 weights=3x2x2 bias=-1 dst=1x9x9 strides=0 "
          "dilations=0 pads_begin=-1 groups=0")
          .value();
  auto& a = std::get<ConvolutionAttributes>(problem.attributes);
  a.auto_pad = static_cast<AutoPad>(99);
  std::vector<Fault> faults;
  const auto mend = [&](auto change) {
    faults.push_back(resolve_discrete(problem).why().fault);
    change();
  };
  mend([&] { problem.bias->dims = {9}; });
  mend([&] { problem.src.strides.clear(); });
  mend([&] { a.strides = {1}; });
  mend([&] { a.dilations = {1}; });
  mend([&] { a.pads_begin = {0}; });
  mend([&] { a.auto_pad = AutoPad::kNone; });
  mend([&] { a.groups = 1; });
  mend([&] { problem.weights.dims = {9, 5, 2}; });
  mend([&] { problem.weights.dims = {3, 5, 2}; });
  mend([&] { problem.bias->dims = {2}; });
  mend([&] { problem.dst.reset(); });
  EXPECT_EQ(faults, (std::vector{Fault::kSize, Fault::kLayout, Fault::kStrides, Fault::kDilations,
                                 Fault::kPads, Fault::kPadding, Fault::kGroups, Fault::kChannels,
                                 Fault::kKernel, Fault::kBias, Fault::kDst}));
  EXPECT_TRUE(resolve_discrete(problem));
}

TEST(Refusal, ReportsAnInferredSizeThatOverflowsBeforeALaterFault) {
  for (const char* line :
       {"Convolution f32 src=1x5x1:5x0x1 weights=3x1x1 pads_end=9223372036854775807",
        "Convolution1 f32 src=1x5x1 weights=3x1x1 groups=0 "
        "pads_end=9223372036854775807"}) {
    EXPECT_EQ(resolve_discrete(parse(line).value()).why().fault, Fault::kSize) << line;
  }
}

TEST(Refusal, CountsTheStridesOfATensor) {
  Problem problem = parse("Convolution f32 src=1x5x1 weights=3x1x1").value();
  for (const Extents& strides : {Extents{5, 1}, Extents{5, 1, 1, 1}}) {
    problem.src.strides = strides;
    const auto geometry = resolve_discrete(problem);
    ASSERT_FALSE(geometry);
    EXPECT_EQ(geometry.why().fault, Fault::kLayout);
    EXPECT_THAT(geometry.why().detail, HasSubstr("strides and dims differ in number"));
  }
}

TEST(Refusal, OfAPaddingThatIsNotSpeltAsTheDocumentHasItNamesIt) {
  for (const char* padding : {"same", "Valid", "SAME_UPPER", "FULL", "SAMEVALID", ""}) {
    const std::string line = "AtrousConv2d f32 src=1x5x5x1 weights=3x3x1x1 padding=";
    expect_refused({(line + padding).c_str(), Fault::kPadding, padding});
  }
}

// "rate: A positive int32."
TEST(Refusal, OfARateBeginsBeyondTheLargestInt32) {
  const std::string line = "AtrousConv2d f32 src=1x5x5x1 weights=1x1x1x1 padding=SAME rate=";
  EXPECT_TRUE(resolve_discrete(parse(line + "2147483647").value()));
  for (const char* rate : {"2147483648", "3000000000"}) {
    expect_refused({(line + rate).c_str(), Fault::kDilations, rate});
  }
}

// Problems that look odd and are valid all the same.
TEST(Acceptance, OfEmptyTensorsAndOfStridesThatDoNotMatter) {
  for (const char* line : {
           "Convolution f32 src=0x5x1 weights=3x1x1",
           "Convolution f32 src=1x5x0 weights=3x0x2 bias=2",
           "Convolution f32 src=1x5x0 weights=3x0x3 groups=3",
           "Convolution f32 src=1x5x2 weights=3x2x0 bias=0",
           "Convolution f32 src=1x0x1 weights=3x1x1 pads_begin=3",
           "Convolution f32 src=1x0x1 weights=3x1x1 auto_pad=same_lower",
           "Convolution1 f32 src=1x0x1 weights=3x1x1 auto_pad=same_lower reading=documented",
           "Convolution f32 src=1x5x1:0x1x9223372036854775807 weights=3x1x1",
           "Convolution f32 src=0x5x1:0x0x0 weights=3x1x1",
           "AtrousConv2d f32 src=1x4x5x1 weights=3x3x1x1 rate=2 padding=VALID",
       }) {
    const auto geometry = resolve_discrete(parse(line).value());
    EXPECT_TRUE(geometry) << line << ": " << geometry.why().detail;
  }
}

TEST(Acceptance, OfNoInputChannelsGivesTheBias) {
  const Problem problem =
      parse("Convolution f32 src=1x3x0 weights=2x0x2 bias=2 data_format=NXC").value();
  const Geometry geometry = resolve_discrete(problem).value();
  EXPECT_EQ(evaluate_discrete(problem, geometry, {}, {}, std::vector<double>{5, -7}).value,
            (std::vector<double>{5, 5, -7, -7}));
}

}  // namespace
}  // namespace concord::reference
