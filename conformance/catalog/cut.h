// SPDX-License-Identifier: Apache-2.0
// Cutting a network's layer down to a size that a reference can evaluate quickly, without losing
// its characteristics.
#ifndef CONCORD_CONFORMANCE_CATALOG_CUT_H_
#define CONCORD_CONFORMANCE_CATALOG_CUT_H_

#include <map>
#include <string>
#include <utility>

#include "spec/problem.h"

namespace concord::conformance {

/// One spatial axis of a geometry.
struct Axis {
  Extent I, K, S, D, P_begin, P_end;
  Extent dilated_kernel() const { return D * (K - 1) + 1; }
  Extent outputs() const { return (P_begin + I + P_end - dilated_kernel()) / S + 1; }
};

/// The taps [first, last) that fall on the input; {0, 0} where none does.
using TapRange = std::pair<Extent, Extent>;
/// How many outputs of the axis see which taps. The border classes of a layer are the keys.
std::map<TapRange, Extent> border_classes(const Axis& axis);
/// Whether some tap of some output falls on the input.
bool sees_input(const Axis& axis);

/// The smallest input extent to which the axis can be cut: of the same residue modulo the stride,
/// with the same border classes, and with two outputs that see all taps where there were as many.
/// An axis whose dilated kernel exceeds its input is not cut.
Extent smallest_extent(const Axis& axis);

struct Cut {
  Problem problem{};
  std::string note{};  ///< "H cut from 224 to 30, W from 224 to 31"; empty if nothing was cut
};

/// Cuts `problem` until an evaluation takes at most `max_macs` multiplications: the batch to 1,
/// then spatial extents, no axis below smallest_extent(), spatial axes left different so that
/// swapping them shows; then, only if that is not enough, channels (or the groups of a depthwise
/// layer) in steps of 16 above 32 and of 8 below, so that what a vector leaves over stays the same.
/// Kernel, strides, dilations, pads and the kind of grouping stay as they are.
/// Numeric  may stay above `max_macs` if nothing more can be cut
/// Errors   none: `problem` resolves, is dense, and states no dst
Cut cut_to_budget(const Problem& problem, Extent max_macs);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_CATALOG_CUT_H_
