// SPDX-License-Identifier: Apache-2.0
// A plugin to begin with: it computes pointwise convolutions in f32 and declines everything else.
// `concord run` counts the reasons of declining: take one line after another out of refusal() as
// convolve(), where your library's call belongs, learns it.
#include "concord_convolution.h"

namespace {

using concord_convolution_helper::Geometry;
using concord_convolution_helper::Order;

struct MyConvolution {
  static constexpr const char* kName = "mine";
  static constexpr const char* kVersion = "0.1";  // of the library that computes
  static constexpr Order kOrder = Order::kChannelsFirst;
  static constexpr bool kTakesGroups = false;  // convolve() gets one group at a time

  // Why g is not served, or nullptr.
  static const char* refusal(const Geometry& g) {
    for (int i = 0; i < g.axes; ++i) {
      if (g.kernel[i] != 1) return "only kernels of one element so far";
      if (g.stride[i] != 1) return "no strides so far";
      if (g.pad_begin[i] != 0 || g.pad_end[i] != 0) return "no padding so far";
    }
    if (g.has_bias) return "no bias so far";
    if (g.dtype != CONCORD_F32) return "only f32 so far";
    return nullptr;
  }

  // The arithmetic: all zeros is the strictest, sums in the dtype's own precision, one rounding.
  static void declare(const Geometry&, concord_answer& answer) {
    answer.same_bits_any_threads = 1;
    std::strcpy(answer.implementation, "plain loops");
  }

  // src [N, IC, size...], weights [OC, IC, kernel...], dst [N, OC, extent...]: dense, of one group.
  template <class T>
  static void convolve(const Geometry& g, const T* src, const T* weights, const T*, T* dst) {
    const int64_t image = g.size[0] * g.size[1] * g.size[2];
    for (int64_t n = 0; n < g.n; ++n) {
      for (int64_t oc = 0; oc < g.oc; ++oc) {
        for (int64_t i = 0; i < image; ++i) {
          T sum = 0;
          for (int64_t ic = 0; ic < g.ic; ++ic) {
            sum += src[(n * g.ic + ic) * image + i] * weights[oc * g.ic + ic];
          }
          dst[(n * g.oc + oc) * image + i] = sum;
        }
      }
    }
  }
};

}  // namespace

CONCORD_CONVOLUTION_PLUGIN(MyConvolution)
