// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <functional>

#include "conformance/catalog.h"
#include "conformance/diagnose/diagnosis.h"
#include "conformance/run/runner.h"
#include "reference/reference.h"

namespace concord::conformance {
namespace {

/// The smoke suite, as it would be judged if a problem failed where `fails` says so.
std::optional<Diagnosis> diagnose_rule(
    const std::function<bool(const Case&, const reference::Geometry&)>& fails) {
  const std::vector<Case> cases = make_catalog(Suite::kSmoke, 1);
  std::vector<std::optional<CaseResult>> results;
  for (const Case& source : cases) {
    const auto geometry = reference::resolve(source.problem);
    CaseResult& result = results.emplace_back().emplace();
    const bool failed =
        geometry && is_discrete(source.problem.operation()) && fails(source, geometry->discrete());
    result.verdict = failed ? Verdict::kFail : Verdict::kPass;
  }
  return diagnose(cases, results);
}

TEST(Diagnosis, FindsARuleOfOneCondition) {
  const auto found = diagnose_rule([](const Case&, const auto& g) { return g.G > 1; });
  ASSERT_TRUE(found);
  EXPECT_EQ(found->conditions, std::vector<std::string>{"groups > 1"});
  EXPECT_TRUE(found->is_exact());
}

TEST(Diagnosis, FindsARuleOfTwoConditions) {
  const auto found = diagnose_rule([](const Case& c, const auto& g) {
    return c.problem.dtype == Dtype::kF16 && g.K[1] != g.K[2] && g.spatial_rank > 1;
  });
  ASSERT_TRUE(found);
  EXPECT_EQ(found->conditions, (std::vector<std::string>{"dtype = f16", "kernel_h != kernel_w"}));
  EXPECT_TRUE(found->is_exact());
}

TEST(Diagnosis, FindsARuleOfThreeConditions) {
  const auto found = diagnose_rule([](const Case& c, const auto& g) {
    return c.problem.bias && g.G > 1 && *std::max_element(g.S.begin(), g.S.end()) > 1;
  });
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->is_exact());
  EXPECT_LE(found->conditions.size(), 3U);
}

TEST(Diagnosis, SaysHowOftenARuleIsWrong) {
  int count = 0;
  const auto found =
      diagnose_rule([&](const Case&, const auto& g) { return g.G > 1 && ++count % 10 != 0; });
  ASSERT_TRUE(found);
  EXPECT_EQ(found->conditions.front(), "groups > 1");
  EXPECT_FALSE(found->is_exact());
  EXPECT_LT(found->covered_failed, found->covered);
}

TEST(Diagnosis, IsNoneForAFewFailuresAndForFailuresWithoutARule) {
  int count = 0;
  EXPECT_FALSE(diagnose_rule([&](const Case&, const auto&) { return ++count <= 2; }));
  std::uint64_t state = 1;
  EXPECT_FALSE(diagnose_rule([&](const Case&, const auto&) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return state >> 62U == 0;
  }));
}

TEST(Diagnosis, ReadsAsASentence) {
  EXPECT_EQ(to_string(Diagnosis{{}, {"groups > 1", "dilation_h != dilation_w"}, 41, 41, 5210, 0}),
            "fails whenever groups > 1 and dilation_h != dilation_w: 41 of 41; never otherwise: 0 "
            "of 5,210");
  EXPECT_EQ(to_string(Diagnosis{{}, {"there is a bias"}, 40, 38, 1000, 2}),
            "fails where there is a bias: 38 of 40; elsewhere: 2 of 1,000");
  EXPECT_EQ(to_string(Diagnosis{{}, {}, 7, 7, 0, 0}), "fails everywhere: 7 of 7");
}

/// What is said of a planted bug after the cases whose id begins with "boundary/".
std::string diagnose_bug(const std::string& bug) {
  std::vector<Case> cases = make_catalog(Suite::kSmoke, 1);
  std::erase_if(cases, [](const Case& c) { return !c.id.starts_with("boundary/"); });
  RunOptions options;
  options.host.worker_program = TEST_WORKER;
  Journal none;
  const std::atomic<bool> never{false};
  const RunOutcome outcome =
      run_cases(cases, {{"faulty:" + bug, std::string(TEST_PLUGINS) + "/faulty.so", bug}}, options,
                none, {}, never, [](const Progress&) {});
  const auto found = diagnose(cases, outcome.backends.front().results);
  return found ? found->sentence : "nothing";
}

TEST(Diagnosis, NamesWhatPlantedBugsDependOn) {
  EXPECT_TRUE(diagnose_bug("claims_then_declines").starts_with("fails whenever groups > 1: "));
  EXPECT_TRUE(diagnose_bug("refuses_dilated_strides").starts_with("fails whenever "))
      << diagnose_bug("refuses_dilated_strides");
}

}  // namespace
}  // namespace concord::conformance
