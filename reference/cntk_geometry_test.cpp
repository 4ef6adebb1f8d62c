// SPDX-License-Identifier: Apache-2.0
#include "reference/cntk_geometry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "spec/grid.h"

namespace concord::reference {
namespace {

// One axis, automatically padded, beside a channel axis of extent 1.
CntkAxis automatic(Extent input, Extent kernel, Extent stride) {
  const CntkConvolutionAttributes a{
      .kernel = {kernel, 1}, .stride = {stride, 1}, .auto_padding = {1, 0}};
  return resolve_cntk({{input, 1, 1}, {1, kernel}}, a, Reading::kDocumented)->axes[0];
}

// docs/spec.md#the-three-meanings-of-same, CNTK's column.
TEST(CntkAutoPadding, CentresTheWindowsOnTheInput) {
  struct Row {
    Extent i, k, s, lower, upper;
  };
  for (const Row& row : {Row{4, 3, 2, 1, 0}, Row{2, 2, 2, 0, 0}, Row{6, 3, 3, 0, 0},
                         Row{6, 1, 3, -1, -1}, Row{5, 4, 1, 1, 2}, Row{3, 2, 1, 0, 1}}) {
    const CntkAxis x = automatic(row.i, row.k, row.s);
    EXPECT_EQ(x.lower, row.lower) << row.i << " " << row.k << " " << row.s;
    EXPECT_EQ(x.upper, row.upper) << row.i << " " << row.k << " " << row.s;
  }
}

TEST(CntkAutoPadding, HasTheSizeOfEverySameButItsWindowsStartElsewhereIn308Of1365Cases) {
  int differing = 0, cropped = 0, problems = 0;
  for (const auto [i0, k0, s0] : Grid<3>{{39, 7, 5}}) {
    const Extent i = i0 + 1, k = k0 + 1, s = s0 + 1;
    const CntkAxis x = automatic(i, k, s);
    const Extent out = (i + s - 1) / s;
    EXPECT_EQ(x.positions, out);
    const Extent total = std::max<Extent>((out - 1) * s + k - i, 0);
    differing += x.lower != total / 2 ? 1 : 0;
    cropped += x.lower < 0 ? 1 : 0;
    ++problems;
  }
  EXPECT_EQ(problems, 1365);
  EXPECT_EQ(differing, 308);
  EXPECT_EQ(cropped, 124);
}

TEST(CntkPadding, ExplicitPadsCountOnlyWhereAutoPaddingIsOff) {
  const CntkOperands operands{{5, 5, 1, 1}, {1, 9}};
  const CntkConvolutionAttributes a{.kernel = {3, 3, 1},
                                    .auto_padding = {1, 0, 0},
                                    .lower_pad = {7, 2, 0},
                                    .upper_pad = {7, 1, 0}};
  const auto g = resolve_cntk(operands, a, Reading::kImplemented);
  EXPECT_EQ(g->dst, (Extents{5, 6, 1, 1}));
  EXPECT_EQ(g->axes[0].lower, 1);
  EXPECT_EQ(g->axes[1].lower, 2);
  EXPECT_EQ(g->axes[1].start(), -1);
}

// Each sharing of three axes, one with maps of its own: the kernels used are all that there are,
// and two outputs have the same one exactly if they differ in shared positions alone.
TEST(CntkSharing, GivesEveryUnsharedPlaceAndEveryMapAKernel) {
  for (const auto [w, h, c] : Grid<3>{{2, 2, 2}}) {
    const CntkConvolutionAttributes a{
        .kernel = {2, 2, 1}, .map_count = {2, 1, 3}, .sharing = {w, h, c}, .auto_padding = {0}};
    const Extent kernels = (w == 1 ? 2 : 2 * 3) * (h == 1 ? 1 : 4) * (c == 1 ? 3 : 3 * 2);
    const auto g = resolve_cntk({{4, 5, 2, 1}, {kernels, 4}}, a, Reading::kDocumented);
    ASSERT_TRUE(g) << g.why().detail;
    EXPECT_EQ(g->dst, (Extents{6, 4, 6, 1}));
    std::set<Extent> used;
    for (const auto [o2, o1, o0] : Grid<3>{{6, 4, 6}}) {
      const Extent kernel = g->kernel_of({o0, o1, o2, 0});
      used.insert(kernel);
      const auto unshared = [&](Extent position, Extent shared) {
        return shared == 1 ? 0 : position;
      };
      // The same element at position 0 of each shared axis.
      const CntkIndex first{unshared(o0 % 3, w) + o0 / 3 * 3, unshared(o1, h),
                            unshared(o2 % 2, c) + o2 / 2 * 2, 0};
      EXPECT_EQ(kernel, g->kernel_of(first));
    }
    EXPECT_EQ(static_cast<Extent>(used.size()), kernels);
    EXPECT_EQ(*used.rbegin(), kernels - 1);
  }
}

TEST(CntkSharing, NumbersKernelsWithTheFirstAxisFastestAndMapsAfterPositions) {
  const CntkConvolutionAttributes a{
      .kernel = {2, 2, 1}, .map_count = {3}, .sharing = {0}, .auto_padding = {0}};
  const auto g = resolve_cntk({{4, 5, 1, 1}, {3 * 4 * 3, 4}}, a, Reading::kDocumented);
  for (const auto [map, h, w] : Grid<3>{{3, 4, 3}}) {
    EXPECT_EQ(g->kernel_of({w, h, map, 0}), w + 3 * (h + 4 * map));
  }
}

TEST(CntkMapCount, OfZeroIsTheNumberOfRowsOfTheWeights) {
  const CntkConvolutionAttributes a{.kernel = {2, 1}, .auto_padding = {0}};
  EXPECT_EQ(resolve_cntk({{4, 1, 2}, {5, 2}}, a, Reading::kImplemented)->dst, (Extents{3, 5, 2}));
}

// The defaults for a kernel of full rank slide it over the channels, too.
TEST(CntkReadings, TheDocumentedDefaultsSlideOverChannelsWhichTheSystemRefuses) {
  const CntkConvolutionAttributes a{.kernel = {3, 3, 3}};
  const CntkOperands operands{{5, 5, 3, 1}, {2, 27}};
  EXPECT_EQ(resolve_cntk(operands, a, Reading::kDocumented)->dst, (Extents{5, 5, 6, 1}));
  const auto refused = resolve_cntk(operands, a, Reading::kImplemented);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.why().fault, Fault::kPadding);
  EXPECT_EQ(refused.why().detail, "autoPadding=1 on axis 3: padding over channels at stride 1");
}

TEST(CntkReadings, TwoChannelsSlipThroughTheSystemsCheck) {
  const CntkConvolutionAttributes a{.kernel = {3, 3, 2}};
  EXPECT_EQ(resolve_cntk({{5, 5, 2, 1}, {4, 18}}, a, Reading::kImplemented)->dst,
            (Extents{5, 5, 8, 1}));
}

TEST(CntkReadings, TheSystemLetsChannelsBePaddedThatAreTakenInOneStep) {
  CntkConvolutionAttributes a{
      .kernel = {1, 4}, .stride = {1, 3}, .auto_padding = {0}, .lower_pad = {0, 1}};
  const CntkOperands operands{{5, 3, 1}, {1, 4}};
  EXPECT_TRUE(resolve_cntk(operands, a, Reading::kImplemented));
  a.stride = {1, 2};
  EXPECT_EQ(resolve_cntk(operands, a, Reading::kImplemented).why().fault, Fault::kPadding);
}

TEST(CntkReadings, TheSystemCompletesAKernelThatLacksChannels) {
  const CntkConvolutionAttributes a{.kernel = {3, 3}};
  const CntkOperands operands{{5, 5, 4, 1}, {2, 36}};
  EXPECT_EQ(resolve_cntk(operands, a, Reading::kImplemented)->dst, (Extents{5, 5, 2, 1}));
  EXPECT_EQ(resolve_cntk(operands, a, Reading::kDocumented).why().fault, Fault::kKernel);
}

TEST(CntkReadings, TheSystemCountsWeightsAndTheDocumentWantsAMatrixOfKernels) {
  const CntkConvolutionAttributes a{.kernel = {2, 1}, .map_count = {2}, .auto_padding = {0}};
  const CntkOperands operands{{4, 1, 1}, {1, 4}};
  EXPECT_TRUE(resolve_cntk(operands, a, Reading::kImplemented));
  EXPECT_EQ(resolve_cntk(operands, a, Reading::kDocumented).why().fault, Fault::kChannels);
}

TEST(CntkReadings, OnlyTheSystemRefusesExplicitPaddingThatLeavesInputUnseen) {
  CntkConvolutionAttributes a{
      .kernel = {2, 1}, .stride = {3, 1}, .auto_padding = {0}, .lower_pad = {1, 0}};
  const CntkOperands operands{{6, 1, 1}, {1, 2}};
  EXPECT_EQ(resolve_cntk(operands, a, Reading::kDocumented)->dst, (Extents{2, 1, 1}));
  EXPECT_EQ(resolve_cntk(operands, a, Reading::kImplemented).why().fault, Fault::kPads);
  a.lower_pad = {0};  // without padding trailing cells may stay unseen
  EXPECT_TRUE(resolve_cntk({{6, 1, 1}, {1, 2}}, a, Reading::kImplemented));
}

TEST(CntkReadings, OnlyTheSystemRefusesAKernelLargerThanAnAutomaticallyPaddedInput) {
  const CntkConvolutionAttributes a{.kernel = {3, 1}, .auto_padding = {1, 0}};
  const CntkOperands operands{{2, 1, 1}, {1, 3}};
  EXPECT_EQ(resolve_cntk(operands, a, Reading::kDocumented)->dst, (Extents{2, 1, 1}));
  EXPECT_EQ(resolve_cntk(operands, a, Reading::kImplemented).why().fault, Fault::kKernel);
}

// The windows must cover lowerPad and the input; what they leave of upperPad is no matter.
TEST(CntkReadings, TheSystemCountsTheLowerPadAndNotTheUpperOneAmongTheCellsToBeSeen) {
  const auto implemented = [](Extent i, Extent k, Extent s, Extent lower, Extent upper) {
    const CntkConvolutionAttributes a{.kernel = {k, 1},
                                      .stride = {s, 1},
                                      .auto_padding = {0},
                                      .lower_pad = {lower, 0},
                                      .upper_pad = {upper, 0}};
    return resolve_cntk({{i, 1, 1}, {1, k}}, a, Reading::kImplemented);
  };
  EXPECT_EQ(implemented(6, 3, 4, 2, 0).why().fault, Fault::kPads);  // 7 of 2 + 6 cells
  EXPECT_EQ(implemented(5, 3, 3, 1, 1)->dst, (Extents{2, 1, 1}));   // 6 of 1 + 5, and 1 unused
}

TEST(CntkReadings, TheSystemComparesTheKernelWithTheExplicitlyPaddedInput) {
  CntkConvolutionAttributes a{
      .kernel = {3, 1}, .auto_padding = {0}, .lower_pad = {1, 0}, .upper_pad = {0}};
  const CntkOperands operands{{2, 1, 1}, {1, 3}};
  EXPECT_EQ(resolve_cntk(operands, a, Reading::kImplemented)->dst, (Extents{1, 1, 1}));
  a.lower_pad = {0};
  EXPECT_EQ(resolve_cntk(operands, a, Reading::kDocumented)->dst, (Extents{0, 1, 1}));
  EXPECT_EQ(resolve_cntk(operands, a, Reading::kImplemented).why().fault, Fault::kKernel);
}

struct Case {
  const char* fault;
  const char* detail;  ///< what the sentence begins with
  CntkOperands operands;
  CntkConvolutionAttributes a;
};

TEST(CntkRefusals, NameTheAttributeAndItsValueAndComeInTheOrderOfFaults) {
  const CntkOperands good{{4, 4, 1, 1}, {1, 4}};
  const Case cases[] = {
      {"rank", "src=4: ", {{4}, {1, 4}}, {}},
      {"rank", "src=1x1x1x1x1x1x1x1x1: ", {{1, 1, 1, 1, 1, 1, 1, 1, 1}, {1, 4}}, {}},
      {"rank", "weights=1: ", {{4, 1}, {1}}, {}},
      {"size", "src=4x-4x1x1: ", {{4, -4, 1, 1}, {1, 4}}, {.stride = {0}}},
      {"size",
       "maxTempMemSizeInSamples=-1",
       good,
       {.kernel = {2, 2, 1}, .stride = {0}, .max_temp_mem_size_in_samples = -1}},
      {"strides", "stride=1,0,1: 0", good, {.kernel = {}, .stride = {1, 0, 1}, .lower_pad = {-1}}},
      {"strides", "stride=1,1: ", good, {.kernel = {2, 2, 1}, .stride = {1, 1}}},
      {"pads",
       "lowerPad=-1: ",
       good,
       {.kernel = {2, 2, 1}, .auto_padding = {2}, .lower_pad = {-1}}},
      {"pads", "upperPad=(): ", good, {.kernel = {2, 2, 1}, .upper_pad = {}}},
      {"padding",
       "autoPadding=2: ",
       good,
       {.kernel = {2, 2, 1}, .sharing = {3}, .auto_padding = {2}}},
      {"sharing", "sharing=3: ", good, {.kernel = {}, .sharing = {3}}},
      {"image_layout", "imageLayout=HWC: ", good, {.kernel = {}, .image_layout = CntkLayout::kHwc}},
      {"map_count", "mapCount=0,1,1: ", good, {.kernel = {2, 2, 1}, .map_count = {0, 1, 1}}},
      {"map_count", "mapCount=-2: ", good, {.kernel = {2, 2, 1}, .map_count = {-2}}},
      {"channels",
       "weights=1x4: not the 3x4 needed",
       good,
       {.kernel = {2, 2, 1}, .map_count = {3}, .auto_padding = {0}}},
      {"kernel", "kernel=(): ", good, {.kernel = {}}},
      {"kernel", "kernel=2,0,1: ", good, {.kernel = {2, 0, 1}}},
      {"kernel", "kernel=6 on axis 1", good, {.kernel = {6, 1, 1}, .auto_padding = {0}}},
      {"size",
       "lowerPad=9223372036854775807 upperPad=0 on axis 1",
       good,
       {.kernel = {2, 2, 1}, .auto_padding = {0}, .lower_pad = {INT64_MAX, 0, 0}}},
      {"size",
       "mapCount=9223372036854775807 stride=1 on axis 1",
       good,
       {.kernel = {2, 2, 1}, .map_count = {INT64_MAX, 1, 1}, .auto_padding = {1, 0, 0}}},
  };
  for (const Case& c : cases) {
    const auto result = resolve_cntk(c.operands, c.a, Reading::kDocumented);
    ASSERT_FALSE(result) << c.fault << " " << c.detail;
    EXPECT_EQ(to_string(result.why().fault), c.fault) << result.why().detail;
    EXPECT_EQ(result.why().detail.rfind(c.detail, 0), 0U) << result.why().detail;
  }
}

TEST(CntkTempMemory, IsThatOfTheSamplesTreatedAtOnce) {
  CntkConvolutionAttributes a{.kernel = {3, 3, 2}, .auto_padding = {0}};
  const CntkOperands operands{{5, 4, 2, 8}, {7, 18}};
  const auto at = [&](Extent samples) {
    a.max_temp_mem_size_in_samples = samples;
    return resolve_cntk(operands, a, Reading::kImplemented).value();
  };
  EXPECT_EQ(at(0).sub_batch, 8);
  EXPECT_EQ(at(3).sub_batch, 3);
  EXPECT_EQ(at(9).sub_batch, 8);
  EXPECT_EQ(cntk_workspace(at(1)), 6 * 18);
  EXPECT_EQ(cntk_workspace(at(3)), 6 * 3 * (18 + 7));
  // 5x4 cells of a channel, each under at most 3x3 taps of 7 maps.
  EXPECT_EQ(cntk_data_gradient_workspace(at(1)), 20 * (9 * 7));
  EXPECT_EQ(cntk_data_gradient_workspace(at(3)), 20 * 3 * (9 * 7 + 2));
  // A kernel that slides over the last axis: 17 cells, each under at most 5 taps of 4 maps.
  const auto slides =
      resolve_cntk({{17, 3}, {4, 5}}, {.kernel = {5}, .map_count = {4}}, Reading::kDocumented);
  EXPECT_EQ(cntk_data_gradient_workspace(*slides), 17 * 3 * (5 * 4));
}

}  // namespace
}  // namespace concord::reference
