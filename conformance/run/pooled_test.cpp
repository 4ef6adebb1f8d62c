// SPDX-License-Identifier: Apache-2.0
#include "conformance/run/pooled.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>

#include "conformance/judge/judge_data.h"
#include "conformance/record/result_json.h"
#include "reference/reference.h"
#include "spec/rounding.h"

namespace concord::conformance {
namespace {

struct Tried {
  std::vector<Case> cases{};
  std::vector<std::optional<CaseResult>> results{};
};

// What a case leaves behind when a library computes the right values and then changes them.
template <class Change>
void add_case(Tried& run, const std::string& line, std::uint64_t seed, Change change) {
  Case source;
  source.problem = *parse(line + " data_format=NCX weights_format=OIX");
  source.fill = Fill::kUniform;
  source.seed = seed;
  const auto geometry = reference::resolve(source.problem);
  const Dtype dtype = source.problem.dtype;
  const Inputs inputs = fill_inputs(source.fill, seed, source.problem, *geometry, {});
  const auto oracle =
      reference::evaluate(source.problem, *geometry, {inputs.src, inputs.weights, inputs.bias, {}});
  std::vector<double> got = oracle.value;
  for (double& y : got) y = change(round_to(dtype, y));
  const concord_arithmetic strict{};
  const OutputShape shape = output_shape(geometry->dst.dims, 1);
  const Expectation expected{source.fill, dtype, strict, *geometry, shape, inputs, oracle};
  const DataVerdict judged = judge_data(expected, assess_data(expected), got);
  CaseResult result;
  result.verdict = judged.verdict;
  result.arithmetic = "strict";
  result.errors = judged.errors;
  run.cases.push_back(std::move(source));
  run.results.emplace_back(std::move(result));
}

constexpr const char* kShort = "Convolution f32 src=1x4x9x8 weights=8x4x3x3";
constexpr const char* kLong = "Convolution f32 src=1x8x9x8 weights=8x8x3x3";
constexpr const char* kHalf = "Convolution f16 src=1x4x9x8 weights=8x4x3x3";

double unchanged(double y) { return y; }
// Every eighth result, by its last bits, is one step shorter.
double shortened(double y) {
  const auto number = static_cast<float>(y);
  const bool chosen = std::bit_cast<std::uint32_t>(number) % 8 == 0;
  return static_cast<double>(chosen ? std::nextafterf(number, 0) : number);
}

Pool of(const std::vector<Pool>& pools, Dtype dtype, Extent products) {
  for (const Pool& pool : pools) {
    if (!pool.all_lengths && pool.dtype == dtype && pool.most_products == products) return pool;
  }
  ADD_FAILURE() << to_string(dtype) << " " << products;
  return {};
}

TEST(PooledErrors, AreSortedByDtypeAndLength) {
  Tried run;
  add_case(run, kShort, 1, unchanged);
  add_case(run, kShort, 2, unchanged);
  add_case(run, kLong, 3, unchanged);
  add_case(run, kHalf, 4, unchanged);
  run.results.emplace_back(std::nullopt);
  const auto pools = pool_errors(run.cases, run.results);
  ASSERT_EQ(pools.size(), 5U);
  EXPECT_TRUE(pools[0].all_lengths);
  EXPECT_EQ(pools[0].tensors, 3U);
  EXPECT_EQ(pools[0].least_products, 36);
  EXPECT_EQ(pools[0].most_products, 72);
  EXPECT_EQ(of(pools, Dtype::kF32, 36).tensors, 2U);
  EXPECT_EQ(of(pools, Dtype::kF32, 36).sums.elements, 2 * 8 * 7 * 6);
  EXPECT_EQ(of(pools, Dtype::kF32, 72).tensors, 1U);
  EXPECT_EQ(of(pools, Dtype::kF16, 36).tensors, 1U);
  EXPECT_GT(of(pools, Dtype::kF32, 36).finding.effective_bits, 24);
  EXPECT_LT(of(pools, Dtype::kF16, 36).finding.effective_bits, 17);
  for (const Pool& pool : pools) EXPECT_TRUE(pool.finding.passed()) << describe(pool);
}

TEST(PooledErrors, ShowABiasThatNoTensorShowsByItself) {
  Tried run;
  for (std::uint64_t seed = 0; seed < 150; ++seed) add_case(run, kShort, seed, shortened);
  for (const auto& result : run.results) EXPECT_EQ(result->verdict, Verdict::kPass);
  const auto pools = pool_errors(run.cases, run.results);
  const StatisticalFinding finding = of(pools, Dtype::kF32, 36).finding;
  EXPECT_GT(finding.growth, finding.growth_limit);
  EXPECT_FALSE(finding.passed());
  EXPECT_NE(describe(finding).find("biased"), std::string::npos);
  EXPECT_EQ(describe(of(pools, Dtype::kF32, 36)), "f32, strict, 36 products, 150 tensors");
}

TEST(PooledErrors, LeaveOutTensorsThatFailedByThemselves) {
  Tried run;
  add_case(run, kShort, 1, unchanged);
  add_case(run, kShort, 2, [](double y) { return y + 1; });
  EXPECT_EQ(run.results[1]->verdict, Verdict::kFail);
  EXPECT_EQ(pool_errors(run.cases, run.results)[0].tensors, 1U);
}

TEST(PooledErrors, SurviveTheJournal) {
  Tried run;
  add_case(run, kShort, 1, shortened);
  const auto before = pool_errors(run.cases, run.results);
  run.results[0] = result_from_json(to_json(*run.results[0]));
  ASSERT_TRUE(run.results[0]);
  const auto after = pool_errors(run.cases, run.results);
  EXPECT_EQ(after[0].finding.growth, before[0].finding.growth);
  EXPECT_EQ(after[0].finding.mean_square, before[0].finding.mean_square);
  EXPECT_EQ(after[0].finding.effective_bits, before[0].finding.effective_bits);
}

}  // namespace
}  // namespace concord::conformance
