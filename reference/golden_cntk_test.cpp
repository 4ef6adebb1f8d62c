// SPDX-License-Identifier: Apache-2.0
// Values from CNTK's tests (ConvolutionEngineTests.cpp; kernel_test.py where said so). Tensors are
// column-major: the first axis is the fastest, samples are last.
#include <gtest/gtest.h>

#include <numeric>

#include "reference/cntk_value.h"
#include "reference/worked_example.h"
#include "spec/grid.h"

namespace concord::reference {
namespace {

Values arange(Extent count) {
  Values values(static_cast<std::size_t>(count));
  std::iota(values.begin(), values.end(), 0.0);
  return values;
}

Values repeated(const Values& values, int times) {
  Values all;
  for (int i = 0; i < times; ++i) all.insert(all.end(), values.begin(), values.end());
  return all;
}

CntkGeometry geometry(const CntkOperands& operands, const CntkConvolutionAttributes& a) {
  const auto g = resolve_cntk(operands, a, Reading::kImplemented);
  EXPECT_TRUE(g) << g.why().detail;
  EXPECT_EQ(resolve_cntk(operands, a, Reading::kDocumented)->dst, g->dst);
  return *g;
}

TEST(CntkConvolutionForward, InputOf5x5x3AndKernelOf3x3AtStride2WithoutPadding) {
  const auto g = geometry({{5, 5, 3, 2}, {2, 27}},
                          {.kernel = {3, 3, 3}, .stride = {2, 2, 3}, .auto_padding = {0}});
  EXPECT_EQ(g.dst, (Extents{2, 2, 2, 2}));
  EXPECT_EQ(evaluate_cntk(g, repeated(arange(75), 2), repeated(arange(27), 2)).value,
            repeated({15219, 15921, 18729, 19431}, 4));
}

// TensorFlow's SAME has 9 6 6 4 here: its windows start at the input's first cell.
TEST(CntkConvolutionForward, AutoPaddingAtStride2StartsBeforeTheInput) {
  const auto g = geometry({{4, 4, 1, 1}, {1, 9}},
                          {.kernel = {3, 3, 1}, .stride = {2, 2, 1}, .auto_padding = {1, 1, 0}});
  EXPECT_EQ(evaluate_cntk(g, Values(16, 1), Values(9, 1)).value, (Values{4, 6, 6, 9}));
  EXPECT_EQ(answer("Convolution f32 src=1x1x4x4 weights=1x1x3x3 strides=2,2 auto_pad=same_upper "
                   "data_format=NCX weights_format=OIX",
                   Values(16, 1), Values(9, 1))
                .values,
            (Values{9, 6, 6, 4}));
}

TEST(CntkConvolutionForward, AnEvenKernelIsPaddedAtTheEnd) {
  const auto g = geometry({{3, 3, 1, 1}, {1, 4}}, {.kernel = {2, 2, 1}, .auto_padding = {1, 1, 0}});
  EXPECT_EQ(evaluate_cntk(g, arange(9), arange(4)).value,
            (Values{19, 25, 10, 37, 43, 16, 7, 8, 0}));
}

// kernel_test.py, whose shapes name the axes from slowest to fastest.
TEST(CntkConvolutionForward, KernelAsLargeAsTheInput) {
  const auto one = geometry({{2, 2, 1, 1}, {1, 4}}, {.kernel = {2, 2, 1}, .auto_padding = {0}});
  EXPECT_EQ(evaluate_cntk(one, Values{1, 2, 7, 8}, Values{5, 6, 3, 4}).value, (Values{70}));
  const auto three = geometry({{2, 2, 3, 1}, {1, 12}}, {.kernel = {2, 2, 3}, .auto_padding = {0}});
  EXPECT_EQ(evaluate_cntk(three, counting(12), repeated({1, 2, 3, 4}, 3)).value, (Values{210}));
}

TEST(CntkConvolutionBackwardData, AddsToWhatIsThere) {
  const auto g = geometry({{3, 3, 3, 2}, {2, 27}}, {.kernel = {3, 3, 3}, .auto_padding = {0}});
  Values want(27);
  for (std::size_t i = 0; i < 27; ++i) want[i] = 2 * static_cast<double>(i) + 1;
  const Oracle data = cntk_backward_data(g, Values(4, 1), repeated(arange(27), 2), Values(54, 1));
  EXPECT_EQ(data.value, repeated(want, 2));
  EXPECT_EQ(data.magnitude, repeated(want, 2));
}

TEST(CntkConvolutionBackwardKernel, AddsToWhatIsThere) {
  const auto g = geometry({{3, 3, 3, 2}, {2, 27}}, {.kernel = {3, 3, 3}, .auto_padding = {0}});
  Values want(27);
  for (std::size_t i = 0; i < 27; ++i) want[i] = 2 * static_cast<double>(i) + 1;
  EXPECT_EQ(cntk_backward_kernel(g, Values(4, 1), repeated(arange(27), 2), Values(54, 1)).value,
            repeated(want, 2));
}

// kernel_test.py: the transposed convolution is the gradient for the input.
TEST(CntkConvolutionBackwardData, IsTheTransposedConvolution) {
  const auto g = geometry({{4, 4, 1, 1}, {1, 4}}, {.kernel = {2, 2, 1}, .auto_padding = {0}});
  EXPECT_EQ(cntk_backward_data(g, arange(9), arange(4), Values(16, 0)).value,
            (Values{0, 0, 1, 2, 0, 5, 11, 11, 6, 23, 29, 23, 12, 32, 37, 24}));
}

// The largest cell under each window of an extent x extent image that counts up from `first`.
Values max_pool(Extent extent, Extent first, Extent kernel, Extent stride,
                const Extents& automatic) {
  const auto g = geometry(
      {{extent, extent, 1, 1}, {1, kernel * kernel}},
      {.kernel = {kernel, kernel, 1}, .stride = {stride, stride, 1}, .auto_padding = automatic});
  const CntkAxis& width = g.axes[0];
  const CntkAxis& height = g.axes[1];
  Values maxima;
  for (const auto [h, w] : Grid<2>{{height.positions, width.positions}}) {
    Extent largest = -1;
    for (const auto [kh, kw] : Grid<2>{{kernel, kernel}}) {
      const Extent x = w * stride + kw - width.lower, y = h * stride + kh - height.lower;
      if (x < 0 || x >= extent || y < 0 || y >= extent) continue;
      largest = std::max(largest, first + y * extent + x);
    }
    maxima.push_back(static_cast<double>(largest));
  }
  return maxima;
}

TEST(CntkGeometry, IsThatOfMaxPooling) {
  EXPECT_EQ(max_pool(6, 0, 5, 3, {1, 1, 0}), (Values{21, 23, 33, 35}));
  EXPECT_EQ(max_pool(8, 0, 4, 5, {0, 0, 0}), (Values{27}));
  EXPECT_EQ(max_pool(6, 0, 4, 2, {0, 1, 0}), (Values{15, 17, 27, 29, 33, 35}));
  EXPECT_EQ(max_pool(8, 1, 5, 2, {1, 1, 0}),
            (Values{19, 21, 23, 24, 35, 37, 39, 40, 51, 53, 55, 56, 59, 61, 63, 64}));
}

// The shapes of the tests' generator that are not of the plain 2-D kind.
TEST(CntkGeometry, OfKernelsWithFourAxes) {
  EXPECT_EQ(geometry({{5, 5, 5, 2, 1}, {2, 54}}, {.kernel = {3, 3, 3, 2}, .auto_padding = {0}}).dst,
            (Extents{3, 3, 3, 2, 1}));
  EXPECT_EQ(geometry({{5, 5, 3, 1, 1}, {2, 18}}, {.kernel = {3, 3, 2, 1}, .auto_padding = {0}}).dst,
            (Extents{3, 3, 2, 2, 1}));
  EXPECT_EQ(geometry({{16, 16, 1, 1}, {8, 9}},
                     {.kernel = {3, 3, 1}, .stride = {1, 2, 1}, .auto_padding = {0}})
                .dst,
            (Extents{14, 7, 8, 1}));
  EXPECT_EQ(geometry({{16, 16, 2, 1}, {1, 2}},
                     {.kernel = {1, 1, 2}, .stride = {2, 2, 2}, .auto_padding = {0}})
                .dst,
            (Extents{8, 8, 1, 1}));
}

}  // namespace
}  // namespace concord::reference
