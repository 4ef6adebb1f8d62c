// SPDX-License-Identifier: Apache-2.0
#include "conformance/output/results.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include "conformance/output/summary.h"

namespace concord::conformance {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::ordered_json;

Case make_case(const std::string& id) {
  Case made;
  made.id = id;
  made.problem = *parse("Convolution f32 src=1x1x3 weights=1x1x2 data_format=NCX");
  made.seed = 7;
  return made;
}

CaseResult ended(Verdict verdict) {
  CaseResult result;
  result.verdict = verdict;
  result.reason = "because <\"&'>";
  return result;
}

// A backend with one case for each of the verdicts given.
BackendRun backend_of(const std::vector<Verdict>& verdicts) {
  BackendRun backend;
  backend.spec = {.text = "some", .path = "/some.so", .config = ""};
  for (const Verdict verdict : verdicts) backend.results.emplace_back(ended(verdict));
  return backend;
}

std::vector<Case> cases_for(const BackendRun& backend) {
  std::vector<Case> cases;
  for (std::size_t i = 0; i < backend.results.size(); ++i) {
    cases.push_back(make_case("case/" + std::to_string(i)));
  }
  return cases;
}

TEST(Conclusion, DeclinedAndVacuousNeverCountAsPassed) {
  EXPECT_EQ(conclude(backend_of({})), Conclusion::kUnknown);
  EXPECT_EQ(conclude(backend_of({Verdict::kDeclined})), Conclusion::kUnknown);
  EXPECT_EQ(conclude(backend_of({Verdict::kVacuous, Verdict::kDeclined})), Conclusion::kUnknown);
  EXPECT_EQ(conclude(backend_of({Verdict::kDeclined, Verdict::kPass})), Conclusion::kConforms);
}

TEST(Conclusion, OneFailureOfAnyKindOutweighsEveryPass) {
  for (const Verdict verdict :
       {Verdict::kFail, Verdict::kClaimBroken, Verdict::kCrash, Verdict::kHang}) {
    EXPECT_EQ(conclude(backend_of({Verdict::kPass, verdict, Verdict::kHarnessError})),
              Conclusion::kDoesNot)
        << to_string(verdict);
  }
}

TEST(Conclusion, CasesThatHadNoTurnMakeItUnknownUnlessSomethingFailed) {
  auto backend = backend_of({Verdict::kPass});
  backend.results.emplace_back(std::nullopt);
  EXPECT_EQ(conclude(backend), Conclusion::kUnknown);
  backend.results.emplace_back(ended(Verdict::kFail));
  EXPECT_EQ(conclude(backend), Conclusion::kDoesNot);
}

TEST(Conclusion, ABackendThatDiesWhenItIsClosedDoesNotConform) {
  auto backend = backend_of({Verdict::kPass});
  backend.bad_end = "in close: SIGABRT";
  EXPECT_EQ(conclude(backend), Conclusion::kDoesNot);
  EXPECT_THAT(headline(backend, "smoke"),
              HasSubstr("does not conform - 1 passed, 0 failed, 0 vacuous, 0 declined, "
                        "did not end well: in close: SIGABRT (smoke)"));
  const auto cases = cases_for(backend);
  const std::string junit = junit_xml(cases, {.backends = {backend}}, {});
  EXPECT_THAT(junit, HasSubstr("tests=\"2\" failures=\"1\""));
  EXPECT_THAT(junit, HasSubstr("name=\"close\"><failure type=\"CRASH\""));
  EXPECT_EQ(results_json(cases, {.backends = {backend}}, {})["backends"][0]["error"],
            "in close: SIGABRT");
}

TEST(CoveringText, NeverRoundsUp) {
  RunDescription description;
  EXPECT_EQ(covering_text(description), "");
  description.covering = {3325, 3325, 76936, 76937};
  EXPECT_EQ(covering_text(description),
            "covering: 3,325 of 3,325 (100.0 %) pairs and 76,936 of 76,937 (99.9 %) triples of "
            "attribute levels\n");
}

TEST(Conclusion, OurOwnTroubleMakesItUnknown) {
  EXPECT_EQ(conclude(backend_of({Verdict::kPass, Verdict::kHarnessError})), Conclusion::kUnknown);
}

TEST(ExitCode, IsOneForAFailureEvenBesideABackendThatCannotBeJudged) {
  RunOutcome outcome;
  EXPECT_EQ(exit_code(outcome), 2);
  outcome.backends = {backend_of({Verdict::kPass})};
  EXPECT_EQ(exit_code(outcome), 0);
  outcome.backends.push_back(backend_of({Verdict::kDeclined}));
  EXPECT_EQ(exit_code(outcome), 2);
  outcome.backends.push_back(backend_of({Verdict::kFail}));
  EXPECT_EQ(exit_code(outcome), 1);
}

TEST(Headline, CountsEveryVerdictByItself) {
  std::vector<Verdict> verdicts(1204, Verdict::kPass);
  verdicts.insert(verdicts.end(), 311, Verdict::kDeclined);
  EXPECT_EQ(headline(backend_of(verdicts), "smoke, f32, seed 1"),
            "some: conforms - 1,204 passed, 0 failed, 0 vacuous, 311 declined "
            "(smoke, f32, seed 1)");
  verdicts.push_back(Verdict::kHang);
  auto backend = backend_of(verdicts);
  backend.results.emplace_back(std::nullopt);
  EXPECT_EQ(headline(backend, "x"),
            "some: does not conform - 1,204 passed, 0 failed, 0 vacuous, 311 declined, 1 hung, "
            "1 not run (x)");
}

TEST(Headline, SaysHowManyCasesWereJudgedNormwise) {
  auto backend = backend_of({Verdict::kPass, Verdict::kPass, Verdict::kPass});
  backend.results[0]->arithmetic = backend.results[2]->arithmetic = "algorithm=bilinear";
  backend.results[1]->arithmetic = "strict";
  EXPECT_EQ(headline(backend, "x"),
            "some: conforms - 3 passed, 0 failed, 0 vacuous, 0 declined, 2 judged normwise (x)");
}

TEST(Headline, SaysHowManyCasesWereJudgedLowered) {
  auto backend = backend_of({Verdict::kPass, Verdict::kFail, Verdict::kDeclined});
  backend.results[0]->lowered = backend.results[1]->lowered = "Convolution f32";
  EXPECT_EQ(headline(backend, "x"),
            "some: does not conform - 1 passed, 1 failed, 0 vacuous, 1 declined, "
            "2 judged lowered (x)");
}

TEST(Outputs, AreCountedByDtypeWhereTheCaseCouldFail) {
  RunOutcome outcome;
  outcome.backends = {backend_of({Verdict::kPass, Verdict::kFail, Verdict::kVacuous})};
  auto& results = outcome.backends[0].results;
  for (auto& result : results) result->elements = 600;
  results[1]->wrong = 3;
  auto cases = cases_for(outcome.backends[0]);
  EXPECT_EQ(outputs_text(cases, outcome), "judged outputs of some: f32 1,200; wrong: 3\n");
  cases[1].problem.dtype = Dtype::kBF16;
  EXPECT_EQ(outputs_text(cases, outcome), "judged outputs of some: f32 600, bf16 600; wrong: 3\n");
  results.clear();
  EXPECT_EQ(outputs_text(cases, outcome), "");
}

TEST(Junit, SaysWhatBecameOfEveryCaseAndEscapesIt) {
  RunOutcome outcome;
  outcome.backends = {backend_of({Verdict::kPass, Verdict::kFail, Verdict::kDeclined,
                                  Verdict::kHarnessError, Verdict::kVacuous})};
  outcome.backends[0].results.emplace_back(std::nullopt);
  const auto cases = cases_for(outcome.backends[0]);
  const std::string xml = junit_xml(cases, outcome, {});
  EXPECT_THAT(xml, HasSubstr(R"(tests="6" failures="1" errors="1" skipped="3")"));
  EXPECT_THAT(xml, HasSubstr(R"(<failure type="FAIL" message="because &lt;&quot;&amp;'&gt;">)"));
  EXPECT_THAT(xml, HasSubstr(R"(<skipped message="DECLINED)"));
  EXPECT_THAT(xml, HasSubstr(R"(<skipped message="VACUOUS)"));
  EXPECT_THAT(xml, HasSubstr(R"(<skipped message="not run"/>)"));
  EXPECT_THAT(xml, Not(HasSubstr("<\"&'>")));
}

TEST(Junit, SaysWhichCasesWereJudgedLowered) {
  RunOutcome outcome;
  outcome.backends = {backend_of({Verdict::kPass, Verdict::kPass, Verdict::kFail})};
  outcome.backends[0].results[1]->lowered = "Convolution f32 src=2x2";
  outcome.backends[0].results[2]->lowered = "Convolution f32 src=3x3";
  RunDescription description;
  description.lower = true;
  const std::string xml = junit_xml(cases_for(outcome.backends[0]), outcome, description);
  EXPECT_THAT(xml, HasSubstr("<property name=\"lowered\" value=\"2\"/>"));
  EXPECT_THAT(xml, HasSubstr("<system-out>lowered to Convolution f32 src=2x2</system-out>"));
  EXPECT_THAT(xml, HasSubstr("lowered  Convolution f32 src=3x3"));
}

TEST(ResultsJson, HoldsOneEntryForEveryCaseThatRan) {
  RunOutcome outcome;
  outcome.backends = {backend_of({Verdict::kPass, Verdict::kFail})};
  outcome.backends[0].results.emplace_back(std::nullopt);
  outcome.backends[0].results[1]->failure =
      Failure{{0, 0, 1}, std::numeric_limits<double>::quiet_NaN(), 1.5, 0, 1.5, 1.5, "1.5 alone"};
  const auto json = results_json(cases_for(outcome.backends[0]), outcome, {});
  EXPECT_EQ(json["run"]["cases"], 3);
  ASSERT_EQ(json["backends"][0]["results"].size(), 2U);
  EXPECT_EQ(json["backends"][0]["counts"]["PASS"], 1);
  const auto& failed = json["backends"][0]["results"][1];
  EXPECT_EQ(failed["failure"]["got"], "nan");
  EXPECT_EQ(failed["failure"]["highest"], 1.5);
  EXPECT_EQ(failed["failure"]["accepted"], "1.5 alone");
  EXPECT_EQ(failed["seed"], "7");
  EXPECT_EQ(failed["replay"],
            "concord replay --backend some --fill integers --seed 7 "
            "'Convolution f32 src=1x1x3 weights=1x1x2 data_format=NCX weights_format=XIO'");
}

TEST(ResultsJson, HasEveryFieldOfABackendThoughThereIsNothingToSay) {
  const auto backend = results_json({}, {.backends = {backend_of({})}}, {})["backends"][0];
  for (const char* list : {"statistics", "shrunk", "results"}) {
    EXPECT_EQ(backend.at(list), Json::array()) << list;
  }
}

}  // namespace
}  // namespace concord::conformance
