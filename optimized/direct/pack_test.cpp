// SPDX-License-Identifier: Apache-2.0
#include "optimized/direct/pack.h"

#include <gtest/gtest.h>

#include <string>

#include "optimized/direct/on_the_fly.h"
#include "optimized/testing/trial.h"

namespace concord::optimized {
namespace {

using testing::problem_of;
using testing::supported_isas;
using testing::Trial;

// Several panels, the last one narrower; several passes; groups; weights with gaps between rows.
TEST(PackTiles, ByTheTasksIsRight) {
  for (const char* line : {
           "f32 src=1x5x9x40 weights=3x2x40x150 bias=150 pads_begin=1,1",
           "f32 src=2x3x7x33 weights=1x1x33x161",
           "f32 src=1x4x5x1500 weights=3x3x1500x72 pads_begin=1,1 pads_end=1,1",
           "f32 src=1x6x11x120 weights=3x3x40x210 bias=210 groups=3 dilations=2,3 pads_begin=2,0",
           "f16 src=1x5x9x40 weights=3x2x40x150 pads_begin=0,1",
           "bf16 src=1x5x9x40 weights=3x2x40x150 bias=150",
       }) {
    const Problem problem =
        problem_of("Convolution " + std::string(line) + " data_format=NXC weights_format=XIO");
    Trial trial(problem);
    for (const Isa isa : supported_isas()) {
      for (const int threads : {1, 2}) {
        const Options options = {.threads = threads, .isa = isa};
        const auto plan = make_plan(problem, options);
        ASSERT_TRUE(plan) << line;
        const auto* tiling = plan->as<Tiling>();
        if (threads == 1 && tiling != nullptr && !tiling->reads_pairs()) {
          EXPECT_TRUE(packs_by_task(*plan, *tiling)) << line << " " << to_string(isa);
        }
        EXPECT_EQ(trial.run(options), "") << line << " " << to_string(isa);
      }
    }
  }
}

// Long enough, and often enough, that two threads do pack at the same time.
TEST(PackTiles, EachThreadHasAPlaceOfItsOwn) {
  const Problem problem = problem_of(
      "Convolution f32 src=1x7x7x256 weights=3x3x256x1536 data_format=NXC weights_format=XIO");
  for (const Isa isa : supported_isas()) {
    const Options options = {.threads = 2, .isa = isa};
    const auto plan = make_plan(problem, options);
    ASSERT_TRUE(packs_by_task(*plan, *plan->as<Tiling>())) << to_string(isa);
    Trial trial(problem);
    for (int run = 0; run < 5; ++run) ASSERT_EQ(trial.run(options), "") << to_string(isa);
  }
}

// One panel of whole vectors, and one group; several passes only of one tap.
TEST(PackTiles, LeavesWeightsWhereTheyLieAsPacked) {
  const auto lie = [](const std::string& line) {
    const Problem problem = problem_of("Convolution " + line + " data_format=NXC");
    const auto plan = make_plan(problem, {.isa = Isa::kGeneric});
    return lie_as_packed(*plan, *plan->as<Tiling>());
  };
  const std::string xio = " weights_format=XIO";
  EXPECT_TRUE(lie("f32 src=1x7x7x24 weights=3x3x24x8" + xio));
  EXPECT_TRUE(lie("f64 src=2x7x7x24 weights=1x1x24x4 bias=4" + xio));
  EXPECT_TRUE(lie("f32 src=1x3x3x9000 weights=1x1x9000x8" + xio));
  EXPECT_FALSE(lie("f32 src=1x3x3x9000 weights=3x3x9000x8" + xio));
  EXPECT_FALSE(lie("f32 src=1x7x7x24 weights=3x3x24x7" + xio));
  EXPECT_FALSE(lie("f32 src=1x7x7x24 weights=3x3x24x160" + xio));
  EXPECT_FALSE(lie("f32 src=1x7x7x48 weights=3x3x24x16 groups=2" + xio));
  EXPECT_FALSE(lie("f32 src=1x7x7x24 weights=8x24x3x3 weights_format=OIX"));
  EXPECT_FALSE(lie("f32 src=1x7x7x24 weights=3x3x24x8:624x208x8x1" + xio));
  EXPECT_FALSE(lie("f16 src=1x7x7x24 weights=3x3x24x8" + xio));
}

TEST(PackTiles, BeforeTheTasksWhereTheyShareWeights) {
  const auto packs = [](const std::string& line) {
    const auto plan = make_plan(problem_of("Convolution f32 " + line + " data_format=NXC"), {});
    return packs_by_task(*plan, *plan->as<Tiling>());
  };
  EXPECT_FALSE(packs("src=1x200x200x64 weights=3x3x64x64 weights_format=XIO"));
  EXPECT_FALSE(packs("src=1x5x9x40 weights=150x40x3x2 weights_format=OIX"));
}

}  // namespace
}  // namespace concord::optimized
