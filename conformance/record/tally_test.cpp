// SPDX-License-Identifier: Apache-2.0
#include "conformance/record/tally.h"

#include <gtest/gtest.h>

namespace concord::conformance {
namespace {

Case source(std::string id, Dtype dtype = Dtype::kF32) {
  Case made;
  made.id = std::move(id);
  made.problem.dtype = dtype;
  made.problem.attributes = ConvolutionAttributes{};
  return made;
}

CaseResult passed(double resolution) {
  CaseResult result;
  result.verdict = Verdict::kPass;
  result.tier = Tier::kExact;
  result.arithmetic = "strict";
  result.elements = 10;
  result.resolution = resolution;
  return result;
}

TEST(Tally, CountsWhatTheResultsSay) {
  Tallies tallies;
  tallies.add(source("a/1/f32/integers"), passed(0.5));
  tallies.add(source("a/2/f32/integers"), passed(0.125));
  CaseResult refused;
  refused.verdict = Verdict::kPass;
  refused.tier = Tier::kStatus;
  tallies.add(source("a/3/f32/integers"), refused);
  CaseResult failed = passed(0.125);
  failed.verdict = Verdict::kFail;
  failed.wrong = 3;
  tallies.add(source("a/4/f32/integers"), failed);
  CaseResult vacuous = passed(0.125);
  vacuous.verdict = Verdict::kVacuous;
  tallies.add(source("a/5/f32/integers"), vacuous);
  ASSERT_EQ(tallies.all().size(), 1U);
  const Tally& tally = tallies.all().front();
  EXPECT_EQ(tally.family, "a");
  EXPECT_EQ(tally.cases(), 5U);
  EXPECT_EQ(tally.of(Verdict::kPass), 3U);
  EXPECT_EQ(tally.refused, 1U);
  EXPECT_EQ(tally.elements, 30U);
  EXPECT_EQ(tally.wrong, 3U);
  EXPECT_EQ(tally.sharp, 1U);
  EXPECT_EQ(tally.resolution, 0.125);
  EXPECT_EQ(tally.classes.at("strict"), 4U);
  EXPECT_EQ(tally.sharp_classes, std::set<std::string>{"strict"});
}

TEST(Tally, IsOfOneFamilyOperationAndDtype) {
  Tallies tallies;
  tallies.add(source("a/1/f32/integers"), passed(0.5));
  tallies.add(source("b/1/f32/integers"), passed(0.5));
  tallies.add(source("a/1/f16/integers", Dtype::kF16), passed(0.5));
  EXPECT_EQ(tallies.all().size(), 3U);
}

TEST(Tally, OfPartsIsThatOfTheWhole) {
  Tallies whole, parts, second;
  for (const double resolution : {0.5, 0.25, 0.125}) {
    whole.add(source("a/1/f32/integers"), passed(resolution));
    (resolution < 0.5 ? second : parts).add(source("a/1/f32/integers"), passed(resolution));
  }
  parts.add(second.all());
  EXPECT_EQ(parts.all(), whole.all());
}

TEST(Tally, ComesBackFromItsJson) {
  Tallies tallies;
  tallies.add(source("a/1/f32/integers"), passed(0.125));
  const Tally& tally = tallies.all().front();
  EXPECT_EQ(tally_from_json(to_json(tally)), tally);
  auto json = to_json(tally);
  json["counts"]["PASS"] = -1;
  EXPECT_ANY_THROW(tally_from_json(json));
  json = to_json(tally);
  json.erase("sharp");
  EXPECT_ANY_THROW(tally_from_json(json));
}

}  // namespace
}  // namespace concord::conformance
