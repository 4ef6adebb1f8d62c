// SPDX-License-Identifier: Apache-2.0
// The reference: what the specifications say, computed as literally as they say it.
//
// resolve() checks a problem against its specification and fixes its geometry; evaluate() computes
// the value of every output element and, beside it, the sum of the magnitudes that went into it,
// which is the scale of any computation's rounding error (docs/numerics.md).
#ifndef CONCORD_REFERENCE_REFERENCE_H_
#define CONCORD_REFERENCE_REFERENCE_H_

#include <array>
#include <span>
#include <vector>

#include "spec/problem.h"
#include "spec/result.h"

namespace concord::reference {

/// Depth, height and width. Problems of fewer spatial axes have leading axes of extent 1.
using Spatial = std::array<Extent, 3>;

/// A convolution as the formulas read it: every field set and in range. Only resolve() makes one,
/// so what reads it has no error path.
struct Geometry {
  Extent N, G, IC, OC;
  Spatial I, O, K;         ///< input, output and kernel extents; O may be zero
  Spatial S, D;            ///< stride and dilation, at least 1
  Spatial P_begin, P_end;  ///< padding, as resolved from auto_pad
  std::size_t spatial_rank;
  Tensor dst;  ///< in the axis order of the problem's data format; strides as asked for, or none

  Extent ICG() const { return IC / G; }
  Extent OCG() const { return OC / G; }
  /// How many products one output element sums at most.
  Extent products() const { return ICG() * K[0] * K[1] * K[2]; }
};

/// Checks `problem` and resolves its padding and output shape.
/// Errors  the first fault in the order of the Fault enumeration
Result<Geometry> resolve(const Problem& problem);

/// Per output element, [N,OC,OD,OH,OW] dense: the value, and the sum of |x||w| and |bias|.
struct Oracle {
  std::vector<double> value;
  std::vector<double> magnitude;
};

/// Evaluates `problem` by the formula of its own specification.
/// Shapes   src [N,IC,ID,IH,IW], weights [OC,IC/G,KD,KH,KW], bias [OC] or empty; dense
/// Numeric  products and sums in f64, bias first, then in the order ic, kd, kh, kw
/// Errors   none: `geometry` is what resolve() said of `problem`
Oracle evaluate(const Problem& problem, const Geometry& geometry, std::span<const double> src,
                std::span<const double> weights, std::span<const double> bias);

}  // namespace concord::reference

#endif  // CONCORD_REFERENCE_REFERENCE_H_
