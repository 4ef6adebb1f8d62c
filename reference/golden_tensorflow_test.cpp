// SPDX-License-Identifier: Apache-2.0
// Values from TensorFlow's tests of convolutions (conv_ops_test.py, atrous_conv2d_test.py); the
// three marked "worked out" were computed from the same inputs in exact rationals. Inputs and
// filters are 1, 2, 3, ... in the order of their axes, NHWC and HWIO.
#include <gtest/gtest.h>

#include <numeric>

#include "reference/worked_example.h"
#include "spec/grid.h"

namespace concord::reference {
namespace {

int elements(const Extents& dims) { return static_cast<int>(element_count(dims).value()); }

Answer conv2d(const Extents& value, const Extents& filters, const std::string& attributes) {
  return answer("Convolution f32 src=" + to_string(Tensor{value, {}}) +
                    " weights=" + to_string(Tensor{filters, {}}) + " " + attributes,
                counting(elements(value)), counting(elements(filters)));
}

Answer atrous(const Extents& value, const Extents& filters, const std::string& attributes) {
  return answer("AtrousConv2d f32 src=" + to_string(Tensor{value, {}}) +
                    " weights=" + to_string(Tensor{filters, {}}) + " " + attributes,
                counting(elements(value)), counting(elements(filters)));
}

TEST(TensorFlowConv2d, Filter1x1) {
  const Values want{30,  36,  42,  66,  81,  96,  102, 126, 150,
                    138, 171, 204, 174, 216, 258, 210, 261, 312};
  EXPECT_EQ(conv2d({1, 2, 3, 3}, {1, 1, 3, 3}, "auto_pad=valid").values, want);
  EXPECT_EQ(atrous({1, 2, 3, 3}, {1, 1, 3, 3}, "padding=VALID").values, want);
}

TEST(TensorFlowConv2d, Filter2x2) {
  const Values want{2271, 2367, 2463, 2901, 3033, 3165};
  EXPECT_EQ(conv2d({1, 2, 3, 3}, {2, 2, 3, 3}, "auto_pad=valid").values, want);
  EXPECT_EQ(atrous({1, 2, 3, 3}, {2, 2, 3, 3}, "padding=VALID").values, want);
}

TEST(TensorFlowConv2d, Filter1x2) {
  const Values want{231, 252, 273, 384, 423, 462, 690, 765, 840, 843, 936, 1029};
  EXPECT_EQ(conv2d({1, 2, 3, 3}, {1, 2, 3, 3}, "auto_pad=valid").values, want);
  EXPECT_EQ(atrous({1, 2, 3, 3}, {1, 2, 3, 3}, "padding=VALID").values, want);
}

TEST(TensorFlowConv2d, Filter2x2Stride2) {
  EXPECT_EQ(conv2d({1, 2, 3, 3}, {2, 2, 3, 3}, "strides=2,2 auto_pad=valid").values,
            (Values{2271, 2367, 2463}));
}

TEST(TensorFlowConv2d, Filter2x2Stride2Same) {
  EXPECT_EQ(conv2d({1, 2, 3, 3}, {2, 2, 3, 3}, "strides=2,2 auto_pad=same_upper").values,
            (Values{2271, 2367, 2463, 1230, 1305, 1380}));
}

TEST(TensorFlowConv2d, Filter2x2Stride1x2) {
  EXPECT_EQ(conv2d({1, 3, 6, 1}, {2, 2, 1, 1}, "strides=1,2 auto_pad=valid").values,
            (Values{58, 78, 98, 118, 138, 158}));
}

// Worked out.
TEST(TensorFlowConv2d, StrideLargerThanTheFilterValid) {
  EXPECT_EQ(conv2d({1, 7, 7, 1}, {2, 2, 1, 1}, "strides=3,3 auto_pad=valid").values,
            (Values{65, 95, 275, 305}));
}

// The last of the three worked out.
TEST(TensorFlowConv2d, StrideLargerThanTheFilterSame) {
  EXPECT_EQ(conv2d({1, 3, 3, 1}, {1, 1, 1, 1}, "strides=2,2 auto_pad=same_upper").values,
            (Values{1, 3, 7, 9}));
  EXPECT_EQ(conv2d({1, 4, 4, 1}, {1, 1, 1, 1}, "strides=2,2 auto_pad=same_upper").values,
            (Values{1, 3, 9, 11}));
  EXPECT_EQ(conv2d({1, 4, 4, 1}, {2, 2, 1, 1}, "strides=3,3 auto_pad=same_upper").values,
            (Values{44, 28, 41, 16}));
}

TEST(TensorFlowConv2d, KernelSizeMatchesInputSize) {
  EXPECT_EQ(conv2d({1, 2, 2, 1}, {2, 2, 1, 2}, "auto_pad=valid").values, (Values{50, 60}));
  EXPECT_EQ(atrous({1, 2, 2, 1}, {2, 2, 1, 2}, "padding=VALID").values, (Values{50, 60}));
}

// Worked out.
TEST(TensorFlowConv2d, DilationOfHeightAlone) {
  EXPECT_EQ(conv2d({1, 4, 4, 1}, {2, 2, 1, 1}, "dilations=2,1 auto_pad=valid").values,
            (Values{72, 82, 92, 112, 122, 132}));
}

TEST(TensorFlowConv2d, EmptyBatchGivesAnEmptyBatch) {
  EXPECT_EQ(conv2d({0, 2, 3, 3}, {1, 1, 3, 3}, "auto_pad=valid"), (Answer{{0, 2, 3, 3}, {}}));
}

Values arange(int count) {
  Values values(static_cast<std::size_t>(count));
  std::iota(values.begin(), values.end(), 0.0);
  return values;
}

// Filters [kh,kw,2,2] with rate - 1 zeros between neighbours.
Values zero_stuffed(const Values& filters, Extent kh, Extent kw, Extent rate) {
  const Extent height = (kh - 1) * rate + 1, width = (kw - 1) * rate + 1;
  Values stuffed(static_cast<std::size_t>(height * width * 4));
  const Grid<4> from{{kh, kw, 2, 2}}, to{{height, width, 2, 2}};
  for (const auto [h, w, i, o] : from) {
    stuffed[to.offset({h * rate, w * rate, i, o})] = filters[from.offset({h, w, i, o})];
  }
  return stuffed;
}

TEST(TensorFlowAtrousConv2d, IsConv2dWithZeroStuffedFilters) {
  for (const auto [wide, h, w, r, same] : Grid<5>{{2, 3, 3, 3, 2}}) {
    const Extent kh = h + 1, kw = w + 1, rate = r + 1;
    const std::string src = "src=2x9x" + std::to_string(9 + wide) + "x2";
    const Values value = arange(static_cast<int>(2 * 9 * (9 + wide) * 2));
    const Values filters = arange(static_cast<int>(kh * kw * 4));
    const Tensor dims{{kh, kw, 2, 2}, {}};
    const Tensor stuffed{{(kh - 1) * rate + 1, (kw - 1) * rate + 1, 2, 2}, {}};
    const std::string padding = same == 1 ? "SAME" : "VALID";
    EXPECT_EQ(
        answer("AtrousConv2d f32 " + src + " weights=" + to_string(dims) +
                   " rate=" + std::to_string(rate) + " padding=" + padding,
               value, filters),
        answer("AtrousConv2d f32 " + src + " weights=" + to_string(stuffed) + " padding=" + padding,
               value, zero_stuffed(filters, kh, kw, rate)));
  }
}

// Source: docs/spec.md#atrous_conv2d, erratum 4, worked by hand.
TEST(TensorFlowAtrousConv2d, ChainedOnPhasesDiffersWhereTheRateDoesNotDivideTheInput) {
  const auto layer = [](const Values& value) {
    return answer("AtrousConv2d f32 src=1x1x5x1 weights=1x3x1x1 rate=2 padding=SAME", value,
                  {1, 1, 1})
        .values;
  };
  const auto phase_layer = [](const Values& value) {
    return answer("AtrousConv2d f32 src=1x1x3x1 weights=1x3x1x1 padding=SAME", value, {1, 1, 1})
        .values;
  };
  EXPECT_EQ(layer({1, 2, 3, 4, 5}), (Values{4, 6, 9, 6, 8}));
  EXPECT_EQ(layer(layer({1, 2, 3, 4, 5})), (Values{13, 12, 21, 12, 17}));
  // Phases of 1 2 3 4 5 0. Interleaved and cropped: 13 12 21 16 17.
  EXPECT_EQ(phase_layer(phase_layer({1, 3, 5})), (Values{13, 21, 17}));
  EXPECT_EQ(phase_layer(phase_layer({2, 4, 0})), (Values{12, 16, 10}));
}

}  // namespace
}  // namespace concord::reference
