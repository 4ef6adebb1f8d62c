// SPDX-License-Identifier: Apache-2.0
#include "reference/cntk_2d.h"

#include <gtest/gtest.h>

#include "reference/cntk_value.h"
#include "reference/worked_example.h"
#include "spec/grid.h"

namespace concord::reference {
namespace {

Cntk2dGeometry geometry(const CntkOperands& operands, const CntkConvolution2dAttributes& a,
                        Reading reading = Reading::kImplemented) {
  const auto g = resolve_cntk_2d(operands, a, reading);
  EXPECT_TRUE(g) << g.why().detail;
  return *g;
}

TEST(Cntk2d, InTheCudnnLayoutIsTheNdFormWithTheChannelsInOneStep) {
  const CntkConvolution2dAttributes a{
      .kernel_width = 3, .kernel_height = 2, .horizontal_stride = 2, .zero_padding = 1};
  const CntkConvolutionAttributes n_d{
      .kernel = {3, 2, 2}, .stride = {2, 1, 2}, .auto_padding = {1, 1, 0}};
  const CntkOperands operands{{6, 4, 2, 2}, {3, 12}};
  const auto g = geometry(operands, a);
  const auto want = resolve_cntk(operands, n_d, Reading::kImplemented).value();
  EXPECT_EQ(g.dst, want.dst);
  EXPECT_EQ(evaluate_cntk_2d(g, counting(96), counting(36)).value,
            evaluate_cntk(want, counting(96), counting(36)).value);
}

// By hand: rows 1 2 3 / 4 5 6 as documented, columns 1 2 / 3 4 / 5 6 as implemented.
TEST(Cntk2d, HwcHasWidthBeforeHeightInTheDocumentAndAfterItInTheSystem) {
  const CntkConvolution2dAttributes a{.kernel_width = 2, .image_layout = CntkLayout::kHwc};
  const CntkOperands operands{{1, 3, 2, 1}, {1, 2}};
  const Values weights{1, 10};
  const auto documented = geometry(operands, a, Reading::kDocumented);
  EXPECT_EQ(documented.dst, (Extents{1, 2, 2, 1}));
  EXPECT_EQ(evaluate_cntk_2d(documented, counting(6), weights).value, (Values{21, 32, 54, 65}));
  EXPECT_EQ(evaluate_cntk_2d(geometry(operands, a), counting(6), weights).value,
            (Values{31, 42, 53, 64}));
}

// By hand: two channels of 2x1, two maps of 1x1. The matrix is column-major: the maps' weights
// for channel 1 are 1 2, those for channel 2 are 10 20.
TEST(Cntk2d, HwcHasChannelsFastestAndItsWeightMatrixColumnMajor) {
  const CntkConvolution2dAttributes a{.image_layout = CntkLayout::kHwc};
  const CntkOperands operands{{2, 2, 1, 1}, {2, 2}};
  for (const Reading reading : {Reading::kDocumented, Reading::kImplemented}) {
    EXPECT_EQ(
        evaluate_cntk_2d(geometry(operands, a, reading), counting(4), Values{1, 2, 10, 20}).value,
        (Values{21, 42, 43, 86}));
  }
}

// Moves memory of [W,H,C,samples] so that C is fastest and then W or H.
Values to_hwc(const Values& whc, const Grid<4>::Index& chw_samples, bool width_first) {
  const auto [W, H, C, N] = chw_samples;
  const Grid<4> from{{N, C, H, W}};
  Values moved;
  for (const auto [n, slow, fast, c] : Grid<4>{{N, width_first ? H : W, width_first ? W : H, C}}) {
    const Extent w = width_first ? fast : slow, h = width_first ? slow : fast;
    moved.push_back(whc[from.offset({n, c, h, w})]);
  }
  return moved;
}

// Column-major [maps, kW*kH*C] from one run of kernel cells a map.
Values to_column_major(const Values& runs, const Grid<4>::Index& kernel_maps, bool width_first) {
  const auto [kW, kH, C, maps] = kernel_maps;
  const Grid<4> from{{maps, C, kH, kW}};
  Values moved;
  for (const auto [c, slow, fast, map] :
       Grid<4>{{C, width_first ? kH : kW, width_first ? kW : kH, maps}}) {
    const Extent kw = width_first ? fast : slow, kh = width_first ? slow : fast;
    moved.push_back(runs[from.offset({map, c, kh, kw})]);
  }
  return moved;
}

TEST(Cntk2d, EveryLayoutHoldsTheSameValuesWithoutPadding) {
  CntkConvolution2dAttributes a{.kernel_width = 3, .kernel_height = 2, .horizontal_stride = 2};
  const Values in = counting(7 * 4 * 2 * 2), weights = counting(3 * 12);
  const auto cudnn = geometry({{7, 4, 2, 2}, {3, 12}}, a);
  const Values want = evaluate_cntk_2d(cudnn, in, weights).value;
  a.image_layout = CntkLayout::kHwc;
  for (const Reading reading : {Reading::kDocumented, Reading::kImplemented}) {
    const bool width_first = reading == Reading::kDocumented;
    const auto hwc = geometry({{2, 7, 4, 2}, {3, 12}}, a, reading);
    EXPECT_EQ(hwc.dst, (Extents{3, 3, 3, 2}));
    EXPECT_EQ(evaluate_cntk_2d(hwc, to_hwc(in, {7, 4, 2, 2}, width_first),
                               to_column_major(weights, {3, 2, 2, 3}, width_first))
                  .value,
              to_hwc(want, {3, 3, 3, 2}, width_first));
  }
}

struct Padding {
  Extent output, lower;
  bool operator==(const Padding&) const = default;
};

Padding padding(Extent i, Extent k, Extent s, CntkLayout layout, Reading reading) {
  const CntkConvolution2dAttributes a{.kernel_width = k,
                                      .kernel_height = 1,
                                      .horizontal_stride = s,
                                      .zero_padding = 1,
                                      .image_layout = layout};
  const bool hwc = layout == CntkLayout::kHwc;
  const auto g = geometry({hwc ? Extents{1, i, 1, 1} : Extents{i, 1, 1, 1}, {1, k}}, a, reading);
  return {g.axes.axes[0].positions, g.axes.axes[0].lower};
}

TEST(Cntk2d, ZeroPaddingOfTheFirstVersionHasOneOutputMoreForEvenKernels) {
  const auto first = [](Extent i, Extent k, Extent s) {
    return padding(i, k, s, CntkLayout::kCudnn, Reading::kFirstVersion);
  };
  const auto later = [](Extent i, Extent k, Extent s) {
    return padding(i, k, s, CntkLayout::kCudnn, Reading::kImplemented);
  };
  EXPECT_EQ(first(4, 2, 1), (Padding{5, 1}));
  EXPECT_EQ(later(4, 2, 1), (Padding{4, 0}));
  EXPECT_EQ(first(4, 3, 1), later(4, 3, 1));
  EXPECT_EQ(first(5, 2, 2).output, later(5, 2, 2).output);  // one more only where s divides i
}

// By hand: 0 1 2 3 4 0 under (1, 10) has windows 0 1, 1 2, 2 3, 3 4, 4 0; later the first is 1 2.
TEST(Cntk2d, OfTheFirstVersionSumsTheWindowsOfBothEnds) {
  const CntkConvolution2dAttributes a{.kernel_width = 2, .zero_padding = 1};
  const CntkOperands operands{{4, 1, 1, 1}, {1, 2}};
  const Values weights{1, 10};
  const auto first = geometry(operands, a, Reading::kFirstVersion);
  EXPECT_EQ(first.dst, (Extents{5, 1, 1, 1}));
  EXPECT_EQ(evaluate_cntk_2d(first, counting(4), weights).value, (Values{10, 21, 32, 43, 4}));
  const auto later = geometry(operands, a);
  EXPECT_EQ(evaluate_cntk_2d(later, counting(4), weights).value, (Values{21, 32, 43, 4}));
}

TEST(Cntk2d, ZeroPaddingOfTheHwcEngineDoesNotCentre) {
  const auto hwc = [](Extent i, Extent k, Extent s) {
    return padding(i, k, s, CntkLayout::kHwc, Reading::kImplemented);
  };
  const auto documented = [](Extent i, Extent k, Extent s) {
    return padding(i, k, s, CntkLayout::kHwc, Reading::kDocumented);
  };
  EXPECT_EQ(hwc(4, 2, 1), (Padding{4, 1}));
  EXPECT_EQ(documented(4, 2, 1), (Padding{4, 0}));
  EXPECT_EQ(hwc(6, 3, 3), (Padding{2, 1}));
  EXPECT_EQ(documented(6, 3, 3), (Padding{2, 0}));
  EXPECT_EQ(hwc(6, 1, 3), (Padding{2, 0}));
  EXPECT_EQ(documented(6, 1, 3), (Padding{2, -1}));
}

TEST(Cntk2d, RefusalsNameItsOwnAttributes) {
  const CntkOperands good{{4, 4, 1, 1}, {1, 1}};
  const auto why = [&](const CntkConvolution2dAttributes& a) {
    return resolve_cntk_2d(good, a, Reading::kImplemented).why();
  };
  EXPECT_EQ(why({.kernel_width = 0, .vertical_stride = 0}),
            (Refusal{Fault::kStrides, "verticalStride=0: less than 1"}));
  EXPECT_EQ(why({.kernel_width = 0}), (Refusal{Fault::kKernel, "kernelWidth=0: less than 1"}));
  EXPECT_EQ(why({.zero_padding = 2}), (Refusal{Fault::kPadding, "zeroPadding=2: not a flag"}));
  EXPECT_EQ(why({.map_count = -1}), (Refusal{Fault::kMapCount, "mapCount=-1: less than 0"}));
  EXPECT_EQ(why({.image_layout = static_cast<CntkLayout>(7)}),
            (Refusal{Fault::kPadding, "imageLayout: no such value, 7"}));
  EXPECT_EQ(why({.kernel_width = 2}).fault, Fault::kChannels);
  EXPECT_EQ(resolve_cntk_2d({{4, 4, 1}, {1, 1}}, {}, Reading::kImplemented).why().fault,
            Fault::kRank);
}

}  // namespace
}  // namespace concord::reference
