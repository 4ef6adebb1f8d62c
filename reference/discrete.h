// SPDX-License-Identifier: Apache-2.0
// The three discrete convolutions: Convolution1, Convolution and AtrousConv2d have one geometry,
// and each its own formula.
#ifndef CONCORD_REFERENCE_DISCRETE_H_
#define CONCORD_REFERENCE_DISCRETE_H_

#include <algorithm>
#include <array>
#include <span>
#include <string>

#include "reference/oracle.h"
#include "spec/problem.h"
#include "spec/result.h"

namespace concord::reference {

/// The most that a tensor of kMaxRank axes has besides batch and channels.
inline constexpr std::size_t kSpatialRank = kMaxRank - 2;
/// One value per spatial axis, outermost first. Problems of fewer spatial axes have leading axes of
/// extent 1, so that the last three are always depth, height and width.
using Spatial = std::array<Extent, kSpatialRank>;
inline constexpr std::size_t kDepth = kSpatialRank - 3;
inline constexpr std::size_t kHeight = kSpatialRank - 2;
inline constexpr std::size_t kWidth = kSpatialRank - 1;

/// The last r axes.
template <std::size_t r>
std::array<Extent, r> innermost(const Spatial& all) {
  std::array<Extent, r> last;
  std::copy(all.end() - r, all.end(), last.begin());
  return last;
}
/// The product of all values.
inline Extent volume(const Spatial& extents) {
  Extent product = 1;
  for (const Extent extent : extents) product *= extent;
  return product;
}
/// An index, or extents, of one or two axes and the spatial ones behind them: what a Grid counts.
std::array<Extent, kSpatialRank + 1> joined(Extent first, const Spatial& spatial);
std::array<Extent, kSpatialRank + 2> joined(Extent first, Extent second, const Spatial& spatial);
/// The spatial part of such an index.
template <std::size_t rank>
Spatial spatial_part(const std::array<Extent, rank>& index) {
  Spatial part;
  std::copy(index.end() - kSpatialRank, index.end(), part.begin());
  return part;
}
/// "D", "H" and "W" of at most three axes, else "X1", "X2" and so on, outermost first.
std::string axis_name(std::size_t axis, std::size_t spatial_rank);

/// A convolution as the formulas read it: every field set and in range. Only resolve_discrete()
/// makes one, so its readers have no error path.
struct Geometry {
  Extent N, G, IC, OC;
  Spatial I, O, K;  ///< input, output and kernel extents; O may be zero
  Spatial S, D;     ///< stride and dilation, at least 1
  /// Padding, as resolved from auto_pad. The output is all that fits, except for atrous_conv2d's
  /// VALID as documented, which may omit some of it.
  Spatial P_begin, P_end;
  std::size_t spatial_rank;
  Tensor dst;  ///< in the axis order of the problem's data format; strides as asked for, or none

  /// The first axis in use: the depth, or one outside it if there are more than three.
  std::size_t first_axis() const { return kSpatialRank - std::max<std::size_t>(spatial_rank, 3); }
  Extent ICG() const { return IC / G; }
  Extent OCG() const { return OC / G; }
  /// How many products one output element sums at most.
  Extent products() const { return ICG() * volume(K); }
};

/// Checks a problem of a discrete operation and resolves its padding and output shape.
/// Errors  the first fault in the order of the Fault enumeration
Result<Geometry> resolve_discrete(const Problem& problem);

/// Evaluates such a problem by the formula of its own specification: [N,OC,O], dense.
/// Shapes   src [N,IC,I], weights [OC,IC/G,K], bias [OC] or empty; dense
/// Numeric  products and sums in f64, bias first, then in the order ic, k, the last axis fastest
/// Errors   none: `geometry` is the result of resolve_discrete() for `problem`
Oracle evaluate_discrete(const Problem& problem, const Geometry& geometry,
                         std::span<const double> src, std::span<const double> weights,
                         std::span<const double> bias);

}  // namespace concord::reference

#endif  // CONCORD_REFERENCE_DISCRETE_H_
