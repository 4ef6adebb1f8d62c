// SPDX-License-Identifier: Apache-2.0
#include "conformance/output/results.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <span>
#include <sstream>

#include "conformance/output/summary.h"
#include "vectors/sha256.h"

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

// Of values that a wrong factor would have shown.
CaseResult ended(Verdict verdict) {
  CaseResult result;
  result.verdict = verdict;
  result.reason = "because <\"&'>";
  if (verdict == Verdict::kDeclined || verdict == Verdict::kHarnessError) return result;
  result.tier = Tier::kExact;
  result.elements = 6;
  result.resolution = 1e-7;
  result.arithmetic = "strict";
  return result;
}

// A backend with one case for each of the verdicts given.
BackendRun backend_of(const std::vector<Verdict>& verdicts) {
  BackendRun backend;
  backend.spec = {.text = "some", .path = "/some.so", .config = ""};
  backend.identity.confinement = {.level = SandboxLevel::kNamespaces};
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

// As run_cases() leaves it.
BackendRun tallied(BackendRun backend, const CaseList& cases) {
  backend.listed = tallies_of(cases, backend.results);
  return backend;
}

Conclusion conclude_of(const BackendRun& backend, bool narrowed = false) {
  return conclude(tallied(backend, cases_for(backend)), narrowed);
}

std::string headline_of(const BackendRun& backend, const RunDescription& description) {
  return headline(tallied(backend, cases_for(backend)), description);
}

RunDescription described(const std::string& scope, bool narrowed = false) {
  RunDescription description;
  description.scope = scope;
  description.narrowed = narrowed;
  return description;
}

TEST(Conclusion, DeclinedAndVacuousNeverCountAsPassed) {
  EXPECT_EQ(conclude_of(backend_of({})), Conclusion::kUnknown);
  EXPECT_EQ(conclude_of(backend_of({Verdict::kDeclined})), Conclusion::kUnknown);
  EXPECT_EQ(conclude_of(backend_of({Verdict::kVacuous, Verdict::kDeclined})), Conclusion::kUnknown);
}

TEST(Conclusion, IsOfWhatIsServedWhereSomethingIsDeclined) {
  EXPECT_EQ(conclude_of(backend_of({Verdict::kPass})), Conclusion::kConforms);
  EXPECT_EQ(conclude_of(backend_of({Verdict::kDeclined, Verdict::kPass})), Conclusion::kServes);
}

TEST(Conclusion, OfAPartOfASuiteIsThatNothingFails) {
  EXPECT_EQ(conclude_of(backend_of({Verdict::kPass}), true), Conclusion::kSelected);
  EXPECT_EQ(conclude_of(backend_of({Verdict::kPass, Verdict::kDeclined}), true),
            Conclusion::kSelected);
  EXPECT_EQ(conclude_of(backend_of({Verdict::kFail}), true), Conclusion::kDoesNot);
  EXPECT_EQ(conclude_of(backend_of({Verdict::kDeclined}), true), Conclusion::kUnknown);
  EXPECT_EQ(headline_of(backend_of({Verdict::kPass}), described("smoke", true)),
            "some: no failure among the 1 selected case - 1 passed, 0 failed, 0 vacuous, "
            "0 declined (smoke)");
}

TEST(Conclusion, NeedsACaseOfEachOperationAndDtypeThatTellsAnError) {
  const auto conclude_with = [](auto change) {
    auto backend = backend_of({Verdict::kPass, Verdict::kPass});
    auto cases = cases_for(backend);
    cases[1].problem.dtype = Dtype::kBF16;
    change(*backend.results[1]);
    backend = tallied(backend, cases);
    return std::pair{conclude(backend, false), headline(backend, described("smoke"))};
  };
  EXPECT_EQ(conclude_with([](CaseResult&) {}).first, Conclusion::kConforms);
  const auto blunt = conclude_with([](CaseResult& result) { result.resolution = 0.3; });
  EXPECT_EQ(blunt.first, Conclusion::kUnknown);
  EXPECT_EQ(
      blunt.second,
      "some: no verdict: no passed case of Convolution in bf16 would have exposed an error of "
      "25 % - 2 passed, 0 failed, 0 vacuous, 0 declined (smoke)");
  // An output without elements, and one in which everything is NaN or infinite.
  EXPECT_EQ(conclude_with([](CaseResult& result) { result.elements = 0; }).first,
            Conclusion::kUnknown);
  EXPECT_EQ(conclude_with([](CaseResult& result) { result.tier = Tier::kSpecial; }).first,
            Conclusion::kUnknown);
  EXPECT_EQ(conclude_with([](CaseResult& result) { result.resolution = std::nullopt; }).first,
            Conclusion::kUnknown);
  // A refusal that was asked for is no service.
  EXPECT_EQ(conclude_with([](CaseResult& result) {
              result = ended(Verdict::kPass);
              result.tier = Tier::kStatus;
            }).first,
            Conclusion::kConforms);
}

TEST(Conclusion, IsNoneWhereMoreThanAQuarterOfWhatIsServedCouldNotHaveFailed) {
  std::vector<Verdict> verdicts(6, Verdict::kPass);
  verdicts.insert(verdicts.end(), 2, Verdict::kVacuous);
  EXPECT_EQ(conclude_of(backend_of(verdicts)), Conclusion::kConforms);
  verdicts.push_back(Verdict::kVacuous);
  EXPECT_EQ(conclude_of(backend_of(verdicts)), Conclusion::kUnknown);
  EXPECT_EQ(conclude_of(backend_of(verdicts), true), Conclusion::kUnknown);
  EXPECT_THAT(headline_of(backend_of(verdicts), described("smoke")),
              HasSubstr("no verdict: 3 of the 9 cases that it serves could not have failed - "));
}

TEST(Conclusion, OneFailureOfAnyKindOutweighsEveryPass) {
  for (const Verdict verdict :
       {Verdict::kFail, Verdict::kClaimBroken, Verdict::kCrash, Verdict::kHang}) {
    EXPECT_EQ(conclude_of(backend_of({Verdict::kPass, verdict, Verdict::kHarnessError})),
              Conclusion::kDoesNot)
        << to_string(verdict);
  }
}

TEST(Conclusion, CasesThatHadNoTurnMakeItUnknownUnlessSomethingFailed) {
  auto backend = backend_of({Verdict::kPass});
  backend.results.emplace_back(std::nullopt);
  EXPECT_EQ(conclude_of(backend), Conclusion::kUnknown);
  EXPECT_THAT(headline_of(backend, {}), HasSubstr("no verdict: not all cases were run - 1 passed"));
  backend.results.emplace_back(ended(Verdict::kFail));
  EXPECT_EQ(conclude_of(backend), Conclusion::kDoesNot);
}

TEST(Conclusion, ABackendThatDiesWhenItIsClosedDoesNotConform) {
  auto backend = backend_of({Verdict::kPass});
  backend.misconduct = "did not exit cleanly: in close: SIGABRT";
  EXPECT_EQ(conclude_of(backend), Conclusion::kDoesNot);
  EXPECT_THAT(headline_of(backend, described("smoke")),
              HasSubstr("does not conform - 1 passed, 0 failed, 0 vacuous, 0 declined, "
                        "did not exit cleanly: in close: SIGABRT (smoke)"));
  const auto cases = cases_for(backend);
  const std::string junit = junit_xml(cases, {.backends = {backend}}, {});
  EXPECT_THAT(junit, HasSubstr("tests=\"2\" failures=\"1\""));
  EXPECT_THAT(junit, HasSubstr("name=\"open and close\"><failure type=\"CRASH\""));
  EXPECT_EQ(
      results_json(cases, {.backends = {tallied(backend, cases)}}, {})["backends"][0]["error"],
      "did not exit cleanly: in close: SIGABRT");
}

TEST(CoveringText, IsOfWhatWasJudgedAndNeverRoundsUp) {
  RunDescription description;
  const RunOutcome outcome{.backends = {backend_of({}), backend_of({})}};
  EXPECT_EQ(covering_text(outcome, description), "");
  description.judged_covering = {std::nullopt, Covering{3325, 3325, 76936, 76937}};
  EXPECT_EQ(covering_text(outcome, description),
            "covered by the judged cases of some: 3,325 of 3,325 (100.0 %) pairs and 76,936 of "
            "76,937 (99.9 %) "
            "triples of attribute levels\n");
}

TEST(Conclusion, OurOwnTroubleMakesItUnknown) {
  EXPECT_EQ(conclude_of(backend_of({Verdict::kPass, Verdict::kHarnessError})),
            Conclusion::kUnknown);
}

TEST(ExitCode, IsOneForAFailureEvenBesideABackendThatCannotBeJudged) {
  RunOutcome outcome;
  const auto judged = [](Verdict verdict) {
    return tallied(backend_of({verdict}), std::vector<Case>{make_case("a")});
  };
  const auto code = [&] { return exit_code(outcome, false); };
  EXPECT_EQ(code(), 2);
  outcome.backends = {judged(Verdict::kPass)};
  EXPECT_EQ(code(), 0);
  EXPECT_EQ(exit_code(outcome, true), 0);
  outcome.backends.push_back(judged(Verdict::kDeclined));
  EXPECT_EQ(code(), 2);
  outcome.backends.push_back(judged(Verdict::kFail));
  EXPECT_EQ(code(), 1);
}

TEST(Headline, CountsEveryVerdictByItself) {
  std::vector<Verdict> verdicts(1204, Verdict::kPass);
  EXPECT_EQ(headline_of(backend_of(verdicts), described("smoke, f32, seed 1")),
            "some: conforms - 1,204 passed, 0 failed, 0 vacuous, 0 declined (smoke, f32, seed 1)");
  verdicts.insert(verdicts.end(), 311, Verdict::kDeclined);
  EXPECT_EQ(headline_of(backend_of(verdicts), described("smoke, f32, seed 1")),
            "some: conforms in what it serves: Convolution in f32 (1,204 judged) - 1,204 passed, "
            "0 failed, 0 vacuous, 311 declined (smoke, f32, seed 1)");
  verdicts.push_back(Verdict::kHang);
  auto backend = backend_of(verdicts);
  backend.results.emplace_back(std::nullopt);
  EXPECT_EQ(headline_of(backend, described("x")),
            "some: does not conform - 1,204 passed, 0 failed, 0 vacuous, 311 declined, 1 hung, "
            "1 not run (x)");
}

TEST(Headline, NamesWhatIsServedAndWhatIsNot) {
  auto backend = backend_of({Verdict::kPass, Verdict::kPass, Verdict::kPass, Verdict::kPass});
  auto cases = cases_for(backend);
  const char* const others[] = {"SpaceToBatch f32 src=2x4x4x1 block_size=2 paddings=0,0,0,0",
                                "BatchToSpace f32 src=4x2x2x1 block_size=2 crops=0,0,0,0",
                                "AtrousConv2d f32 src=1x4x4x1 weights=2x2x1x1 rate=1 padding=SAME"};
  for (std::size_t i = 0; i < 3; ++i) cases[i + 1].problem = *parse(others[i]);
  const auto text = [&] { return headline(tallied(backend, cases), described("x")); };
  backend.results[3]->verdict = Verdict::kDeclined;
  EXPECT_THAT(text(), HasSubstr("in what it serves: Convolution, SpaceToBatch, BatchToSpace in f32 "
                                "(3 judged); not served: AtrousConv2d - 3 passed"));
  cases[3].problem.dtype = Dtype::kBF16;
  EXPECT_THAT(text(), HasSubstr("(3 judged); not served: AtrousConv2d, bf16 - 3 passed"));
  cases[1].problem.dtype = Dtype::kF16;
  EXPECT_THAT(text(), HasSubstr("in what it serves: Convolution, BatchToSpace in f32; SpaceToBatch "
                                "in f16 (3 judged); not served: AtrousConv2d, bf16 - 3 passed"));
  backend.results[1]->verdict = Verdict::kDeclined;
  const auto json = results_json(cases, {.backends = {tallied(backend, cases)}}, {})["backends"][0];
  ASSERT_EQ(json["service"].size(), 4u);
  EXPECT_EQ(json["service"][0]["operation"], "Convolution");
  EXPECT_EQ(json["service"][0]["sharp"], 1);
  EXPECT_EQ(json["conforms"], "served");
}

TEST(Conclusion, NeedsSuchACaseInEachClassOfArithmetic) {
  auto backend = backend_of({Verdict::kPass, Verdict::kPass});
  backend.results[1]->arithmetic = "accumulator=bf16";
  EXPECT_EQ(conclude_of(backend), Conclusion::kConforms);
  backend.results[1]->resolution = 0.3;
  EXPECT_EQ(conclude_of(backend), Conclusion::kUnknown);
  EXPECT_THAT(
      headline_of(backend, described("smoke")),
      HasSubstr("no verdict: no passed case of Convolution in f32 as accumulator=bf16 would "
                "have exposed an error of 25 %"));
}

TEST(Headline, NamesAClassThatIsNotStrict) {
  auto backend = backend_of({Verdict::kPass, Verdict::kPass});
  auto cases = cases_for(backend);
  const auto text = [&] { return headline(tallied(backend, cases), described("x")); };
  EXPECT_THAT(text(), HasSubstr("some: conforms - 2"));
  backend.results[1]->arithmetic = "flush=yes";
  EXPECT_THAT(text(), HasSubstr("some: conforms as flush=yes or strict - 2"));
  cases[1].problem.dtype = Dtype::kBF16;
  EXPECT_THAT(text(), HasSubstr("some: conforms as flush=yes in bf16 - 2"));
  backend.results[0]->arithmetic = "flush=yes";
  EXPECT_THAT(text(), HasSubstr("some: conforms as flush=yes - 2"));
}

TEST(Headline, SaysHowManyCasesWereJudgedNormwise) {
  auto backend = backend_of({Verdict::kPass, Verdict::kPass, Verdict::kPass});
  backend.results[0]->arithmetic = backend.results[2]->arithmetic = "algorithm=bilinear";
  EXPECT_EQ(headline_of(backend, described("x")),
            "some: conforms as algorithm=bilinear or strict - 3 passed, 0 failed, 0 vacuous, "
            "0 declined, 2 judged normwise (x)");
}

TEST(Headline, SaysHowManyCasesWereJudgedLowered) {
  auto backend = backend_of({Verdict::kPass, Verdict::kFail, Verdict::kDeclined});
  backend.results[0]->lowered = backend.results[1]->lowered = "Convolution f32";
  EXPECT_EQ(headline_of(backend, described("x")),
            "some: does not conform - 1 passed, 1 failed, 0 vacuous, 1 declined, "
            "2 judged lowered (x)");
}

TEST(Headline, SaysWhatAReaderMustKnowToTrustIt) {
  BackendRun backend = backend_of({Verdict::kPass});
  RunDescription description = described("x");
  EXPECT_THAT(headline_of(backend, description), Not(HasSubstr("sandbox")));
  backend.identity.confinement = {.level = SandboxLevel::kFilter};
  EXPECT_THAT(headline_of(backend, description), HasSubstr("0 declined, sandbox: seccomp ("));
  description.shipped["some"] = {"optimized"};
  EXPECT_THAT(headline_of(backend, description),
              HasSubstr(", runs Concord's own backend optimized, sandbox: seccomp ("));
}

TEST(Replay, RepeatsHowFarTheBackendWasConfined) {
  const BackendSpec spec{.text = "some"};
  RunDescription description;
  EXPECT_THAT(replay_command_of(spec, description), Not(HasSubstr("sandbox")));
  description.is_confined = false;
  description.sandbox_writable = {"/a b", "/c"};
  EXPECT_THAT(replay_command_of(spec, description),
              HasSubstr(" --sandbox off --sandbox-allow '/a b' --sandbox-allow /c"));
}

TEST(Outputs, AreCountedByDtypeWhereTheCaseCouldFail) {
  RunOutcome outcome;
  outcome.backends = {backend_of({Verdict::kPass, Verdict::kFail, Verdict::kVacuous})};
  auto& results = outcome.backends[0].results;
  for (auto& result : results) result->elements = 600;
  results[1]->wrong = 3;
  auto cases = cases_for(outcome.backends[0]);
  const auto text = [&] {
    return outputs_text({.backends = {tallied(outcome.backends[0], cases)}});
  };
  EXPECT_EQ(text(), "judged outputs of some: f32 1,200; wrong: 3\n");
  cases[1].problem.dtype = Dtype::kBF16;
  EXPECT_EQ(text(), "judged outputs of some: f32 600, bf16 600; wrong: 3\n");
  results.clear();
  EXPECT_EQ(text(), "");
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
  outcome.backends[0].results[0]->resolution = 0.125;
  outcome.backends[0].results[1]->failure =
      Failure{{0, 0, 1}, std::numeric_limits<double>::quiet_NaN(), 1.5, 0, 1.5, 1.5, "1.5 alone"};
  const auto json = results_json(cases_for(outcome.backends[0]), outcome, {});
  EXPECT_EQ(json["run"]["cases"], 3);
  ASSERT_EQ(json["backends"][0]["results"].size(), 2U);
  EXPECT_EQ(json["backends"][0]["counts"]["PASS"], 1);
  EXPECT_EQ(json["backends"][0]["results"][0]["resolution"], 0.125);
  EXPECT_EQ(json["backends"][0]["covering"], nullptr);
  EXPECT_EQ(json["run"]["narrowed"], false);
  const auto& failed = json["backends"][0]["results"][1];
  EXPECT_EQ(failed["failure"]["got"], "nan");
  EXPECT_EQ(failed["failure"]["highest"], 1.5);
  EXPECT_EQ(failed["failure"]["accepted"], "1.5 alone");
  EXPECT_EQ(failed["seed"], "7");
  EXPECT_EQ(failed["replay"],
            "concord replay --backend some --threads 1 --fill integers --seed 7 "
            "'Convolution f32 src=1x1x3 weights=1x1x2 data_format=NCX weights_format=XIO'");
}

TEST(ResultsJson, HasEveryFieldOfABackendThoughThereIsNothingToSay) {
  const auto backend = results_json({}, {.backends = {backend_of({})}}, {})["backends"][0];
  for (const char* list : {"service", "statistics", "shrunk", "results"}) {
    EXPECT_EQ(backend.at(list), Json::array()) << list;
  }
}

TEST(ResultsJson, KnowsNoSandboxOfABackendThatCouldNotBeLoaded) {
  BackendRun backend = backend_of({});
  const auto sandbox = [&] {
    return results_json({}, {.backends = {backend}}, {})["backends"][0]["sandbox"];
  };
  EXPECT_EQ(sandbox(), Json({{"level", "namespaces+seccomp"}, {"lack", nullptr}}));
  backend.error = "no such file";
  backend.identity = {};
  EXPECT_EQ(sandbox(), Json({{"level", "unknown"}, {"lack", nullptr}}));
}

// Of its compact text: the readers leave out white space, and must come to the same.
TEST(ResultsJson, CarriesTheDigestOfEachPart) {
  const auto json = results_json({}, {.backends = {backend_of({}), backend_of({})}}, {});
  const auto& digest = json.at("digest");
  const auto sha256 = [](const Json& part) {
    const std::string text = part.dump();
    return vectors::sha256(std::as_bytes(std::span(text)));
  };
  for (const char* part : {"concord", "run", "cases"}) {
    EXPECT_EQ(digest.at(part), sha256(json.at(part))) << part;
  }
  ASSERT_EQ(digest.at("backends").size(), 2U);
  EXPECT_EQ(digest.at("backends")[1], sha256(json.at("backends")[1]));
}

TEST(ResultsJson, NamesTheBuildOfConcord) {
  const auto program = results_json({}, {}, {}).at("concord");
  EXPECT_THAT(program.at("build_id").get<std::string>(), testing::ContainsRegex("^[0-9a-f]{16,}$"));
  EXPECT_THAT(program.at("compiler").get<std::string>(),
              testing::ContainsRegex("^(gcc|clang) [0-9]"));
}

}  // namespace
}  // namespace concord::conformance
