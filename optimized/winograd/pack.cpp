// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <vector>

#include "optimized/layout/convert.h"
#include "optimized/layout/stage.h"
#include "optimized/shape/view.h"
#include "optimized/winograd/plan.h"

namespace concord::optimized {
namespace {

// G of F(2,3) and of F(4,3). Source: docs/numerics.md#bilinear
constexpr std::array<double, 3> kWeights2[] = {
    {1, 0, 0}, {1.0 / 2, 1.0 / 2, 1.0 / 2}, {1.0 / 2, -1.0 / 2, 1.0 / 2}, {0, 0, 1}};
constexpr std::array<double, 3> kWeights4[] = {{1.0 / 4, 0, 0},
                                               {-1.0 / 6, -1.0 / 6, -1.0 / 6},
                                               {-1.0 / 6, 1.0 / 6, -1.0 / 6},
                                               {1.0 / 24, 1.0 / 12, 1.0 / 6},
                                               {1.0 / 24, -1.0 / 12, 1.0 / 6},
                                               {0, 0, 1}};

// What a weight's three taps along one axis count towards one point.
const std::array<double, 3>& weights_row(Extent outputs, Extent point) {
  return outputs == 2 ? kWeights2[point] : kWeights4[point];
}

// Point (i, j) of G g G^T, for every input and output channel: to[ic * OC + oc].
void transform_weights(const Winograd& w, const float* weights, Extent i, Extent j, float* to) {
  const Strides& strides = w.view.weights;
  const auto& down = weights_row(w.outputs, i);
  const auto& along = weights_row(w.outputs, j);
  for (Extent ic = 0; ic < w.view.IC; ++ic) {
    for (Extent oc = 0; oc < w.view.OC; ++oc) {
      const float* g = weights + sum_of_products({{ic, strides.channel}, {oc, strides.outer}});
      double sum = 0;
      for (std::size_t kh = 0; kh < 3; ++kh) {
        const float* row = g + static_cast<Extent>(kh) * strides.spatial[1];
        double in_row = 0;
        for (std::size_t kw = 0; kw < 3; ++kw) {
          in_row +=
              along[kw] * static_cast<double>(row[static_cast<Extent>(kw) * strides.spatial[2]]);
        }
        sum += down[kh] * in_row;
      }
      *to++ = static_cast<float>(sum);
    }
  }
}

}  // namespace

void pack(const Context& context, const Winograd& w, const void* weights, const void* bias,
          void* to) {
  const Shape& s = context.shape;
  auto* const packed = static_cast<float*>(to);
  const Extent window = w.outputs + 2;
  context.thread_pool->run(w.points(), [&](Extent point, int) {
    std::vector<float> transformed(static_cast<std::size_t>(s.IC * s.OC));
    transform_weights(w, static_cast<const float*>(weights), point / window, point % window,
                      transformed.data());
    pack(w.product_context, w.product, transformed.data(), nullptr,
         packed + point * (w.packed_weights() / w.points()));
  });
  float* packed_bias = packed + w.packed_weights();
  std::fill(packed_bias, packed_bias + w.padded(s.OC), 0.0F);
  if (s.has_bias) widen(s.dtype, bias, s.bias_stride, packed_bias, s.OC);
}

}  // namespace concord::optimized
