// SPDX-License-Identifier: Apache-2.0
#include "reference/cntk_value.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "reference/cntk_2d.h"
#include "reference/worked_example.h"
#include "spec/grid.h"

namespace concord::reference {
namespace {

Values integers(Extent count, int seed) {
  Values values(static_cast<std::size_t>(count));
  int state = seed;
  for (double& value : values) {
    state = (state * 75 + 74) % 65537;
    value = state % 9 - 4;
  }
  return values;
}

// The image of `in` [N,C,H,W] that is left when a negative pad takes cells away.
struct Cropped {
  Extents dims;
  Values values;
};
Cropped crop(const Extents& dims, const Values& in, const CntkAxis& width, const CntkAxis& height) {
  const Extent left = std::max<Extent>(-width.lower, 0), top = std::max<Extent>(-height.lower, 0);
  const Extent W = dims[3] - left - std::max<Extent>(-width.upper, 0);
  const Extent H = dims[2] - top - std::max<Extent>(-height.upper, 0);
  const Grid<4> from{{dims[0], dims[1], dims[2], dims[3]}};
  Cropped result{{dims[0], dims[1], H, W}, {}};
  for (const auto [n, c, h, w] : Grid<4>{{dims[0], dims[1], H, W}}) {
    result.values.push_back(in[from.offset({n, c, h + top, w + left})]);
  }
  return result;
}

// Column-major [W,H,C,samples] is NCX, and kernels of [kW,kH,C] are OIX.
TEST(CntkConvolution, SharedEverywhereIsConvolutionWithThePadsAndCropsOfItsCentring) {
  int problems = 0;
  for (const auto [i0, k0, s0, same, i1, k1] : Grid<6>{{7, 4, 4, 2, 3, 3}}) {
    const Extent W = i0 + 1, kW = k0 + 1, sW = s0 + 1, H = i1 + 2, kH = k1 + 1, sH = 4 - sW % 3;
    const CntkConvolutionAttributes a{
        .kernel = {kW, kH, 2}, .stride = {sW, sH, 2}, .auto_padding = {same, 1, 0}};
    const auto g = resolve_cntk({{W, H, 2, 2}, {3, kW * kH * 2}}, a, Reading::kDocumented);
    if (!g || W < kW) continue;
    const Values in = integers(W * H * 2 * 2, 11), weights = integers(3 * kW * kH * 2, 12);
    CntkAxis width = g->axes[0];
    if (same == 0) width.upper = 0;  // trailing cells stay; no window reaches them
    const Cropped image = crop({2, 2, H, W}, in, width, g->axes[1]);
    const auto pad = [](Extent x, Extent y) {
      return std::to_string(std::max<Extent>(x, 0)) + "," + std::to_string(std::max<Extent>(y, 0));
    };
    const auto list = [](Extent x, Extent y) {
      return std::to_string(x) + "," + std::to_string(y);
    };
    const Answer want = answer(
        "Convolution f32 src=" + to_string(Tensor{image.dims, {}}) +
            " weights=" + to_string(Tensor{{3, 2, kH, kW}, {}}) + " strides=" + list(sH, sW) +
            " pads_begin=" + pad(g->axes[1].lower, width.lower) + " pads_end=" +
            pad(g->axes[1].upper, width.upper) + " data_format=NCX weights_format=OIX",
        image.values, weights);
    ASSERT_EQ(want.dims, (Extents{2, 3, g->dst[1], g->dst[0]})) << W << " " << kW << " " << sW;
    ASSERT_EQ(evaluate_cntk(*g, in, weights).value, want.values) << W << " " << kW << " " << sW;
    ++problems;
  }
  EXPECT_GT(problems, 1000);
}

TEST(CntkConvolution, UnsharedIsADotProductOfItsOwnAtEveryPlace) {
  const Extent W = 4, H = 5, C = 2, oW = 4, oH = 3, maps = 3;  // width padded automatically
  const CntkConvolutionAttributes a{
      .kernel = {3, 3, 2}, .map_count = {maps}, .sharing = {0, 0, 1}, .auto_padding = {1, 0, 0}};
  const auto g =
      resolve_cntk({{W, H, C, 2}, {oW * oH * maps, 18}}, a, Reading::kImplemented).value();
  const Values in = integers(W * H * C * 2, 3), weights = integers(oW * oH * maps * 18, 4);
  const Oracle got = evaluate_cntk(g, in, weights);
  std::size_t place = 0;
  for (const auto [n, m, h, w] : Grid<4>{{2, maps, oH, oW}}) {
    double dot = 0;
    for (const auto [c, kh, kw] : Grid<3>{{C, 3, 3}}) {
      const Extent x = w + kw - 1, y = h + kh;
      if (x < 0 || x >= W) continue;
      const Extent run = w + oW * (h + oH * m);
      dot += weights[static_cast<std::size_t>(run * 18 + kw + 3 * (kh + 3 * c))] *
             in[static_cast<std::size_t>(x + W * (y + H * (c + C * n)))];
    }
    EXPECT_EQ(got.value[place++], dot);
  }
  EXPECT_EQ(place, got.value.size());
}

TEST(CntkConvolution, UnsharedAlongWidthAloneHasOneKernelAColumnAndMap) {
  const CntkConvolutionAttributes a{
      .kernel = {1, 1, 1}, .map_count = {2}, .sharing = {0, 1, 1}, .auto_padding = {0}};
  const auto g = resolve_cntk({{3, 2, 1, 1}, {6, 1}}, a, Reading::kImplemented).value();
  EXPECT_EQ(evaluate_cntk(g, Values(6, 1), counting(6)).value,
            (Values{1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6}));
}

// <grad, conv(in, w)> = <backward_data(grad, w), in> = <backward_kernel(grad, in), w>.
TEST(CntkConvolution, AndItsTwoGradientsAreAdjoint) {
  for (const auto [shared, same, s0, channels] : Grid<4>{{2, 2, 3, 2}}) {
    const CntkConvolutionAttributes a{.kernel = {3, 2, 2},
                                      .map_count = {2},
                                      .stride = {s0 + 1, 2, 1},
                                      .sharing = {shared, 1, channels},
                                      .auto_padding = {same, 1, 0}};
    // Along the channels there are two positions, of a kernel of depth 2 in 3.
    const Extent positions = same == 1 ? (5 + s0) / (s0 + 1) : 2 / (s0 + 1) + 1;
    const Extent kernels = (shared == 1 ? 1 : positions) * (channels == 1 ? 2 : 4);
    const auto g = resolve_cntk({{5, 4, 3, 2}, {kernels, 12}}, a, Reading::kDocumented);
    ASSERT_TRUE(g) << g.why().detail;
    const Values in = integers(5 * 4 * 3 * 2, 1), weights = integers(kernels * 12, 2);
    const Values grad = integers(element_count(g->dst).value(), 3);
    const auto dot = [](const Values& x, const Values& y) {
      double sum = 0;
      for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
      return sum;
    };
    const double want = dot(grad, evaluate_cntk(*g, in, weights).value);
    EXPECT_EQ(dot(cntk_backward_data(*g, grad, weights, Values(in.size())).value, in), want);
    EXPECT_EQ(dot(cntk_backward_kernel(*g, grad, in, Values(weights.size())).value, weights), want);
  }
}

TEST(CntkConvolution, MagnitudeIsThatOfTheSameProblemWithoutSigns) {
  const CntkConvolutionAttributes a{.kernel = {3, 2, 2}, .auto_padding = {1, 1, 0}};
  const auto g = resolve_cntk({{5, 4, 2, 1}, {2, 12}}, a, Reading::kImplemented).value();
  Values in = integers(40, 1), weights = integers(24, 2);
  const Oracle signed_oracle = evaluate_cntk(g, in, weights);
  for (double& value : in) value = std::abs(value);
  for (double& value : weights) value = std::abs(value);
  EXPECT_EQ(evaluate_cntk(g, in, weights).value, signed_oracle.magnitude);
}

}  // namespace
}  // namespace concord::reference
