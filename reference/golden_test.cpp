// SPDX-License-Identifier: Apache-2.0
// Values that others computed. Each test is named after where its numbers come from.
#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "reference/reference.h"

namespace concord::reference {
namespace {

using Values = std::vector<double>;

// Dense values in the axis order `axes` of `tensor`, the reverse of what permute() does to shapes.
Values channels_first(const Values& values, const Tensor& tensor,
                      const std::vector<std::size_t>& axes) {
  const Tensor view = permute({tensor.dims, {}}, axes);
  Values result;
  const Extent count = element_count(view.dims).value();
  for (Extent flat = 0; flat < count; ++flat) {
    Extent rest = flat, place = 0;
    for (std::size_t axis = view.rank(); axis-- > 0;) {
      place += rest % view.dims[axis] * view.strides[axis];
      rest /= view.dims[axis];
    }
    result.push_back(values[static_cast<std::size_t>(place)]);
  }
  return result;
}

struct Answer {
  Extents dims{};   ///< of dst, in the order of the data format
  Values values{};  ///< dense, [N, OC, spatial...]
};

// Evaluates a problem whose src and weights are dense values in the order of its own formats.
Answer answer(const std::string& line, const Values& src, const Values& weights,
              const Values& bias = {}) {
  const auto problem = parse(line);
  EXPECT_TRUE(problem) << problem.why().detail;
  const auto geometry = resolve(*problem);
  EXPECT_TRUE(geometry) << geometry.why().detail;
  const std::size_t rank = problem->src.rank();
  const Values x =
      channels_first(src, problem->src, channels_first_axes(data_format_of(*problem), rank));
  const Values w = channels_first(weights, problem->weights,
                                  channels_first_axes(weights_format_of(*problem), rank));
  return {geometry->dst.dims, evaluate(*problem, *geometry, x, w, bias).value};
}

Values formula(std::size_t count, int times, int plus, int modulus, int minus) {
  Values values;
  for (std::size_t i = 0; i < count; ++i) {
    values.push_back((times * static_cast<int>(i) + plus) % modulus - minus);
  }
  return values;
}

// Source: the same values came out of oneDNN 2.6.3, XNNPACK, ONNX Runtime, PyTorch, Eigen, and
// TensorFlow.js, and of scipy.signal.correlate in integers.
TEST(Golden, EveryLibraryAgreesOnTheGroupedDilatedStridedProblem) {
  Values bias(6);
  std::iota(bias.begin(), bias.end(), -2);
  const Answer dst = answer(
      "Convolution f32 src=2x4x9x10 weights=6x2x3x2 bias=6 strides=2,2 dilations=2,2 "
      "groups=2 pads_begin=1,2 pads_end=0,3 data_format=NCX weights_format=OIX",
      formula(720, 7, 3, 11, 5), formula(72, 5, 1, 7, 3), bias);
  EXPECT_EQ(dst.dims, (Extents{2, 6, 3, 7}));
  EXPECT_EQ(std::accumulate(dst.values.begin(), dst.values.end(), 0.0), 79);
  EXPECT_EQ(Values(dst.values.begin(), dst.values.begin() + 12),
            (Values{-7, -3, 5, -20, -1, -17, -2, -8, 28, -22, 5, -1}));
}

}  // namespace
}  // namespace concord::reference
