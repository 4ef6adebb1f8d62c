// SPDX-License-Identifier: Apache-2.0
#include "plugin_codec/plugin_problem.h"

#include <gtest/gtest.h>

namespace concord {
namespace {

std::unique_ptr<PluginProblem> structs_of(const char* line) {
  auto made = PluginProblem::make(*parse(line));
  EXPECT_TRUE(made) << line;
  return *std::move(made);
}

TEST(PluginProblem, CarriesAConvolutionWithAllItsAttributes) {
  const auto made = structs_of(
      "Convolution bf16 src=2x4x9x10 weights=6x2x3x2 bias=6 strides=2,3 pads_begin=1,4 "
      "pads_end=0,5 dilations=6,7 auto_pad=same_lower groups=2 data_format=NCX weights_format=OIX "
      "reading=documented");
  const concord_problem& p = *made->get();
  EXPECT_EQ(p.struct_size, sizeof p);
  EXPECT_EQ(p.operation, CONCORD_CONVOLUTION);
  EXPECT_EQ(p.reading, CONCORD_READING_DOCUMENTED);
  ASSERT_EQ(p.num_inputs, 3);
  EXPECT_EQ(p.inputs[0].dtype, CONCORD_BF16);
  ASSERT_EQ(p.inputs[0].rank, 4);
  EXPECT_EQ(p.inputs[0].dims[3], 10);
  EXPECT_EQ(p.inputs[0].strides[0], 360);  // 4 * 9 * 10: dense where the line has no strides
  EXPECT_EQ(p.inputs[2].dims[0], 6);
  ASSERT_EQ(p.num_outputs, 1);
  EXPECT_EQ(p.outputs[0].dtype, CONCORD_BF16);
  EXPECT_EQ(p.outputs[0].rank, 0);  // the line states no dst
  const auto& a = *static_cast<const concord_convolution*>(p.attributes);
  EXPECT_EQ(a.struct_size, sizeof a);
  ASSERT_EQ(a.strides.size, 2);
  EXPECT_EQ(a.strides.at[1], 3);
  EXPECT_EQ(a.pads_begin.at[1], 4);
  EXPECT_EQ(a.pads_end.at[1], 5);
  EXPECT_EQ(a.dilations.at[0], 6);
  EXPECT_EQ(a.auto_pad, CONCORD_PAD_SAME_LOWER);
  EXPECT_EQ(a.groups, 2);
  EXPECT_EQ(a.data_format, CONCORD_NCX);
  EXPECT_EQ(a.weights_format, CONCORD_OIX);
}

// Where C finds each, and that it is there.
TEST(PluginProblem, NamesItsEnumerators) {
  const Problem problem = *parse(
      "Convolution f32 src=1x5x3 weights=2x3x3 bias=3 auto_pad=valid data_format=NXC "
      "weights_format=XIO reading=documented");
  PluginProblem structs(problem);
  const auto all = enumerators_of(structs, problem);
  std::string names;
  for (const Enumerator& each : all) names += each.name + " " + each.place + "; ";
  EXPECT_EQ(names,
            "operation problem.operation; reading problem.reading; src's dtype inputs[0].dtype; "
            "weights's dtype inputs[1].dtype; bias's dtype inputs[2].dtype; dst's dtype dst.dtype; "
            "auto_pad attributes.auto_pad; data_format attributes.data_format; "
            "weights_format attributes.weights_format; ");
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(all.size()); ++i) {
    *all[static_cast<std::size_t>(i)].number = i + 100;
  }
  const concord_problem& p = *structs.get();
  const auto& a = *static_cast<const concord_convolution*>(p.attributes);
  const std::vector<std::int32_t> found = {p.operation,       p.reading,         p.inputs[0].dtype,
                                           p.inputs[1].dtype, p.inputs[2].dtype, p.outputs[0].dtype,
                                           a.auto_pad,        a.data_format,     a.weights_format};
  EXPECT_EQ(found, (std::vector<std::int32_t>{100, 101, 102, 103, 104, 105, 106, 107, 108}));
}

TEST(PluginProblem, CarriesConvolution1WithItsStrides) {
  const auto made = structs_of(
      "Convolution1 f16 src=1x9x7x3:256x28x4x1 weights=3x3x3x8 dst=1x9x7x8:900x90x10x1 "
      "auto_pad=valid data_format=NXC filter_format=XIO");
  const concord_problem& p = *made->get();
  EXPECT_EQ(p.operation, CONCORD_CONVOLUTION_1);
  EXPECT_EQ(p.num_inputs, 2);
  EXPECT_EQ(p.inputs[0].strides[1], 28);
  EXPECT_EQ(p.outputs[0].rank, 4);
  EXPECT_EQ(p.outputs[0].strides[2], 10);
  const auto& a = *static_cast<const concord_convolution*>(p.attributes);
  EXPECT_EQ(a.auto_pad, CONCORD_PAD_VALID);
  EXPECT_EQ(a.data_format, CONCORD_NXC);
  EXPECT_EQ(a.weights_format, CONCORD_XIO);
}

TEST(PluginProblem, CarriesAnAtrousConv2d) {
  const auto made = structs_of("AtrousConv2d f32 src=2x9x10x2 weights=3x2x2x2 rate=3 padding=SAME");
  EXPECT_EQ(made->get()->operation, CONCORD_ATROUS_CONV2D);
  const auto& a = *static_cast<const concord_atrous_conv2d*>(made->get()->attributes);
  EXPECT_EQ(a.struct_size, sizeof a);
  EXPECT_EQ(a.rate, 3);
  EXPECT_EQ(a.same, 1);
}

TEST(PluginProblem, TellsAPaddingThatIsNeitherSameNorValid) {
  for (const auto& [padding, same] :
       {std::pair{"VALID", 0}, {"SAME", 1}, {"same", 2}, {"valid", 2}, {"", 2}}) {
    const std::string line = "AtrousConv2d f32 src=2x9x10x2 weights=3x2x2x2 padding=";
    const auto made = structs_of((line + padding).c_str());
    EXPECT_EQ(static_cast<const concord_atrous_conv2d*>(made->get()->attributes)->same, same);
  }
}

TEST(PluginProblem, ListsOfAnyLengthPassUpToTheRoomForThem) {
  const char* const line =
      "Convolution f32 src=1x5x1 weights=1x1x1 data_format=NXC weights_format=XIO strides=";
  const auto none = structs_of((std::string(line) + "()").c_str());
  EXPECT_EQ(static_cast<const concord_convolution*>(none->get()->attributes)->strides.size, 0);
  const auto eight = structs_of((std::string(line) + "1,2,3,4,5,6,7,-8").c_str());
  const auto& strides = static_cast<const concord_convolution*>(eight->get()->attributes)->strides;
  EXPECT_EQ(strides.size, 8);
  EXPECT_EQ(strides.at[7], -8);
  Problem problem = *parse(std::string(line) + "1");
  std::get<ConvolutionAttributes>(problem.attributes).strides.assign(9, 1);
  const auto nine = PluginProblem::make(problem);
  ASSERT_FALSE(nine);
  EXPECT_EQ(nine.why().detail, "strides has 9 values; the plugin ABI has room for 8");
}

TEST(PluginProblem, ATensorOfTooManyDimensionsHasNoRoom) {
  Problem problem = *parse("AtrousConv2d f32 src=2x9x10x2 weights=3x2x2x2 padding=SAME");
  problem.weights.dims.assign(9, 1);
  const auto made = PluginProblem::make(problem);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.why().detail, "weights has 9 values; the plugin ABI has room for 8");
}

}  // namespace
}  // namespace concord
