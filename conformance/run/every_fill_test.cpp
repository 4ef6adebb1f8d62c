// SPDX-License-Identifier: Apache-2.0
// Every fill of every operation, dtype and class: a backend that is right passes, or there is no
// such fill, which a sentence says.
#include <gtest/gtest.h>

#include <cmath>

#include "conformance/arithmetic/arithmetic.h"
#include "conformance/fill/fill.h"
#include "conformance/run/examine.h"
#include "reference/reference.h"

namespace concord::conformance {
namespace {

constexpr const char* kProblems[] = {
    "Convolution1 DTYPE src=2x4x6x5 weights=4x2x3x2 bias=4 groups=2 auto_pad=same_lower "
    "data_format=NCX filter_format=OIX",
    "Convolution DTYPE src=2x6x5x3 weights=3x2x3x4 strides=2,1 pads_begin=1,0 data_format=NXC "
    "weights_format=XIO",
    "AtrousConv2d DTYPE src=1x6x7x3 weights=3x2x3x4 rate=2 padding=SAME",
    "AtrousChain DTYPE src=1x6x7x2 weights=3x3x1x2x2 rate=4",
    "SpaceToBatch DTYPE src=2x6x8x3 block_size=2 paddings=1,1,0,0",
    "BatchToSpace DTYPE src=8x3x4x3 block_size=2 crops=1,0,0,1",
    "CntkConvolution DTYPE src=7x6x3x2 weights=4x18 kernel=3,2,3 stride=1,1,3 "
    "autoPadding=true,true,false",
    "CntkConvolution DTYPE src=7x6x3x2 weights=20x18 kernel=3,2,3 mapCount=4 stride=1,1,3 "
    "sharing=false,true,true autoPadding=false",
    "CntkConvolution2d DTYPE src=3x1x2x1 weights=1x2",
    "CntkConvolution2d DTYPE src=3x8x6x2 weights=4x18 kernelWidth=3 kernelHeight=2 "
    "zeroPadding=true imageLayout=HWC",
    "ContinuousConvolution DTYPE src=1x2x6x5 weights=73 scale=2/3,3/2 channels=3 widths=4,5",
    "ContinuousConvolution DTYPE src=1x2x6x5 weights=0 scale=2/3,3/4 channels=2 kernel=4,4 "
    "function=keys",
    "ContinuousBackwardData DTYPE src=1x2x6x5 weights=73 diff_dst=1x3x4x8 scale=2/3,3/2 "
    "channels=3 widths=4,5",
    "ContinuousBackwardWeights DTYPE src=1x2x6x5 weights=73 diff_dst=1x3x4x8 scale=2/3,3/2 "
    "channels=3 widths=4,5",
    "ContinuousBackwardGrid DTYPE src=1x2x6x5 weights=73 diff_dst=1x3x4x8 scale=2/3,3/2 "
    "channels=3 widths=4,5",
    "ContinuousBackwardKernel DTYPE src=2x2x6x5 weights=73 diff_dst=2x3x4x8 scale=2/3,3/2 "
    "channels=3 widths=4,5",
    "ContinuousChain DTYPE src=1x2x6x8 weights=2x61 scales_h=3/2,2/3 scales_w=3/4,2/3 widths=4,5",
};

constexpr const char* kClasses[] = {"strict", "flush",  "f16-accumulate", "bf16-accumulate",
                                    "tf32",   "bf16x3", "f64-accumulate", "bilinear"};

Problem problem_of(std::string line, Dtype dtype) {
  line.replace(line.find("DTYPE"), 5, to_string(dtype));
  return parse(line).value();
}

// How many fills the backend passed, of all problems; none may fail.
int passes(const char* plugin, std::optional<concord_arithmetic> arithmetic) {
  Host host({.text = plugin, .path = std::string(TEST_PLUGINS "/") + plugin + ".so"},
            {.worker_program = TEST_WORKER});
  int passed = 0;
  for (const char* line : kProblems) {
    for (const Dtype dtype : kDtypes) {
      // What is not judged in f64 no backend of ours serves in it.
      if (dtype == Dtype::kF64 &&
          !reference::resolve(problem_of(line, dtype)).value().judges_f64()) {
        continue;
      }
      for (const Fill fill : kFills) {
        Case source;
        source.problem = problem_of(line, dtype);
        source.fill = fill;
        if (why_no_fill(fill, source.problem)) continue;
        for (source.seed = 1; source.seed <= 2; ++source.seed) {
          PreparedCase prepared(source);
          const CaseResult result = examine(prepared, host, {.arithmetic = arithmetic});
          EXPECT_TRUE(result.verdict == Verdict::kPass || result.verdict == Verdict::kVacuous)
              << plugin << " " << print(source.problem) << " --fill " << to_string(fill)
              << " --seed " << source.seed << ": " << result.reason << "; " << result.arithmetic;
          passed += result.verdict == Verdict::kPass ? 1 : 0;
        }
      }
    }
  }
  return passed;
}

TEST(EveryFill, PassesARightBackendUnderEveryClass) {
  for (const char* text : kClasses) {
    EXPECT_GT(passes("reference", parse_arithmetic(text).value()), 200) << text;
  }
}

TEST(EveryFill, PassesTheEngineUnderTheClassThatItDeclares) {
  EXPECT_GT(passes("optimized", std::nullopt), 400);
}

// The planted bug is seen by these data: subnormal numbers are.
TEST(EveryFill, OfSubnormalNumbersHasThemWhereResultsCanBeExact) {
  for (const char* line : kProblems) {
    const Problem problem = problem_of(line, Dtype::kF32);
    if (why_no_fill(Fill::kSubnormal, problem)) continue;
    const auto resolution = reference::resolve(problem).value();
    for (const std::uint64_t seed : {1U, 2U}) {
      const Inputs inputs = fill_inputs(Fill::kSubnormal, seed, problem, resolution, {});
      const auto want = reference::evaluate(
          problem, resolution, {inputs.src, inputs.weights, inputs.bias, inputs.diff_dst});
      bool subnormal = false;
      for (const double value : want.value) {
        subnormal = subnormal || (value != 0 && std::fabs(value) < 0x1p-126);
      }
      EXPECT_TRUE(subnormal) << line << " seed " << seed;
      EXPECT_TRUE(is_exact(Fill::kSubnormal, resolution, {})) << line;
    }
  }
}

}  // namespace
}  // namespace concord::conformance
