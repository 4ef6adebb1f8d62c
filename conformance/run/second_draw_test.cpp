// SPDX-License-Identifier: Apache-2.0
// A failure of statistics alone has to come twice.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>

#include "conformance/run/examine.h"

namespace concord::conformance {
namespace {

using ::testing::HasSubstr;

Case random_case(Fill fill = Fill::kUniform) {
  Case source;
  source.problem = parse(
                       "Convolution f32 src=1x64x2x2 weights=128x64x1x1 data_format=NCX "
                       "weights_format=OIX")
                       .value();
  source.fill = fill;
  source.seed = 11;
  return source;
}

CaseResult examined(const Case& source, const std::string& config) {
  PreparedCase prepared(source);
  Host host({.text = "chance", .path = TEST_CHANCE, .config = config},
            {.worker_program = TEST_WORKER});
  return examine(prepared, host, {});
}

// The bits of src's first element: by them the plugin knows the data.
std::string first_element(const Case& source) {
  PreparedCase prepared(source);
  const double value = prepared.data({}).inputs.src.front();
  return fmt::format("{:08x}", std::bit_cast<std::uint32_t>(static_cast<float>(value)));
}

TEST(SecondDraw, FailsWhatIsBiasedInBoth) {
  const CaseResult result = examined(random_case(), "always");
  EXPECT_EQ(result.verdict, Verdict::kFail);
  EXPECT_EQ(result.tier, Tier::kStatistical);
  EXPECT_THAT(result.reason, HasSubstr("; with a second draw of the data, seed "));
}

TEST(SecondDraw, PassesWhatIsBiasedInTheFirstAloneAndKeepsItsErrors) {
  const Case source = random_case();
  const CaseResult result = examined(source, first_element(source));
  EXPECT_EQ(result.verdict, Verdict::kPass);
  EXPECT_EQ(result.tier, Tier::kInterval);
  EXPECT_THAT(result.reason, HasSubstr("the errors are biased"));
  EXPECT_THAT(result.reason, HasSubstr("; not so with a second draw of the data, seed "));
  ASSERT_TRUE(result.errors);
  const StatisticalFinding finding = judge_statistical(Dtype::kF32, {}, result.errors->sums);
  EXPECT_FALSE(finding.passed());
}

TEST(SecondDraw, IsNotMadeWhereNothingFailed) {
  const CaseResult result = examined(random_case(), "00000000");
  EXPECT_EQ(result.verdict, Verdict::kPass);
  EXPECT_EQ(result.reason, "");
}

TEST(SecondDraw, IsNotMadeForWhatIsNoChance) {
  const Case source = random_case(Fill::kImpulse);
  const CaseResult result = examined(source, first_element(source));
  EXPECT_EQ(result.verdict, Verdict::kFail);
  EXPECT_EQ(result.tier, Tier::kExact);
}

TEST(SecondDraw, IsTheSameEachTime) {
  EXPECT_EQ(examined(random_case(), "always").reason, examined(random_case(), "always").reason);
}

}  // namespace
}  // namespace concord::conformance
