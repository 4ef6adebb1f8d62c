// SPDX-License-Identifier: Apache-2.0
#include "conformance/record/failure_text.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "conformance/arithmetic/arithmetic.h"

namespace concord::conformance {
namespace {

using Values = std::vector<double>;

concord_arithmetic arithmetic(const std::string& text) { return parse_arithmetic(text).value(); }

std::string exact(Dtype dtype, const std::string& text, double got, double want) {
  const auto judged_by = arithmetic(text);
  const Finding finding = judge_exact(dtype, judged_by, Values{got}, Values{want});
  return finding.worst ? accepted_text(dtype, judged_by, *finding.worst) : "right";
}

std::string interval(Dtype dtype, const std::string& text, double got, double want, double S) {
  const auto judged_by = arithmetic(text);
  const Finding finding = judge_interval(dtype, judged_by, 3, Values{got}, Values{want}, Values{S});
  return finding.worst ? accepted_text(dtype, judged_by, *finding.worst) : "right";
}

TEST(AcceptedText, SaysWhichValueIsNearestWhereOneAloneIsAccepted) {
  EXPECT_EQ(exact(Dtype::kF32, "strict", 0, 1), "1 alone, which every order of summation gives");
  // Numbers of f16 are 32 apart here: 52432 lies in the middle between 52416 and 52448.
  EXPECT_EQ(exact(Dtype::kF16, "strict", 52448, 52432),
            "52416 alone, of the two nearest f16 the even one");
  EXPECT_EQ(exact(Dtype::kF16, "output_rounding=nearest_away", 52416, 52432),
            "52448 alone, of the two nearest f16 the one away from zero");
  EXPECT_EQ(exact(Dtype::kF16, "strict", 52448, 52431), "52416 alone, the nearest f16");
  EXPECT_EQ(exact(Dtype::kF16, "output_rounding=zero", 52448, 52447),
            "52416 alone, the next f16 toward zero");
  EXPECT_EQ(exact(Dtype::kF16, "strict", 65504, 70000), "inf alone, beyond the largest f16");
}

TEST(AcceptedText, NamesBothEndsOfAnInterval) {
  EXPECT_EQ(interval(Dtype::kF32, "strict", 2, 1, 1), "from 0.999999762 to 1.00000024");
  EXPECT_EQ(interval(Dtype::kBF16, "strict", 2, 1, 1),
            "1 alone, to which every sum within the error bound rounds");
}

TEST(AcceptedText, NamesWhatIsAcceptedOutsideOfTheInterval) {
  const double largest = format_of(Dtype::kF32).largest();
  EXPECT_EQ(interval(Dtype::kF32, "strict", 0, largest / 2, 4 * largest),
            "from 1.70140849e+38 to 1.70141508e+38, or inf, or -inf");
}

TEST(AcceptedText, SaysWhatIsWantedThatIsNoNumber) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(exact(Dtype::kF32, "strict", 1, -std::numeric_limits<double>::quiet_NaN()),
            "nan alone");
  EXPECT_EQ(exact(Dtype::kF32, "strict", 1, -infinity), "-inf alone");
}

TEST(ElementText, HasIndexGotWantAndWhatIsAccepted) {
  const Failure failure{{0, 1}, -std::numeric_limits<double>::quiet_NaN(),         52432, 16, 52416,
                        52416,  "52416 alone, of the two nearest f16 the even one"};
  EXPECT_EQ(element_text(failure),
            "dst[0,1]: got nan, want 52432, accepted 52416 alone, of the two nearest f16 the even "
            "one");
}

}  // namespace
}  // namespace concord::conformance
