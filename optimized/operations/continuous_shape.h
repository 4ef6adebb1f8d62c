// SPDX-License-Identifier: Apache-2.0
// The engine's own shape arithmetic for the continuous convolution layer, in integers: an output's
// place in the input is a fraction over twice the scale's numerator, so that no border of the
// kernel's support is decided by a rounding.
#ifndef CONCORD_OPTIMIZED_OPERATIONS_CONTINUOUS_SHAPE_H_
#define CONCORD_OPTIMIZED_OPERATIONS_CONTINUOUS_SHAPE_H_

#include <algorithm>
#include <array>
#include <optional>

#include "optimized/shape/verdict.h"
#include "spec/attributes.h"
#include "spec/dtype.h"
#include "spec/result.h"

namespace concord::optimized {

/// The pixels within the support of an output: `count` of them from `left` on.
struct Support {
  Extent left = 0, count = 0;
  Wide numerator = 0, denominator = 1;  ///< of g - left
  /// g - left - place.
  double distance(Extent place) const {
    return to_double(numerator - denominator * place) / to_double(denominator);
  }
  /// What a net is asked at that predicts all the weights of an output: g less the first neighbour,
  /// less the closest pixel, the left one of two, or g itself.
  double offset(KernelFunction function) const;

 private:
  // Numbers of 128 bits are rare, and take long to convert.
  static double to_double(Wide value) {
    return is_extent(value) ? static_cast<double>(static_cast<Extent>(value))
                            : static_cast<double>(value);
  }
};

/// One axis of a layer of scale k/l, whose parts have up to 63 bits. Output n lies at g = (2 n l +
/// (in - 1) k - (out - 1) l) / 2k.
struct ContinuousAxis {
  Extent in = 0, out = 0, k = 1, l = 1, K = 1;
  Ties ties = Ties::kHalfOpen;
  Boundary boundary = Boundary::kZero;

  Extent slots() const { return ties == Ties::kClosed ? K + 1 : K; }
  /// The number of different sets of distances: outputs a multiple of k apart share theirs.
  Extent phases() const { return std::min(k, out); }
  Support support(Extent n) const;
  /// The pixel at `m`, or -1 for a zero.
  Extent pixel(Extent m) const;
};

/// Parameters of the kernel's net: [w1,2], [w1], [w2,w1], [w2], [outputs,w2], [outputs].
struct NetShape {
  Extent w1 = 0, w2 = 0, outputs = 0;
  double slope = 0;
  /// Those of the hidden layers, which come first; and all.
  Extent hidden_parameters() const { return 3 * w1 + (w1 + 1) * w2; }
  Extent parameters() const { return hidden_parameters() + (w2 + 1) * outputs; }
};

/// A valid layer.
struct ContinuousShape {
  Dtype dtype = Dtype::kF32;
  Extent N = 0, Cin = 0, Cout = 0;
  ContinuousAxis vertical{}, horizontal{};
  KernelFunction function = KernelFunction::kNet;
  NetShape net{};  ///< kKeys has none
  Tensor src{};    ///< [N,Cin,H,W] with strides
  Tensor dst{};    ///< [N,Cout,H',W'] with strides
  Tensor theta{};  ///< [parameters] with a stride

  Extent slots() const { return vertical.slots() * horizontal.slots(); }
  /// How many distances the net is evaluated at per output.
  Extent inputs() const { return predicts_all(function) ? 1 : slots(); }
  Extent outputs() const { return vertical.out * horizontal.out; }
  bool is_empty() const { return N == 0 || Cout == 0 || outputs() == 0; }
  /// True if every output is a sum of nothing.
  bool is_zero() const { return Cin == 0 || vertical.in == 0 || horizontal.in == 0; }
};

struct ContinuousTensors {
  Dtype dtype = Dtype::kF32;
  Tensor src{}, theta{};
  std::optional<Tensor> dst{};  ///< or diff_dst: its dims are compared, its strides kept
};

/// Checks a layer.
/// Errors  the first fault in the order of the Fault enumeration, as
///         docs/spec.md#continuous-convolution lists them; kLayout, kDst as for every operation
Result<ContinuousShape> infer_continuous(const ContinuousTensors& tensors,
                                         const ContinuousAttributes& a);

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_OPERATIONS_CONTINUOUS_SHAPE_H_
