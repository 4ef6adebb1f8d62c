// SPDX-License-Identifier: Apache-2.0
// One function a fill; fill_inputs() chooses among them. Shapes as there.
#ifndef CONCORD_CONFORMANCE_FILL_FILL_KINDS_H_
#define CONCORD_CONFORMANCE_FILL_FILL_KINDS_H_

#include "conformance/fill.h"
#include "conformance/fill/exact_limits.h"

namespace concord::conformance {

/// What a fill is made for, and from.
struct FillOrder {
  std::uint64_t seed;
  Dtype dtype;
  const reference::Geometry& geometry;
  bool has_bias;
  const concord_arithmetic& arithmetic;
};

/// Streams of random numbers: a tensor's values do not depend on the size of another tensor.
enum class Stream : std::uint64_t { kSrc, kWeights, kBias };

Inputs fill_integers(const FillOrder& order);
Inputs fill_integers_within(const FillOrder& order, const IntegerLimits& limits);
Inputs fill_impulse(const FillOrder& order);
Inputs fill_ramp(const FillOrder& order);
Inputs fill_subnormal(const FillOrder& order);
Inputs fill_uniform(const FillOrder& order);
Inputs fill_wide(const FillOrder& order);
Inputs fill_special(const FillOrder& order);
Inputs fill_overflow(const FillOrder& order);

/// Inputs of the right sizes, all zero.
Inputs make_zeros(const FillOrder& order);

/// Which taps each output channel gets when every one gets `count` of them: the taps are shuffled
/// and dealt out, so that the channels of a group together have every tap as early as they can.
/// Shapes  result [OC][count], values are places in `taps`' order
std::vector<std::vector<Extent>> deal_taps(const reference::Geometry& geometry,
                                           const std::vector<Extent>& taps, Extent count,
                                           std::uint64_t seed);

/// One axis of the kernel over one axis of the input: which tap k of which output o meets an
/// element that exists.
struct Meeting {
  Extent o, k, i;
};
std::vector<Meeting> meetings(const reference::Geometry& geometry, std::size_t axis);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_FILL_FILL_KINDS_H_
