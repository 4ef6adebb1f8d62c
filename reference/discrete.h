// SPDX-License-Identifier: Apache-2.0
// The three discrete convolutions: Convolution1, Convolution and AtrousConv2d have one geometry,
// and each its own formula.
#ifndef CONCORD_REFERENCE_DISCRETE_H_
#define CONCORD_REFERENCE_DISCRETE_H_

#include <array>
#include <span>

#include "reference/oracle.h"
#include "spec/problem.h"
#include "spec/result.h"

namespace concord::reference {

/// Depth, height and width. Problems of fewer spatial axes have leading axes of extent 1.
using Spatial = std::array<Extent, 3>;

/// A convolution as the formulas read it: every field set and in range. Only resolve_discrete()
/// makes one, so what reads it has no error path.
struct Geometry {
  Extent N, G, IC, OC;
  Spatial I, O, K;  ///< input, output and kernel extents; O may be zero
  Spatial S, D;     ///< stride and dilation, at least 1
  /// Padding, as resolved from auto_pad. The output is all that fits, but for atrous_conv2d's VALID
  /// as documented, which may leave some of that out.
  Spatial P_begin, P_end;
  std::size_t spatial_rank;
  Tensor dst;  ///< in the axis order of the problem's data format; strides as asked for, or none

  Extent ICG() const { return IC / G; }
  Extent OCG() const { return OC / G; }
  /// How many products one output element sums at most.
  Extent products() const { return ICG() * K[0] * K[1] * K[2]; }
};

/// Checks a problem of a discrete operation and resolves its padding and output shape.
/// Errors  the first fault in the order of the Fault enumeration
Result<Geometry> resolve_discrete(const Problem& problem);

/// Evaluates such a problem by the formula of its own specification: [N,OC,OD,OH,OW], dense.
/// Shapes   src [N,IC,ID,IH,IW], weights [OC,IC/G,KD,KH,KW], bias [OC] or empty; dense
/// Numeric  products and sums in f64, bias first, then in the order ic, kd, kh, kw
/// Errors   none: `geometry` is what resolve_discrete() said of `problem`
Oracle evaluate_discrete(const Problem& problem, const Geometry& geometry,
                         std::span<const double> src, std::span<const double> weights,
                         std::span<const double> bias);

}  // namespace concord::reference

#endif  // CONCORD_REFERENCE_DISCRETE_H_
