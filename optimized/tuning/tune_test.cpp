// SPDX-License-Identifier: Apache-2.0
#include "optimized/tuning/tune.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <set>

#include "optimized/convolution.h"
#include "optimized/testing/bits.h"
#include "optimized/testing/trial.h"
#include "optimized/tuning/wisdom.h"

namespace concord::optimized {
namespace {

using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using testing::problem_of;
using testing::supported_isas;
using testing::Trial;

// Each is served by several algorithms or tiles.
constexpr const char* kProblems[] = {
    "Convolution f32 src=2x9x14x40 weights=3x3x40x70 pads_begin=1,1 pads_end=1,1 data_format=NXC "
    "weights_format=XIO",
    "Convolution f32 src=1x7x7x900 weights=3x3x900x40 pads_begin=1,1 pads_end=1,1 data_format=NXC "
    "weights_format=XIO",
    "Convolution f32 src=3x4x8x64 weights=1x7x64x130 pads_begin=0,3 pads_end=0,3 data_format=NXC "
    "weights_format=XIO",
    "Convolution f32 src=5x8x8x64 weights=3x3x64x40 strides=2,2 pads_begin=1,1 pads_end=1,1 "
    "data_format=NXC weights_format=XIO",
    "Convolution f32 src=1x24x19x23 weights=24x1x3x3 groups=24 pads_begin=1,1 pads_end=1,1 "
    "data_format=NCX weights_format=OIX",
    "Convolution f32 src=2x48x6x6 weights=48x1x5x5 groups=48 strides=2,2 pads_begin=2,2 "
    "pads_end=2,2 data_format=NCX weights_format=OIX",
    "Convolution f32 src=1x17x21x32 weights=3x3x1x32 groups=32 pads_begin=1,1 pads_end=1,1 "
    "data_format=NXC weights_format=XIO",
    "Convolution f32 src=1x13x17x48 weights=3x3x16x48 groups=3 pads_begin=1,1 pads_end=1,1 "
    "data_format=NXC weights_format=XIO",
    "Convolution f32 src=1x300x9x9 weights=70x300x1x1 data_format=NCX weights_format=OIX",
    "Convolution f32 src=2x300x5x5 weights=70x300x1x1 data_format=NCX weights_format=OIX",
    "Convolution f32 src=2x3x20x31 weights=40x3x3x3 pads_begin=1,1 pads_end=1,1 data_format=NCX "
    "weights_format=OIX",
    "Convolution bf16 src=2x9x14x40 weights=3x3x40x70 pads_begin=1,1 pads_end=1,1 data_format=NXC "
    "weights_format=XIO",
    "Convolution bf16 src=1x13x17x48 weights=3x3x16x48 groups=3 pads_begin=1,1 pads_end=1,1 "
    "data_format=NXC weights_format=XIO",
    "Convolution f16 src=1x13x17x40 weights=3x3x10x60 groups=4 data_format=NXC weights_format=XIO",
    "Convolution f64 src=1x24x19x23 weights=24x1x3x3 groups=24 pads_begin=1,1 pads_end=1,1 "
    "data_format=NCX weights_format=OIX",
    "Convolution f64 src=2x9x14x40 weights=3x3x40x70 pads_begin=1,1 pads_end=1,1 data_format=NXC "
    "weights_format=XIO"};

std::vector<Plan> others_of(const Problem& problem, const Options& options, bool any_sums) {
  const auto own = make_plan(problem, options);
  EXPECT_TRUE(own);
  return other_plans(problem, options, *own, any_sums);
}

Options with_choice(const Options& options, const Plan& plan) {
  Options chosen = options;
  chosen.choice = plan.choice;
  return chosen;
}

// All that a measurement may choose, between guard pages.
TEST(OtherPlans, ComputeTheSame) {
  std::set<std::string> algorithms;
  for (const char* const line : kProblems) {
    const Problem problem = problem_of(line);
    Trial trial(problem);
    for (const Isa isa : supported_isas()) {
      for (const int threads : {1, 3}) {
        const Options options = {.threads = threads, .isa = isa};
        for (const Plan& plan : others_of(problem, options, true)) {
          algorithms.insert(plan.name());
          EXPECT_EQ(trial.run(with_choice(options, plan)), "")
              << line << " by " << to_string(*plan.choice) << " of " << to_string(isa);
        }
      }
    }
  }
  EXPECT_THAT(algorithms, IsSupersetOf({"tiles", "planes_ncx", "pointwise_ncx"}));
}

TEST(OtherPlans, HaveTheBitsOfTheirClass) {
  int shared = 0;
  for (const char* const line : kProblems) {
    const Problem problem = problem_of(line);
    for (const Isa isa : supported_isas()) {
      const Options options = {.isa = isa};
      const auto own = make_plan(problem, options);
      ASSERT_TRUE(own);
      std::map<std::string, testing::Bytes> bits_of_class = {
          {own->sums(), testing::dst_bits(problem, options)}};
      for (const Plan& plan : others_of(problem, options, true)) {
        const auto bits = testing::dst_bits(problem, with_choice(options, plan));
        const auto [known, is_new] = bits_of_class.try_emplace(plan.sums(), bits);
        EXPECT_EQ(bits, known->second) << line << " by " << to_string(*plan.choice);
        shared += is_new ? 0 : 1;
      }
    }
  }
  EXPECT_GE(shared, is_supported(Isa::kAvx512) ? 20 : 10);
}

TEST(OtherPlans, AddAsThePlannersOwnUnlessAnyOrderWillDo) {
  for (const Isa isa : supported_isas()) {
    const Options options = {.isa = isa};
    int others = 0;
    for (const char* const line : kProblems) {
      const Problem problem = problem_of(line);
      const auto own = make_plan(problem, options);
      ASSERT_TRUE(own);
      const auto plans = other_plans(problem, options, *own, false);
      for (const Plan& plan : plans) EXPECT_EQ(plan.sums(), own->sums()) << line;
      EXPECT_LE(plans.size(), other_plans(problem, options, *own, true).size()) << line;
      others += static_cast<int>(plans.size());
    }
    // Fewer registers hold fewer tiles.
    EXPECT_GE(others, isa < Isa::kAvx512 ? 1 : 10) << to_string(isa);
  }
}

// The plugin declares the arithmetic before it measures. Tiles of pairs would flush, groups do not.
TEST(OtherPlans, FlushSubnormalNumbersWhereThePlannersOwnDoes) {
  const Problem problem = problem_of(
      "Convolution bf16 src=1x16x28x28 weights=16x8x3x3 groups=2 pads_begin=1,1 pads_end=1,1 "
      "data_format=NCX weights_format=OIX");
  for (const Isa isa : supported_isas()) {
    const Options options = {.isa = isa};
    const auto own = make_plan(problem, options);
    ASSERT_TRUE(own);
    for (const Plan& plan : other_plans(problem, options, *own, true)) {
      EXPECT_EQ(plan.flushes_subnormals, own->flushes_subnormals) << to_string(*plan.choice);
    }
  }
}

TEST(OtherPlans, AreNoneOfADstWithoutElements) {
  const Problem problem =
      problem_of("Convolution f32 src=0x9x9x4 weights=3x3x4x8 data_format=NXC weights_format=XIO");
  EXPECT_TRUE(others_of(problem, {}, true).empty());
}

TEST(Choice, ThatDoesNotServeIsPassedOver) {
  const Problem dense = problem_of(kProblems[0]);
  const auto own = make_plan(dense, {});
  for (const PlanChoice& choice :
       {PlanChoice{"planes_ncx", {}, 0}, PlanChoice{"groups", {}, 0}, PlanChoice{"no such", {}, 0},
        PlanChoice{"tiles", {1, 27, TileRows::kImages}, 0},
        PlanChoice{"tiles", {2, 13, TileRows::kRows}, 1 << 20}}) {
    const auto plan = make_plan(dense, {.choice = choice});
    ASSERT_TRUE(plan);
    EXPECT_EQ(plan->choice, std::nullopt) << to_string(choice);
    EXPECT_EQ(describe(*plan), describe(*own)) << to_string(choice);
  }
}

Options tuning(double milliseconds, std::shared_ptr<Wisdom> wisdom = nullptr) {
  return {.tuning = Tuning{.milliseconds = milliseconds, .wisdom = std::move(wisdom)}};
}

TEST(TunedPlan, SaysWhatWasMeasured) {
  const Problem problem = problem_of(kProblems[0]);
  const auto plan = make_plan(problem, tuning(50));
  ASSERT_TRUE(plan);
  EXPECT_THAT(describe(*plan), HasSubstr(" plans; this one "));
  EXPECT_EQ(testing::dst_bits(problem, tuning(50)), testing::dst_bits(problem, {}));
}

TEST(TunedPlan, IsThePlannersOwnWhereMeasuringTakesTooLong) {
  const Problem problem = problem_of(
      "Convolution f32 src=1x512x512x512 weights=3x3x512x512 data_format=NXC weights_format=XIO");
  const auto plan = make_plan(problem, tuning(20));
  ASSERT_TRUE(plan);
  EXPECT_EQ(describe(*plan), describe(*make_plan(problem, {})));
}

TEST(TunedPlan, RefusesATimeThatIsNotPositiveAfterTheProblemsFaults) {
  const Problem problem = problem_of(kProblems[0]);
  for (const double milliseconds : {0.0, -1.0}) {
    const auto plan = make_plan(problem, tuning(milliseconds));
    ASSERT_FALSE(plan);
    EXPECT_THAT(plan.why().detail, HasSubstr("not positive"));
  }
  Problem faulty = problem;
  faulty.weights.dims[2] = 7;
  EXPECT_EQ(make_plan(faulty, tuning(0)).why().fault, Fault::kChannels);
}

TEST(TunedPlan, TakesWhatTheWisdomFileHas) {
  const std::string path = ::testing::TempDir() + "tune_" + std::to_string(getpid());
  std::filesystem::remove(path);
  const Problem problem = problem_of(kProblems[0]);
  {
    const auto plan = make_plan(problem, tuning(20, *Wisdom::open(path)));
    ASSERT_TRUE(plan);
    EXPECT_THAT(plan->measured, HasSubstr("plans"));
  }
  const auto again = make_plan(problem, tuning(20, *Wisdom::open(path)));
  ASSERT_TRUE(again);
  EXPECT_THAT(again->measured, HasSubstr("the wisdom file has"));
  // A dense dst may be stated or not.
  Problem stated = problem;
  stated.dst = again->shape.dst_tensor;
  EXPECT_THAT(make_plan(stated, tuning(20, *Wisdom::open(path)))->measured,
              HasSubstr("the wisdom file has"));
  // Of another number of threads it says nothing.
  Options two = tuning(20, *Wisdom::open(path));
  two.threads = 2;
  EXPECT_THAT(make_plan(problem, two)->measured, HasSubstr("plans"));
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace concord::optimized
