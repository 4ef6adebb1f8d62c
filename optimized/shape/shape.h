// SPDX-License-Identifier: Apache-2.0
// The engine's own shape arithmetic: from a problem as its user states it to extents, strides and
// padding that kernels can trust. It shares nothing with the reference's, so that agreement between
// the two means something.
#ifndef CONCORD_OPTIMIZED_SHAPE_SHAPE_H_
#define CONCORD_OPTIMIZED_SHAPE_SHAPE_H_

#include <array>
#include <optional>
#include <vector>

#include "spec/problem.h"

namespace concord::optimized {

/// Depth, height, width. Problems of fewer spatial axes have leading axes of extent 1.
using Spatial = std::array<Extent, 3>;

/// Elements from one index to the next. For weights, `outer` steps over OC and `channel` over IC/G;
/// for src and dst they are N and C.
struct Strides {
  Extent outer = 0;
  Extent channel = 0;
  Spatial spatial{};
};

/// An axis outside depth, with its tensors' elements from one index to the next.
struct OuterAxis {
  Extent I = 1, O = 1, K = 1, S = 1, D = 1, P = 0;
  Extent src_step = 0, weights_step = 0, dst_step = 0;
};

/// A problem that every rule of its operation allows, all of whose index arithmetic fits 64 bits.
struct Shape {
  Dtype dtype = Dtype::kF32;
  Extent N = 0, G = 1, IC = 0, OC = 0;
  Spatial I{1, 1, 1}, O{1, 1, 1}, K{1, 1, 1};  ///< input, output, kernel extents
  Spatial S{1, 1, 1}, D{1, 1, 1};              ///< stride and dilation
  Spatial P{};                                 ///< padding at the beginning
  /// Of problems of more than three spatial axes, those that mean something beyond the last three,
  /// outermost first.
  std::vector<OuterAxis> outer{};
  Strides src{}, weights{}, dst{};
  bool has_bias = false;
  Extent bias_stride = 1;
  Tensor dst_tensor{};  ///< in the axis order of the problem, with the strides asked for

  Extent ICG() const { return IC / G; }
  Extent OCG() const { return OC / G; }
  /// The products of all windows, padding included.
  double products() const;
  /// True if dst has no elements.
  bool is_empty() const {
    if (N == 0 || OC == 0 || O[0] == 0 || O[1] == 0 || O[2] == 0) return true;
    for (const OuterAxis& axis : outer) {
      if (axis.O == 0) return true;
    }
    return false;
  }
};

/// Checks `problem` and fixes its shape.
///
///   EK = D (K - 1) + 1,  O = floor((P_begin + I + P_end - EK) / S) + 1
///
/// SAME pads T = max(0, EK - (I mod S, or S where that is 0)) as implemented, which lets
/// O = ceil(I / S); T = D (K - 1) as Convolution-1 and atrous_conv2d document. The odd element goes
/// to the end (SAME, same_upper) or to the beginning (same_lower). VALID of atrous_conv2d as
/// documented has O = I - 2 (K - 1) with the K of the other axis.
/// Errors  the first fault in the order of the Fault enumeration; sizes that overflow 64 bits are
///         kSize
/// Source  docs/spec.md
Result<Shape> infer_shape(const Problem& problem);

/// kDtype if not all tensors have the dtype of src; else empty.
std::optional<Refusal> refuse_dtypes(const Problem& problem);

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_SHAPE_SHAPE_H_
