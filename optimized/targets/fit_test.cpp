// SPDX-License-Identifier: Apache-2.0
#include "optimized/targets/fit.h"

#include <gtest/gtest.h>

#include "optimized/convolution.h"

namespace concord::optimized {
namespace {

// Layers of all regimes in panels of every width, which take as long as `target` says.
std::vector<MeasuredTiling> measured_on(const Target& target) {
  std::vector<MeasuredTiling> all;
  for (const std::string pixels : {"1", "3", "4", "7", "12", "14", "30"}) {
    for (const std::string channels : {"4", "16", "64", "250", "1024"}) {
      for (const std::string out : {"16", "48", "64", "512"}) {
        const auto problem =
            parse("Convolution f32 src=1x6x" + pixels + "x" + channels + " weights=3x1x" +
                  channels + "x" + out + " data_format=NXC weights_format=XIO");
        const auto plan = make_plan(*problem, {});
        for (int vectors = 1; vectors <= kMaxVectors; ++vectors) {
          auto tiling = tiling_of_vectors(*plan, vectors);
          if (!tiling) continue;
          const double cycles = terms_of(target, *tiling).cycles(target.tiles);
          all.push_back({pixels + "x" + channels, *std::move(tiling), cycles});
        }
      }
    }
  }
  return all;
}

Target planted() {
  Target target = kX86;
  target.core.second_level_bytes = 40;
  target.tiles.pixel_byte = 0.02;
  target.tiles.kept_byte = 0.003;
  target.tiles.far_byte = 0.011;
  target.tiles.loop = 0.5;
  target.tiles.tile = 33;
  target.tiles.store = 2;
  target.tiles.store_of_part = 7;
  return target;
}

TEST(Fit, FindsTheCostsThatMadeTheCycles) {
  const Target target = planted();
  const auto measured = measured_on(target);
  const Target fitted = fit_tile_costs(kX86, measured);
  EXPECT_GT(residuals_of(kX86, measured).median, 0.01);
  EXPECT_LT(residuals_of(fitted, measured).worst, 1e-3);
  EXPECT_NEAR(fitted.tiles.tile, target.tiles.tile, 0.05 * target.tiles.tile);
  EXPECT_NEAR(fitted.tiles.pixel_byte, target.tiles.pixel_byte, 0.05 * target.tiles.pixel_byte);
}

TEST(Fit, NamesThePlanThatItMissesMost) {
  auto measured = measured_on(planted());
  measured[5].cycles *= 3;
  measured[5].name = "planted";
  EXPECT_EQ(residuals_of(planted(), measured).worst_name, "planted");
  EXPECT_NEAR(residuals_of(planted(), measured).worst, 2.0 / 3, 1e-6);
}

TEST(Fit, KeepsACostThatNoPlanHas) {
  auto measured = measured_on(planted());
  std::erase_if(measured, [](const MeasuredTiling& plan) {
    const CostTerms terms = terms_of(kX86, plan.tiling);
    return terms.counts.reload + terms.counts.crowded_reload > 0;
  });
  ASSERT_FALSE(measured.empty());
  EXPECT_EQ(fit_tile_costs(kX86, measured).tiles.crowded_reload, kX86.tiles.crowded_reload);
}

TEST(Fit, CostsAreNeverNegative) {
  auto measured = measured_on(planted());
  for (MeasuredTiling& plan : measured) plan.cycles /= 2;
  const Target fitted = fit_tile_costs(kX86, measured);
  for (const NamedCost& cost : kTileCosts) EXPECT_GE(fitted.tiles.*cost.member, 0) << cost.name;
}

TEST(Fit, WritesAConstantNamedAfterTheTarget) {
  Target target = planted();
  target.name = "some_cpu2";
  const std::string text = source_of(target, "How it was fitted.\nTwo lines.");
  for (const char* part :
       {"// How it was fitted.\n// Two lines.\n", "constinit const Target kSomeCpu2 = {",
        ".kept_byte = 0.003,", ".second_level_bytes = 40,", ".tile = 33,"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
}

}  // namespace
}  // namespace concord::optimized
