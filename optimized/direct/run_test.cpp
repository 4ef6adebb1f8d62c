// SPDX-License-Identifier: Apache-2.0
// How register tiles get to dst: rounded as they are stored, staged, past the caches.
#include <gtest/gtest.h>

#include <string>

#include "optimized/testing/trial.h"

namespace concord::optimized {
namespace {

using testing::problem_of;
using testing::Side;
using testing::supported_isas;
using testing::Trial;
using testing::wrong_anywhere;

Tiling tiling_of(const Problem& problem, Isa isa) {
  const auto plan = make_plan(problem, {.isa = isa});
  EXPECT_EQ(plan->name(), "tiles") << print(problem);
  return *plan->as<Tiling>();
}

TEST(TileDst, IsRoundedAsItIsStoredWhereKernelsReadBf16) {
  for (const int channels : {1, 15, 16, 17, 31, 32, 33, 47, 48, 64, 70}) {
    const std::string c = std::to_string(channels);
    const Problem problem =
        problem_of("Convolution bf16 src=2x5x19x6 weights=2x3x6x" + c + " bias=" + c +
                   " pads_begin=1,0 pads_end=0,2 data_format=NXC "
                   "weights_format=XIO");
    EXPECT_EQ(wrong_anywhere(problem), "") << channels;
    if (!is_supported(Isa::kAvx512Bf16)) continue;
    EXPECT_TRUE(tiling_of(problem, Isa::kAvx512Bf16).rounds_dst) << channels;
  }
}

TEST(TileDst, IsKeptInF32BetweenThePassesOfASum) {
  const Problem problem = problem_of(
      "Convolution bf16 src=1x4x5x1500 weights=3x3x1500x40 pads_begin=1,1 pads_end=1,1 "
      "data_format=NXC weights_format=XIO");
  EXPECT_EQ(wrong_anywhere(problem, 2), "");
  if (!is_supported(Isa::kAvx512Bf16)) return;
  const Tiling tiling = tiling_of(problem, Isa::kAvx512Bf16);
  EXPECT_GT(tiling.channel_blocks(), 1);
  EXPECT_FALSE(tiling.rounds_dst);
  EXPECT_TRUE(tiling.stages_dst);
}

// Of 8.5 MiB and more, where it is staged: in lines that are whole, or not where channels or
// addresses forbid it.
TEST(TileDst, IsRightWhereItGoesPastTheCaches) {
  for (const char* line : {
           "f32 src=1x190x191x2 weights=1x1x2x64 bias=64 data_format=NXC weights_format=XIO",
           "f32 src=1x190x191x1 weights=1x1x1x72 data_format=NXC weights_format=XIO",
           "f32 src=1x2x192x193 weights=64x2x1x2 data_format=NCX weights_format=OIX",
           "f32 src=1x2x191x195 weights=61x2x1x2 data_format=NCX weights_format=OIX",
           "bf16 src=1x266x256x2 weights=1x1x2x64 bias=64 data_format=NXC weights_format=XIO",
           "bf16 src=1x220x220x2 weights=1x1x2x96 data_format=NXC weights_format=XIO",
       }) {
    const Problem problem = problem_of("Convolution " + std::string(line));
    Trial trial(problem);
    for (const Isa isa : supported_isas()) {
      const auto plan = make_plan(problem, {.isa = isa});
      if (const auto* t = plan->as<Tiling>()) {
        EXPECT_EQ(t->non_temporal_dst, t->stages_dst) << line << to_string(isa);
      }
      for (const Side side : {Side::kAfter, Side::kUnaligned}) {
        EXPECT_EQ(trial.run({.isa = isa}, side), "") << line << to_string(isa);
      }
    }
  }
}

}  // namespace
}  // namespace concord::optimized
