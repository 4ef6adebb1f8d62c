// SPDX-License-Identifier: Apache-2.0
// The continuous layer forms no tensor of weights or neighbours of a whole image. Source: the
// paper's appendix B.1.
#include <gtest/gtest.h>

#include "optimized/engine.h"
#include "optimized/operations/continuous.h"
#include "optimized/operations/continuous_gradient.h"
#include "optimized/testing/trial.h"

namespace concord::optimized {
namespace {

constexpr Extent kChannels = 32, kTaps = 9, kSmall = 64, kLarge = 256;
const Rational kOfPhases(2, 3), kOfTiles(2001, 3001);

ContinuousShape layer(Extent side, Rational scale) {
  ContinuousAttributes a;
  a.scale_h = a.scale_w = scale;
  a.kernel = {3, 3};
  a.channels = kChannels;
  a.widths = {16, 16};
  ContinuousTensors tensors;
  tensors.src.dims = {1, kChannels, side, side};
  tensors.theta.dims = {3 * 16 + 17 * 16 + 17 * kChannels * kChannels};
  return infer_continuous(tensors, a).value();
}

// An image of 16 times the pixels takes at most four times as much, as its rows do, and no
// hundredth of its weights, one for each output, tap and pair of channels.
void expect_by_rows(const std::string& what, std::size_t small, std::size_t large) {
  EXPECT_LE(large, 4 * small) << what;
  const Extent outputs = (kLarge * 2 / 3) * (kLarge * 2 / 3);
  const auto weights = static_cast<std::size_t>(outputs * kTaps * kChannels * kChannels) * 4;
  EXPECT_LT(100 * large, weights) << what;
}

TEST(ContinuousMemory, OfTheForwardPassGrowsAsARowOfTheImageDoes) {
  for (const Rational scale : {kOfPhases, kOfTiles}) {
    const auto small = make_continuous_plan(layer(kSmall, scale), {});
    const auto large = make_continuous_plan(layer(kLarge, scale), {});
    ASSERT_EQ(large->way, scale == kOfPhases ? ContinuousWay::kPhases : ContinuousWay::kTiles);
    expect_by_rows(describe(*large), small->workspace_bytes, large->workspace_bytes);
  }
}

TEST(ContinuousMemory, OfTheGradientsGrowsAsARowOfTheImageDoes) {
  for (const Rational scale : {kOfPhases, kOfTiles}) {
    const ContinuousShape small = layer(kSmall, scale), large = layer(kLarge, scale);
    expect_by_rows("by the input",
                   plan_input_gradient(small, Tensor{small.src.dims, {}}, {})->workspace_bytes,
                   plan_input_gradient(large, Tensor{large.src.dims, {}}, {})->workspace_bytes);
    expect_by_rows("by theta", plan_theta_gradient(small, {})->workspace_bytes,
                   plan_theta_gradient(large, {})->workspace_bytes);
  }
}

TEST(ContinuousPlan, HasItsProductsPlannedAsAsked) {
  for (const Target* target : all_targets()) {
    const Options options{.threads = 2, .isa = Isa::kGeneric, .winograd = 2, .target = target};
    const auto phases = make_continuous_plan(layer(kSmall, kOfPhases), {options});
    const auto tiles = make_continuous_plan(layer(kSmall, kOfTiles), {options});
    const auto gradient = plan_theta_gradient(layer(kSmall, kOfPhases), options);
    const Plan* const products[] = {&phases->phases.full.plans.at(0), &tiles->tiles.product,
                                    &gradient->products.plans.at(0)};
    for (const Plan* product : products) {
      EXPECT_EQ(product->target, target);
      EXPECT_EQ(product->isa, Isa::kGeneric);
      EXPECT_EQ(product->threads(), 1);
      EXPECT_NE(product->name(), "winograd");
    }
  }
}

// Outputs so far apart that what lies between them is not worth memory. The first ones' supports
// touch.
TEST(ContinuousMemory, OutputsFarApartAreNotStaged) {
  struct Layer {
    Extents size, kernel;
    Rational vertical, horizontal;
  };
  constexpr Extent kFar = Extent{1} << 30;
  for (const Layer& each : {Layer{{1, 65536}, {1, 8192}, 1, Rational(1, 8192)},
                            Layer{{64, 64}, {3, 3}, Rational(1, 1 << 25), Rational(1, 1 << 25)},
                            Layer{{1, 1 << 20}, {1, 1024}, Rational(1, kFar), Rational(1, 1023)}}) {
    ContinuousAttributes a;
    a.function = KernelFunction::kKeys;
    a.scale_h = each.vertical;
    a.scale_w = each.horizontal;
    a.kernel = each.kernel;
    a.size = each.size;
    a.channels = 1;
    a.boundary = Boundary::kReplicate;
    ContinuousTensors tensors;
    tensors.src.dims = {1, 1, 1, 4};
    tensors.theta.dims = {0};
    const auto plan = make_continuous_plan(infer_continuous(tensors, a).value(), {});
    ASSERT_TRUE(plan) << to_string(each.horizontal);
    EXPECT_EQ(plan->way, ContinuousWay::kTiles) << to_string(each.horizontal);
    EXPECT_LT(plan->workspace_bytes, 16U << 20) << to_string(each.horizontal);
  }
}

// Legal layers, small tensors of which need more memory than there is.
TEST(ContinuousMemory, BeyondAllMemoryIsALimitAndNoFaultOfTheProblem) {
  for (const char* line :
       {"ContinuousConvolution f32 src=1x1x1x1 weights=0 scale=1 channels=1 "
        "kernel=1048576,524288 widths=1,1 function=keys",
        "ContinuousBackwardData f32 src=0x1x1x1 weights=7 diff_dst=0x1x1x1 scale=1 channels=1 "
        "kernel=1048576,700 widths=1,1",
        "ContinuousConvolution f64 src=1x1x1x1 weights=7 scale=1 channels=1 kernel=1,1 "
        "widths=1,1"}) {
    const auto plan = plan_problem(testing::problem_of(line));
    ASSERT_FALSE(plan) << line;
    EXPECT_EQ(plan.why().fault, Fault::kLimit) << plan.why().detail;
  }
}

}  // namespace
}  // namespace concord::optimized
