// SPDX-License-Identifier: Apache-2.0
#include "conformance/catalog/cut.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "conformance/catalog/extents.h"
#include "conformance/catalog/listed.h"
#include "reference/discrete.h"

namespace concord::conformance {
namespace {

constexpr Extent kBudget = 3'000'000;

// Which taps of output o fall on the input, tap by tap: no formula to get wrong.
std::vector<bool> taps_of(const Axis& axis, Extent o) {
  std::vector<bool> taps;
  for (Extent k = 0; k < axis.K; ++k) {
    const Extent i = o * axis.S + k * axis.D - axis.P_begin;
    taps.push_back(i >= 0 && i < axis.I);
  }
  return taps;
}

std::multiset<std::vector<bool>> all_taps(const Axis& axis) {
  std::multiset<std::vector<bool>> seen;
  for (Extent o = 0; o < axis.outputs(); ++o) seen.insert(taps_of(axis, o));
  return seen;
}

std::set<std::vector<bool>> different_taps(const Axis& axis) {
  const auto all = all_taps(axis);
  return {all.begin(), all.end()};
}

// `window` with pads and inputs of several sizes, each large enough for one output.
void add_inputs(const Axis& window, std::vector<Axis>& axes) {
  for (const Extent P_begin : {0, 1, 2, 7}) {
    for (const Extent P_end : {0, 1, 3}) {
      for (Extent I = 1; I < 40; I += 3) {
        const Axis axis{I, window.K, window.S, window.D, P_begin, P_end};
        if (P_begin + I + P_end >= axis.dilated_kernel()) axes.push_back(axis);
      }
    }
  }
}

std::vector<Axis> small_axes() {
  std::vector<Axis> axes;
  for (const Extent K : {1, 2, 3, 4}) {
    for (const Extent S : {1, 2, 3, 5}) {
      for (const Extent D : {1, 2, 3}) add_inputs({1, K, S, D, 0, 0}, axes);
    }
  }
  return axes;
}

TEST(BorderClasses, AreTheDifferentSetsOfTapsThatOutputsSee) {
  for (const Axis& axis : small_axes()) {
    std::multiset<std::vector<bool>> classes;
    for (const auto& [range, count] : border_classes(axis)) {
      std::vector<bool> taps(static_cast<std::size_t>(axis.K));
      for (Extent k = range.first; k < range.second; ++k) taps[static_cast<std::size_t>(k)] = true;
      for (Extent i = 0; i < count; ++i) classes.insert(taps);
    }
    ASSERT_EQ(classes, all_taps(axis));
  }
}

TEST(SmallestExtent, KeepsResidueBorderClassesAndTwoInteriorOutputs) {
  for (const Axis& axis : small_axes()) {
    Axis cut = axis;
    cut.I = smallest_extent(axis);
    const std::vector<bool> interior(static_cast<std::size_t>(axis.K), true);
    ASSERT_LE(cut.I, axis.I);
    ASSERT_EQ(cut.I % cut.S, axis.I % axis.S);
    ASSERT_EQ(different_taps(cut), different_taps(axis));
    ASSERT_GE(all_taps(cut).count(interior),
              std::min<std::size_t>(all_taps(axis).count(interior), 2));
  }
}

TEST(SmallestExtent, CutsALongAxisToItsBorders) {
  EXPECT_EQ(smallest_extent({.I = 56, .K = 3, .S = 1, .D = 1, .P_begin = 1, .P_end = 1}), 4);
  EXPECT_EQ(smallest_extent({.I = 7, .K = 1, .S = 1, .D = 1, .P_begin = 0, .P_end = 0}), 2);
}

TEST(SmallestExtent, LeavesAnAxisThatItsDilatedKernelExceeds) {
  const Axis rate18{.I = 33, .K = 3, .S = 1, .D = 18, .P_begin = 18, .P_end = 18};
  EXPECT_EQ(smallest_extent(rate18), 33);
}

std::vector<Axis> axes_of(const Problem& problem) {
  const auto g = reference::resolve_discrete(problem).value();
  std::vector<Axis> axes;
  for (std::size_t a = 0; a < reference::kSpatialRank; ++a) {
    axes.push_back({g.I[a], g.K[a], g.S[a], g.D[a], g.P_begin[a], g.P_end[a]});
  }
  return axes;
}

class CutLayers : public testing::Test {
 protected:
  template <class Check>
  static void for_each_layer(Check check) {
    for (const Network& network : networks()) {
      for (const Listed& layer : network.layers) {
        SCOPED_TRACE(network.name + "/" + layer.name);
        check(layer.problem, cut_to_budget(layer.problem, kBudget));
      }
    }
  }
};

TEST_F(CutLayers, KeepEveryAttributeButGroups) {
  for_each_layer([](const Problem& before, const Cut& cut) {
    Problem after = cut.problem;
    set_shape(after, shape_of(before));
    EXPECT_EQ(after, before);
    EXPECT_EQ(shape_of(cut.problem).K, shape_of(before).K);
  });
}

TEST_F(CutLayers, KeepPadsResiduesAndBorderClassesOfEveryAxis) {
  for_each_layer([](const Problem& before, const Cut& cut) {
    const auto original = axes_of(before), now = axes_of(cut.problem);
    for (std::size_t a = 0; a < reference::kSpatialRank; ++a) {
      EXPECT_EQ(now[a].P_begin, original[a].P_begin);
      EXPECT_EQ(now[a].P_end, original[a].P_end);
      EXPECT_EQ(now[a].I % now[a].S, original[a].I % original[a].S);
      EXPECT_EQ(different_taps(now[a]), different_taps(original[a]));
    }
  });
}

TEST_F(CutLayers, KeepTheKindOfGroupingAndWhatVectorsOf8LeaveOver) {
  for_each_layer([](const Problem& before, const Cut& cut) {
    const Shape original = shape_of(before), now = shape_of(cut.problem);
    EXPECT_EQ(now.G == 1, original.G == 1);
    EXPECT_EQ(now.ICG == 1, original.ICG == 1);
    EXPECT_EQ(now.OCG == 1, original.OCG == 1);
    EXPECT_EQ(now.G % 8, original.G % 8);
    EXPECT_EQ(now.ICG % 8, original.ICG % 8);
    EXPECT_EQ(now.OCG % 8, original.OCG % 8);
  });
}

// Wide kernels have many classes at their borders, and may take a few times as many.
TEST_F(CutLayers, TakeNoMoreThanTheBudgetButForWideKernels) {
  constexpr Extent kWide = 128;  // taps
  for_each_layer([](const Problem&, const Cut& cut) {
    const auto geometry = reference::resolve_discrete(cut.problem).value();
    const bool is_wide = reference::volume(geometry.K) >= kWide;
    EXPECT_LE(count_macs(geometry), is_wide ? 3 * kBudget : kBudget);
  });
}

TEST_F(CutLayers, SayWhatWasCutAndOnlyThat) {
  for_each_layer([](const Problem& before, const Cut& cut) {
    EXPECT_EQ(cut.note.empty(), cut.problem == before) << cut.note;
  });
}

TEST_F(CutLayers, HaveHeightAndWidthDifferentWhereBothWereCut) {
  for_each_layer([](const Problem& before, const Cut& cut) {
    const Extents original = shape_of(before).I, now = shape_of(cut.problem).I;
    if (now.size() < 2) return;
    const std::size_t h = now.size() - 2, w = now.size() - 1;
    if (now[h] == original[h] || now[w] == original[w]) return;
    EXPECT_NE(now[h], now[w]);
  });
}

TEST(Cut, NamesEachExtentThatChanged) {
  const auto problem = parse(
      "Convolution f32 src=2x64x56x56 weights=64x64x3x3 pads_begin=1,1 pads_end=1,1 "
      "data_format=NCX weights_format=OIX");
  const Cut cut = cut_to_budget(*problem, 64 * 64 * 9 * 30);
  EXPECT_EQ(cut.note, "N cut from 2 to 1, H from 56 to 5, W from 56 to 6");
  EXPECT_EQ(print(cut.problem),
            "Convolution f32 src=1x64x5x6 weights=64x64x3x3 pads_begin=1,1 pads_end=1,1 "
            "data_format=NCX weights_format=OIX");
}

TEST(Cut, LeavesAProblemWithinTheBudgetAsItIs) {
  const auto problem = parse("AtrousConv2d f32 src=2x9x9x2 weights=3x2x2x2 rate=3 padding=SAME");
  const Cut cut = cut_to_budget(*problem, kBudget);
  EXPECT_EQ(cut.problem, *problem);
  EXPECT_EQ(cut.note, "");
}

TEST(Cut, CutsTheGroupsOfADepthwiseLayerAndNoOthers) {
  const auto depthwise = parse(
      "Convolution f32 src=1x100x4x4 weights=100x1x3x3 pads_begin=1,1 pads_end=1,1 "
      "groups=100 data_format=NCX weights_format=OIX");
  const Shape now = shape_of(cut_to_budget(*depthwise, 16 * 9 * 50).problem);
  EXPECT_EQ(now.G, 36);
  EXPECT_EQ(now.ICG, 1);
}

}  // namespace
}  // namespace concord::conformance
