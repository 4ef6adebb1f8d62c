// SPDX-License-Identifier: Apache-2.0
#include "conformance/catalog/listed.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace concord::conformance {
namespace {

TEST(ReadListed, ReadsNamesAndProblemsAndSkipsComments) {
  const auto read = read_listed({"own",
                                 "# a comment\n\n"
                                 "first-1: AtrousConv2d f32 src=1x5x6x2 weights=3x3x2x4 "
                                 "padding=SAME\n"
                                 "second_2: AtrousConv2d f16 src=1x5x6x2 weights=3x3x2x4 rate=2 "
                                 "padding=VALID"});
  ASSERT_TRUE(read) << read.why().detail;
  ASSERT_EQ(read->size(), 2u);
  EXPECT_EQ((*read)[0].name, "first-1");
  EXPECT_EQ((*read)[1].problem.dtype, Dtype::kF16);
}

TEST(ReadListed, NamesTheFileAndTheLineOfWhatItCannotRead) {
  const std::string good = "a: AtrousConv2d f32 src=1x5x6x2 weights=3x3x2x4 padding=SAME\n";
  const std::pair<std::string, std::string> wrong[] = {
      {good + "no colon", "own:2: not of the form"},
      {good + good, "own:2: named twice: 'a'"},
      {"Upper: AtrousConv2d f32", "own:1: not a name: 'Upper'"},
      {": AtrousConv2d f32", "own:1: not a name: ''"},
      {"\nb: Deconvolution f32 src=1 weights=1", "own:2: 'Deconvolution'"},
  };
  for (const auto& [text, complaint] : wrong) {
    const auto read = read_listed({"own", text});
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.why().fault, Fault::kSyntax);
    EXPECT_EQ(read.why().detail.substr(0, complaint.size()), complaint);
  }
}

TEST(ReadListed, TakesTheFaultThatALineExpects) {
  const std::string line = "a: Convolution f32 src=1x5x1 weights=3x1x1 groups=0";
  for (const auto& [words, expected] :
       {std::pair{"", ""}, {" expect=groups", "groups"}, {" expect=invalid \r", "invalid"}}) {
    const auto read = read_listed({"own", "\n" + line + words});
    ASSERT_TRUE(read) << read.why().detail;
    EXPECT_EQ((*read)[0].expected, expected);
    EXPECT_EQ((*read)[0].line, 2u);
  }
  for (const char* words : {" expect=", " expect=group", " expect=syntax"}) {
    EXPECT_FALSE(read_listed({"own", line + words})) << words;
  }
}

TEST(Networks, HaveAtLeast120DifferentLayers) {
  std::set<std::string> different;
  for (const Network& network : networks()) {
    for (const Listed& layer : network.layers) different.insert(print(layer.problem));
  }
  EXPECT_GE(different.size(), 120u);
}

TEST(Networks, HaveNoLayerTwice) {
  for (const Network& network : networks()) {
    std::set<std::string> lines;
    for (const Listed& layer : network.layers) {
      EXPECT_TRUE(lines.insert(print(layer.problem)).second) << network.name << "/" << layer.name;
    }
  }
}

TEST(Networks, AreThoseThatTheCatalogPromises) {
  std::vector<std::string> names;
  for (const Network& network : networks()) names.push_back(network.name);
  EXPECT_EQ(names, (std::vector<std::string>{
                       "deeplab_v3", "i3d", "mobilenet_v1", "mobilenet_v2", "ppocr_v4_det",
                       "ppocr_v4_rec", "resnet50", "resnext50_32x4d", "silero_vad_v4",
                       "silero_vad_v5", "vgg16", "wavenet", "alexnet", "convnext_t", "inception_v3",
                       "replknet_31b", "vision_transformers", "wav2vec2"}));
}

}  // namespace
}  // namespace concord::conformance
