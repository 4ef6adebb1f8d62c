// SPDX-License-Identifier: Apache-2.0
#include "conformance/diagnose/diagnose.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "conformance/catalog/catalog.h"
#include "conformance/diagnose/features.h"
#include "conformance/run/prepared_case.h"
#include "conformance/run/runner.h"
#include "reference/reference.h"

namespace concord::conformance {
namespace {

/// Of smoke's discrete cases every third, those with special values, and all others, whose levels
/// are rarer; but no large ones. A diagnosis computes the data of all its cases, and finds these
/// rules by few and small ones.
CaseList some_cases() {
  constexpr double kMostProducts = 1e5;
  static const CaseList some = [] {
    const CaseList all = make_catalog(Suite::kSmoke, 1);
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Case source = all[i];
      const bool is_rare =
          !is_discrete(source.problem.operation()) || source.fill == Fill::kSpecial;
      const bool is_small = evaluation_cost(source) < kMostProducts;
      if (is_small && (i % 3 == 0 || is_rare)) places.push_back(i);
    }
    return all.at(places);
  }();
  return some;
}

/// What is said of them if a problem failed where `fails` says so.
std::optional<Diagnosis> diagnose_rule(
    const std::function<bool(const Case&, const reference::Geometry&)>& fails) {
  const CaseList cases = some_cases();
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

// Those without outputs pass, whatever they are.
TEST(Diagnosis, LeavesOutProblemsWithoutOutputs) {
  std::vector<Case> cases;
  std::vector<std::optional<CaseResult>> results;
  for (const Extent images : {0, 1, 2, 3}) {
    for (const Extent groups : {1, 2, 3, 4}) {
      const std::string line = "Convolution f32 src=" + std::to_string(images) + "x" +
                               std::to_string(groups) + "x4 weights=" + std::to_string(groups) +
                               "x1x2 groups=" + std::to_string(groups) +
                               " data_format=NCX weights_format=OIX";
      cases.emplace_back();
      cases.back().id = line;
      cases.back().problem = *parse(line);
      results.emplace_back().emplace().verdict =
          images > 0 && groups > 1 ? Verdict::kFail : Verdict::kPass;
    }
  }
  const auto found = diagnose(cases, results);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->conditions, std::vector<std::string>{"groups > 1"});
  EXPECT_TRUE(found->is_exact());
}

TEST(Diagnosis, FindsARuleOfTwoConditions) {
  const auto found = diagnose_rule(
      [](const Case& c, const auto& g) { return c.problem.dtype == Dtype::kF16 && g.G > 1; });
  ASSERT_TRUE(found);
  EXPECT_EQ(found->conditions, (std::vector<std::string>{"dtype = f16", "groups > 1"}));
  EXPECT_TRUE(found->is_exact());
}

// On one axis, kernel_h is 1: those cases pass.
TEST(Diagnosis, NamesTheRankThatARuleOfTwoAxesNeeds) {
  const auto found = diagnose_rule([](const Case& c, const auto& g) {
    return c.problem.dtype == Dtype::kF16 && g.K[reference::kHeight] != g.K[reference::kWidth] &&
           g.spatial_rank > 1 && g.spatial_rank <= 3;
  });
  ASSERT_TRUE(found);
  EXPECT_EQ(found->conditions,
            (std::vector<std::string>{"dtype = f16", "spatial axes > 1", "kernel_h != kernel_w"}));
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

/// The same, for problems of any operation.
std::vector<std::string> conditions_of_rule(
    const std::function<bool(const Problem&, const reference::Resolution&)>& fails) {
  const CaseList cases = some_cases();
  std::vector<std::optional<CaseResult>> results;
  for (const Case& source : cases) {
    const auto geometry = reference::resolve(source.problem);
    CaseResult& result = results.emplace_back().emplace();
    const bool failed = geometry && fails(source.problem, *geometry);
    result.verdict = failed ? Verdict::kFail : Verdict::kPass;
  }
  const auto found = diagnose(cases, results);
  if (!found || !found->is_exact()) return {found ? found->sentence : "nothing"};
  return found->conditions;
}

using Words = std::vector<std::string>;

/// What is said if those of the smoke suite fail of which `fails` is true; `shrunk` are known.
std::optional<Diagnosis> diagnose_cases(const CaseList& cases,
                                        const std::function<bool(const Case&)>& fails,
                                        const std::vector<Shrunk>& shrunk = {}) {
  std::vector<std::optional<CaseResult>> results;
  for (const Case& source : cases) {
    results.emplace_back().emplace().verdict = fails(source) ? Verdict::kFail : Verdict::kPass;
  }
  return diagnose(cases, results, shrunk);
}

bool wants_nan(const Case& source) {
  PreparedCase prepared(source);
  if (source.fill != Fill::kSpecial || !prepared.geometry()) return false;
  const auto& wanted = prepared.data({}).oracle.value;
  return std::any_of(wanted.begin(), wanted.end(), [](double v) { return std::isnan(v); });
}

TEST(Diagnosis, NamesTheValuesThatAreWanted) {
  const CaseList cases = some_cases();
  const auto found = diagnose_cases(cases, wants_nan);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->conditions, Words{"a NaN is expected"});
  EXPECT_TRUE(found->is_exact());
}

// Not a number that all of them have, as in "groups > 0".
TEST(Diagnosis, NamesTheKindOfOperationThatIsWrong) {
  const auto found = diagnose_cases(some_cases(), [](const Case& source) {
    return is_discrete(source.problem.operation()) && wants_nan(source);
  });
  ASSERT_TRUE(found);
  EXPECT_EQ(found->conditions,
            (Words{"a NaN is expected", "the operation is a discrete convolution"}));
  EXPECT_TRUE(found->is_exact());
}

// Some condition always leaves out the few cases that happen to pass.
TEST(Diagnosis, HasNoConditionThatHardlyHelps) {
  const CaseList cases = some_cases();
  std::size_t count = 0;
  const auto found = diagnose_cases(
      cases, [&](const Case& source) { return source.fill == Fill::kWide && ++count % 40 != 7; });
  ASSERT_TRUE(found);
  EXPECT_EQ(found->conditions, Words{"fill = wide"});
  EXPECT_LT(found->covered_failed, found->covered);
}

TEST(Diagnosis, LeavesOutRefusalsOfInvalidProblemsWhereNothingIsWrongWithThem) {
  const CaseList cases = some_cases();
  const auto is_valid = [](const Case& c) {
    return static_cast<bool>(reference::resolve(c.problem));
  };
  const auto everywhere = diagnose_cases(cases, is_valid);
  ASSERT_TRUE(everywhere);
  EXPECT_TRUE(everywhere->sentence.starts_with("fails for every valid problem: "))
      << everywhere->sentence;
  const auto multiplies = [](const Case& c) {
    const auto geometry = reference::resolve(c.problem);
    return geometry && element_count(geometry->dst.dims) != 0 &&
           element_count(c.problem.src.dims) != 0;
  };
  const auto told = static_cast<std::size_t>(std::count_if(cases.begin(), cases.end(), multiplies));
  const auto found = diagnose_cases(
      cases, [&](const Case& c) { return c.problem.dtype == Dtype::kF16 && multiplies(c); });
  ASSERT_TRUE(found);
  EXPECT_EQ(found->covered + found->others, told);
}

TEST(Diagnosis, NamesTheFaultThatIsNotRefused) {
  const CaseList cases = some_cases();
  std::map<Fault, std::size_t> counts;
  for (const Case& source : cases) {
    const auto resolved = reference::resolve(source.problem);
    if (!resolved) ++counts[resolved.why().fault];
  }
  const auto most =
      std::max_element(counts.begin(), counts.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  const auto found = diagnose_cases(cases, [&](const Case& source) {
    const auto resolved = reference::resolve(source.problem);
    return !resolved && resolved.why().fault == most->first;
  });
  ASSERT_TRUE(found);
  EXPECT_EQ(found->conditions, Words{"fault = " + std::string(to_string(most->first))});
  EXPECT_TRUE(found->is_exact());
}

TEST(Diagnosis, NamesNoConditionThatTheSmallestFailureLacks) {
  const CaseList made = some_cases();
  std::vector<Case> cases(made.begin(), made.end());
  const auto is_grouped = [](const Case& source) {
    const auto resolved = reference::resolve(source.problem);
    return resolved && is_discrete(source.problem.operation()) && resolved->discrete().G > 1;
  };
  // Of those with groups only the ones with a bias were met, so that both rules are exact.
  std::erase_if(cases, [&](const Case& source) {
    return is_grouped(source) ? !source.problem.bias : source.problem.bias.has_value();
  });
  const auto alone = diagnose_cases(cases, is_grouped);
  ASSERT_TRUE(alone);
  EXPECT_EQ(alone->conditions, Words{"there is a bias"});
  Shrunk shrunk;
  shrunk.fails_again = true;
  shrunk.of = static_cast<std::size_t>(std::find_if(cases.begin(), cases.end(), is_grouped) -
                                       cases.begin());
  shrunk.smallest.problem =
      *parse("Convolution f32 src=1x2x1 weights=2x1x1 groups=2 data_format=NCX weights_format=OIX");
  const auto found = diagnose_cases(cases, is_grouped, {shrunk});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->conditions, Words{"groups > 1"});
}

// A rule that covers nearly everything is right of most failures, and explains none.
TEST(Diagnosis, IsNoneWhereMostCasesFailAndNothingTellsThemFromThoseThatPass) {
  std::uint64_t state = 1;
  const CaseList cases = some_cases();
  EXPECT_FALSE(diagnose_cases(cases, [&](const Case&) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return state >> 60U != 0;
  }));
}

TEST(Diagnosis, NamesTheAttributesOfCntksConvolutions) {
  const auto axes = [](const auto& fails) {
    return conditions_of_rule([&](const Problem&, const reference::Resolution& resolution) {
      const auto* g = std::get_if<reference::CntkGeometry>(&resolution.form);
      return g != nullptr && fails(*g);
    });
  };
  // The gradients have the attributes, too.
  const std::string operation = "operation = CntkConvolution";
  EXPECT_EQ(axes([](const auto& g) { return !g.axes[0].sharing; }),
            (Words{operation, "sharing is false on axis 1"}));
  EXPECT_EQ(axes([](const auto& g) { return !g.axes[1].sharing && g.samples == 2; }),
            (Words{operation, "sharing is false on axis 2", "samples = 2"}));
  EXPECT_EQ(conditions_of_rule([](const Problem& p, const auto&) {
              const auto* a = std::get_if<CntkConvolution2dAttributes>(&p.attributes);
              return a != nullptr && a->image_layout == CntkLayout::kHwc;
            }),
            Words{"imageLayout = HWC"});
}

TEST(Diagnosis, NamesTheAttributesOfTheContinuousLayerAndOfBlocks) {
  const auto layer = [](const auto& fails) {
    return conditions_of_rule([&](const Problem& p, const auto&) {
      const auto* a = std::get_if<ContinuousAttributes>(&p.attributes);
      return a != nullptr && fails(*a);
    });
  };
  EXPECT_EQ(layer([](const auto& a) { return a.boundary == Boundary::kReplicate; }),
            (Words{"boundary = replicate", "operation = ContinuousConvolution"}));
  EXPECT_EQ(layer([](const auto& a) {
              return a.ties == Ties::kClosed && a.function == KernelFunction::kNet;
            }),
            (Words{"function = net", "operation = ContinuousConvolution", "ties = closed"}));
  EXPECT_EQ(layer([](const auto& a) { return a.scale_h < Rational(1) && a.scale_w > Rational(1); }),
            (Words{"operation = ContinuousConvolution", "scale_h < 1", "scale_w > 1"}));
  EXPECT_EQ(conditions_of_rule([](const Problem& p, const auto&) {
              const auto* a = std::get_if<SpaceToBatchAttributes>(&p.attributes);
              return a != nullptr && a->paddings[0] > 0;
            }),
            Words{"paddings_top > 0"});
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

/// What is said of a planted bug after the cases whose id begins with `family`.
std::string diagnose_bug(const std::string& bug, const std::string& family = "boundary/") {
  const CaseList made = make_catalog(Suite::kSmoke, 1);
  std::vector<Case> cases(made.begin(), made.end());
  std::erase_if(cases, [&](const Case& c) { return !c.id.starts_with(family); });
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
  EXPECT_TRUE(diagnose_bug("cntk_first_axis_shared", "cntk/")
                  .starts_with("fails whenever sharing is false on axis 1: "));
  // Some outputs more than the threads can share out evenly are wrong.
  EXPECT_NE(diagnose_bug("four_threads_drop_the_rest").find("threads of one more execution > "),
            std::string::npos)
      << diagnose_bug("four_threads_drop_the_rest");
}

}  // namespace
}  // namespace concord::conformance
