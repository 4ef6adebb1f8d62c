// SPDX-License-Identifier: Apache-2.0
#include "reference/tf_atrous_chain.h"

#include <gmock/gmock.h>

#include "reference/reference.h"

namespace concord::reference {
namespace {

using testing::HasSubstr;

using Doubles = std::vector<double>;

std::string chain(const std::string& operands, const std::string& attributes) {
  return "AtrousChain f32 " + operands + " " + attributes;
}

Doubles values_of(const std::string& line, const Doubles& value, const Doubles& filters) {
  const auto problem = parse(line);
  EXPECT_TRUE(problem) << line;
  const auto resolution = resolve(*problem);
  EXPECT_TRUE(resolution) << line;
  return evaluate(*problem, *resolution, {value, filters, {}, {}}).value;
}

// Erratum 4 of docs/spec.md: one layer gives 4 6 9 6 8, and the shortcut reads a 4 of no pixel.
TEST(AtrousChainProblem, IsTheSequenceAndAsDocumentedTheShortcut) {
  const std::string operands = "src=1x1x5x1 weights=2x1x3x1x1";
  const Doubles value{1, 2, 3, 4, 5}, ones(6, 1);
  EXPECT_EQ(values_of(chain(operands, "rate=2"), value, ones), (Doubles{13, 12, 21, 12, 17}));
  EXPECT_EQ(values_of(chain(operands, "rate=2 reading=documented"), value, ones),
            (Doubles{13, 12, 21, 16, 17}));
}

TEST(AtrousChainProblem, OfOneLayerIsThatLayerInBothReadings) {
  for (const char* reading : {"", " reading=documented"}) {
    EXPECT_EQ(values_of(chain("src=1x1x5x1 weights=1x1x3x1x1", std::string("rate=2") + reading),
                        {1, 2, 3, 4, 5}, {1, 1, 1}),
              (Doubles{4, 6, 9, 6, 8}));
  }
}

// The filters 1 0 0 move every pixel by the rate, 0 1 0 leave it, and 0 0 2 move it back, doubled.
TEST(AtrousChainProblem, TakesItsFiltersInTheirOrder) {
  EXPECT_EQ(values_of(chain("src=1x1x4x1 weights=3x1x3x1x1", "rate=1"), {1, 2, 3, 4},
                      {1, 0, 0, 0, 1, 0, 0, 0, 2}),
            (Doubles{2, 4, 6, 0}));
}

// By hand: the first layer gives 3 -2 of magnitudes 3 2.
TEST(AtrousChainProblem, HasTheMagnitudeOfTheChainWithoutSigns) {
  const auto problem = *parse(chain("src=1x1x2x1 weights=2x1x3x1x1", "rate=1"));
  const auto resolution = resolve(problem);
  ASSERT_TRUE(resolution);
  EXPECT_EQ(resolution->products, 6);
  EXPECT_EQ(resolution->stores, 1);
  const Doubles value{1, -2}, filters{0, 1, -1, 1, 1, 0};
  const Oracle oracle = evaluate(problem, *resolution, {value, filters, {}, {}});
  EXPECT_EQ(oracle.value, (Doubles{3, 1}));
  EXPECT_EQ(oracle.magnitude, (Doubles{3, 5}));
}

TEST(AtrousChainProblem, RefusalsNameWhatIsWrong) {
  const auto why = [](const char* operands, const char* attributes) {
    const auto resolution = resolve(*parse(chain(operands, attributes)));
    return resolution
               ? std::string("valid")
               : std::string(to_string(resolution.why().fault)) + ": " + resolution.why().detail;
  };
  EXPECT_THAT(why("src=1x4x4x1 weights=3x3x1x1", "rate=2"), HasSubstr("rank: weights=3x3x1x1"));
  EXPECT_THAT(why("src=1x4x4x1 weights=2x3x3x1x1", "rate=0"), HasSubstr("dilations: rate=0"));
  EXPECT_THAT(why("src=1x4x4x1 weights=2x3x2x1x1", "rate=1"), HasSubstr("kernel: "));
  EXPECT_THAT(why("src=1x4x4x1 weights=0x3x3x1x1", "rate=1"), HasSubstr("kernel: "));
  EXPECT_THAT(why("src=1x4x4x2 weights=2x3x3x2x1", "rate=1"), HasSubstr("channels: "));
  EXPECT_THAT(why("src=9x4x4x1 weights=2x3x3x1x1", "rate=2147483647"), HasSubstr("size: "));
  EXPECT_EQ(why("src=1x4x4x1 weights=2x3x3x1x1", "rate=2147483647"), "valid");
}

}  // namespace
}  // namespace concord::reference
