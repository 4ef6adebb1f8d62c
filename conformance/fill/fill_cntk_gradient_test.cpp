// SPDX-License-Identifier: Apache-2.0
// The data of CNTK's gradients hold what their fills promise: exact sums, or one product a sum.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "conformance/arithmetic/arithmetic.h"
#include "conformance/fill/exact_limits.h"
#include "conformance/fill/fill.h"
#include "spec/rounding.h"

namespace concord::conformance {
namespace {

constexpr const char* kLines[] = {
    "CntkBackwardData DTYPE src=8x7x2x3 weights=3x24 diff_dst=8x7x3x3 kernel=4,3,2 stride=1,1,2 "
    "autoPadding=false lowerPad=2,1,0 upperPad=1,1,0",
    "CntkBackwardData DTYPE src=7x6x3x2 weights=100x18 diff_dst=5x5x4x2 kernel=3,2,3 mapCount=4 "
    "stride=1,1,3 sharing=false,false,true autoPadding=false",
    "CntkBackwardData DTYPE src=6x5x2x2 weights=40x18 diff_dst=6x5x40x2 kernel=3,3,2 stride=1,1,2 "
    "autoPadding=true,true,false",
    "CntkBackwardWeights DTYPE src=30x28x2x3 weights=3x18 diff_dst=30x28x3x3 kernel=3,3,2 "
    "stride=1,1,2 autoPadding=true,true,false",
    "CntkBackwardWeights DTYPE src=7x6x3x2 weights=100x18 diff_dst=5x5x4x2 kernel=3,2,3 mapCount=4 "
    "stride=1,1,3 sharing=false,false,true autoPadding=false",
};

// Calls visit(problem, resolution, inputs) for each line, dtype and a few seeds.
template <class Visit>
void for_each_sample(Fill fill, const concord_arithmetic& arithmetic, Visit visit) {
  for (const char* const line : kLines) {
    for (const Dtype dtype : {Dtype::kF32, Dtype::kF16, Dtype::kBF16}) {
      std::string text = line;
      text.replace(text.find("DTYPE"), 5, to_string(dtype));
      const Problem problem = *parse(text);
      const auto resolution = *reference::resolve(problem);
      for (std::uint64_t seed = 0; seed < 4; ++seed) {
        visit(problem, resolution, fill_inputs(fill, seed, problem, resolution, arithmetic));
      }
    }
  }
}

reference::Oracle oracle_of(const Problem& problem, const reference::Resolution& resolution,
                            const Inputs& inputs) {
  return reference::evaluate(problem, resolution,
                             {inputs.src, inputs.weights, {}, inputs.diff_dst});
}

std::size_t count_not_zero(const std::vector<double>& values) {
  return values.size() - static_cast<std::size_t>(std::count(values.begin(), values.end(), 0.0));
}

TEST(CntkGradientFill, HasIntegersWhoseSumsAreExact) {
  for (const char* const name : {"strict", "accumulator=f16", "accumulator=bf16"}) {
    const auto arithmetic = *parse_arithmetic(name);
    for_each_sample(
        Fill::kIntegers, arithmetic,
        [&](const Problem& problem, const auto& resolution, const Inputs& inputs) {
          const auto sums = oracle_of(problem, resolution, inputs);
          const double most = *std::max_element(sums.magnitude.begin(), sums.magnitude.end());
          EXPECT_LE(most, static_cast<double>(exact_sum(problem.dtype, arithmetic))) << name;
          EXPECT_GT(count_not_zero(sums.value), sums.value.size() / 2) << print(problem) << name;
        });
  }
}

TEST(CntkGradientFill, HasOneProductASumWhereMantissasAreFull) {
  for (const Fill fill : {Fill::kImpulse, Fill::kSparse, Fill::kRamp}) {
    for_each_sample(
        fill, {}, [&](const Problem& problem, const auto& resolution, const Inputs& inputs) {
          Inputs counted = inputs;
          for (const Input input : kInputs) {
            for (double& value : counted.of(input)) value = value == 0 ? 0 : 1;
          }
          const auto products = oracle_of(problem, resolution, counted).value;
          EXPECT_EQ(*std::max_element(products.begin(), products.end()), 1) << print(problem);
          EXPECT_GT(count_not_zero(products), products.size() / 8) << print(problem);
        });
  }
}

TEST(CntkGradientFill, HasOneProductInAllForABilinearClass) {
  for_each_sample(Fill::kSparse, *parse_arithmetic("algorithm=bilinear"),
                  [](const Problem& problem, const auto& resolution, const Inputs& inputs) {
                    const auto sums = oracle_of(problem, resolution, inputs);
                    EXPECT_EQ(count_not_zero(sums.value), 1U) << print(problem);
                  });
}

// src of the gradient by the input, and weights of that by the weights, have a shape alone.
TEST(CntkGradientFill, LeavesWhatIsNotReadZero) {
  for (const Fill fill : {Fill::kUniform, Fill::kIntegers}) {
    for_each_sample(fill, {}, [](const Problem& problem, const auto&, const Inputs& inputs) {
      const bool by_weights = problem.operation() == Operation::kCntkBackwardWeights;
      EXPECT_EQ(count_not_zero(by_weights ? inputs.weights : inputs.src), 0U);
      EXPECT_GT(count_not_zero(by_weights ? inputs.src : inputs.weights), 0U);
    });
  }
}

}  // namespace
}  // namespace concord::conformance
