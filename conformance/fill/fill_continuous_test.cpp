// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "conformance/arithmetic/arithmetic.h"
#include "conformance/fill/exact_limits.h"
#include "conformance/fill/fill.h"

namespace concord::conformance {
namespace {

struct Filled {
  reference::Resolution resolution;
  std::vector<double> constants;  ///< K_theta's last biases
};

Filled impulse(const std::string& text, std::uint64_t seed) {
  const Problem problem = *parse(text);
  const auto resolution = *reference::resolve(problem);
  const Inputs inputs =
      fill_inputs(Fill::kImpulse, seed, problem, resolution, *parse_arithmetic("strict"));
  const auto& g = std::get<reference::ContinuousGeometry>(resolution.form);
  return {resolution, {inputs.weights.end() - g.net.C_final, inputs.weights.end()}};
}

// Of one pixel that the boundary repeats, an output sums K_theta at several distances.
TEST(FillImpulse, HasExactSumsWhereTheBoundaryRepeatsThePixel) {
  for (const char* const text :
       {"ContinuousConvolution f32 src=1x1x1x1 weights=13 scale=1,1 kernel=2,2 function=net_k "
        "widths=1,1 boundary=symmetric",
        "ContinuousConvolution bf16 src=1x1x1x3 weights=55 scale=3/2,1 kernel=5,5 function=net_k "
        "widths=1,1 boundary=reflect",
        "ContinuousBackwardData f16 src=1x1x2x1 weights=25 diff_dst=1x1x2x1 scale=1,1 kernel=4,2 "
        "function=net_k widths=2,1 boundary=replicate"}) {
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      const Problem problem = *parse(text);
      const Filled filled = impulse(text, seed);
      double sum = 0;
      for (const double constant : filled.constants) {
        EXPECT_EQ(constant, std::round(constant)) << text;
        sum += std::fabs(constant);
      }
      EXPECT_LE(sum, static_cast<double>(exact_sum(problem.dtype, *parse_arithmetic("strict"))))
          << text;
      EXPECT_GT(sum, 0);
    }
  }
}

TEST(FillImpulse, HasFullMantissasWhereNoPixelIsMetTwice) {
  const char* const text =
      "ContinuousConvolution f32 src=1x1x3x3 weights=13 scale=1,1 kernel=2,2 function=net_k "
      "widths=1,1 boundary=replicate";
  const char* const zero =
      "ContinuousConvolution f32 src=1x1x3x3 weights=13 scale=1,1 kernel=2,2 function=net_k "
      "widths=1,1";
  const auto is_integer = [](double value) { return value == std::round(value); };
  const auto repeated = impulse(text, 1).constants, once = impulse(zero, 1).constants;
  EXPECT_TRUE(std::all_of(repeated.begin(), repeated.end(), is_integer));
  EXPECT_TRUE(std::none_of(once.begin(), once.end(), is_integer));
}

}  // namespace
}  // namespace concord::conformance
