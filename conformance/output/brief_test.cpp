// SPDX-License-Identifier: Apache-2.0
#include "conformance/output/brief.h"

#include <gtest/gtest.h>

#include <limits>

#include "conformance/case/seed.h"
#include "conformance/output/results.h"

namespace concord::conformance {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t kSeed = 3;

Case make_case(const std::string& name, Fill fill) {
  Case made;
  made.problem = *parse("Convolution f32 src=1x1x3 weights=1x1x2 data_format=NCX");
  made.fill = fill;
  made.id = name + "/f32/" + std::string(to_string(fill));
  made.seed = case_seed(kSeed, made.id);
  return made;
}

CaseResult ended(Verdict verdict, double margin = 0.123456) {
  CaseResult result;
  result.verdict = verdict;
  result.tier = Tier::kInterval;
  result.arithmetic = "strict";
  result.elements = 6;
  result.margin = margin;
  result.resolution = 1e-7 / 3;
  result.milliseconds = 0.123456;
  return result;
}

BackendRun backend_of(const std::vector<std::optional<CaseResult>>& results) {
  BackendRun backend;
  backend.spec = {.text = "some", .path = "/some.so", .config = ""};
  backend.results = results;
  return backend;
}

Json json_of(const std::vector<Case>& cases, const std::vector<BackendRun>& backends) {
  RunDescription description;
  description.seed = kSeed;
  return results_json(cases, {.backends = backends}, description);
}

TEST(Brief, DescribesEachProblemOnceForAllBackends) {
  const std::vector<Case> cases = {make_case("a/1", Fill::kIntegers), make_case("a/1", Fill::kWide),
                                   make_case("a/2", Fill::kIntegers)};
  const auto passed = ended(Verdict::kPass);
  const auto json = json_of(
      cases, {backend_of({passed, passed, passed}), backend_of({passed, passed, std::nullopt})});
  EXPECT_EQ(json["cases"]["fills"], Json::array({"integers", "wide"}));
  ASSERT_EQ(json["cases"]["problems"].size(), 2U);
  const auto& [first, second] =
      std::pair(json["cases"]["problems"][0], json["cases"]["problems"][1]);
  EXPECT_EQ(first[0], 0);
  EXPECT_EQ(first[1], "a/1");
  std::string text;
  for (const std::size_t number : first[2].get<std::vector<std::size_t>>()) {
    text += (text.empty() ? "" : " ") + json["cases"]["words"][number].get<std::string>();
  }
  EXPECT_EQ(text, print(cases[0].problem));
  EXPECT_EQ(first[3], 0);
  EXPECT_EQ(first[4], Json::array({0, 1}));
  EXPECT_EQ(second, Json({2, "2", first[2], 0, Json::array({0})}));
  EXPECT_EQ(json["cases"]["trait_sets"].size(), 1U);
  const auto& brief = json["backends"][0]["brief"];
  EXPECT_EQ(brief["outcomes"].size(), 1U);
  EXPECT_EQ(brief["outcomes"][0]["tier"], "interval");
  EXPECT_EQ(brief["cases"], Json::parse("[[0,3]]"));
  EXPECT_EQ(brief["outcome"], Json::array({0, 0, 0}));
  EXPECT_EQ(brief["margin"], Json::array({0.1235, 0.1235, 0.1235}));
  EXPECT_EQ(brief["resolution"][0], 3.333e-8);
  EXPECT_EQ(brief["milliseconds"][0], 0.12);
  EXPECT_EQ(json["backends"][1]["brief"]["cases"], Json::parse("[[0,2]]"));
}

TEST(Brief, SharesNoPartOfACharacterBetweenNames) {
  const std::vector<Case> cases = {make_case("a/\xc3\xa9", Fill::kIntegers),
                                   make_case("a/\xc3\xa8", Fill::kIntegers)};
  const auto passed = ended(Verdict::kPass);
  const auto json = json_of(cases, {backend_of({passed, passed})});
  EXPECT_EQ(json["cases"]["problems"][1][0], 2);
  EXPECT_EQ(json["cases"]["problems"][1][1], "\xc3\xa8");
}

TEST(Brief, HasNoFailuresAndNoCaseWhoseIdOrSeedDoesNotFollowFromItsName) {
  std::vector<Case> cases = {make_case("a/1", Fill::kIntegers), make_case("a/2", Fill::kIntegers),
                             make_case("a/3", Fill::kIntegers), make_case("a/4", Fill::kIntegers),
                             make_case("a/5", Fill::kIntegers)};
  cases[2].id = "a/3";
  cases[3].seed = 7;
  const auto passed = ended(Verdict::kPass);
  const auto json =
      json_of(cases, {backend_of({passed, ended(Verdict::kFail), passed, passed, passed})});
  const auto& backend = json["backends"][0];
  EXPECT_EQ(json["cases"]["problems"].size(), 3U);
  EXPECT_EQ(backend["brief"]["cases"], Json::parse("[[0,1],[2,1]]"));
  ASSERT_EQ(backend["results"].size(), 3U);
  EXPECT_EQ(backend["results"][0]["verdict"], "FAIL");
  EXPECT_EQ(backend["results"][1]["case"], "a/3");
  EXPECT_EQ(backend["results"][2]["seed"], "7");
}

TEST(Brief, NumbersThatAreNotFiniteAreWords) {
  const double infinity = std::numeric_limits<double>::infinity();
  const auto json =
      json_of({make_case("a/1", Fill::kWide)}, {backend_of({ended(Verdict::kPass, infinity)})});
  EXPECT_EQ(json["backends"][0]["brief"]["margin"], Json::array({"inf"}));
}

TEST(Printed, HasRowsOnLines) {
  EXPECT_EQ(
      printed({{"a", {1, 2}}, {"b", {{"c", Json::parse(R"([["x",[1]],["y",[]]])")}}}}),
      "{\n \"a\": [1,2],\n \"b\": {\n  \"c\": [\n   [\"x\",[1]],\n   [\"y\",[]]\n  ]\n }\n}\n");
  EXPECT_EQ(printed(Json::object()), "{}\n");
  const Json json = Json::parse(R"({"k\"ey":[{"a":null},[]],"text":"\u0001é"})");
  EXPECT_EQ(Json::parse(printed(json)), json);
}

TEST(Printed, IsShortForAPassedCase) {
  std::vector<Case> cases;
  std::vector<std::optional<CaseResult>> results;
  for (int i = 0; i < 1000; ++i) {
    for (const Fill fill : {Fill::kIntegers, Fill::kUniform}) {
      cases.push_back(make_case("tuples/" + std::to_string(i), fill));
      results.emplace_back(ended(Verdict::kPass, i / 1001.0));
    }
  }
  const auto none = printed(json_of({}, {backend_of({})})).size();
  EXPECT_LE(printed(json_of(cases, {backend_of(results)})).size() - none, 70 * cases.size());
}

}  // namespace
}  // namespace concord::conformance
