// SPDX-License-Identifier: Apache-2.0
// The tier of special values: NaN and infinities where the receptive field has them, and nowhere
// else. Source: docs/numerics.md#special-values
#ifndef CONCORD_CONFORMANCE_JUDGE_JUDGE_SPECIAL_H_
#define CONCORD_CONFORMANCE_JUDGE_JUDGE_SPECIAL_H_

#include <array>
#include <span>
#include <vector>

#include "conformance/judge/judge.h"
#include "plugin/concord_plugin.h"
#include "reference/discrete.h"
#include "spec/dtype.h"

namespace concord::conformance {

/// Some of the spatial axes, and all of them.
using SpatialChoice = std::array<bool, reference::kSpatialRank>;
inline constexpr SpatialChoice kAllAxes{true, true, true, true, true, true};

/// What a library that multiplies padding as zeros gets instead of `want`: NaN wherever a weight
/// that is not finite meets padding. Or one that multiplies it along some axes and leaves it out
/// along the others: then where it lies outside of src along none of the others.
/// Shapes  weights [OC,IC/G,K]; want and the result [N,OC,O]
std::vector<double> with_padding_multiplied(const reference::Geometry& geometry,
                                            std::span<const double> weights,
                                            std::span<const double> want,
                                            const SpatialChoice& along = kAllAxes);

/// Judges what came of inputs that hold NaN or infinities. `want` is the reference's value, which
/// leaves padding out. Wanted are NaN where it has NaN, the same infinity where it has one, and
/// every other element within its interval; or the same with padding multiplied along some axes or
/// all, but the same ones for the whole tensor. Of findings that fail it is the one with the fewest
/// wrong elements.
/// Shapes  as in judge_interval(); weights [OC,IC/G,K]
/// Numeric a bf16x3 class may turn an infinity into NaN; a bilinear one may spread what is not
///         finite, but not lose it
Finding judge_special(Dtype dtype, const concord_arithmetic& arithmetic, const ErrorBound& bound,
                      const reference::Geometry& geometry, std::span<const double> weights,
                      std::span<const double> got, std::span<const double> want,
                      std::span<const double> magnitude, const ChannelBias& bias = {},
                      std::span<const double> low = {});

/// The same of any operation, for data of which no weight that is not finite meets padding.
Finding judge_special(Dtype dtype, const concord_arithmetic& arithmetic, const ErrorBound& bound,
                      std::span<const double> got, std::span<const double> want,
                      std::span<const double> magnitude, const ChannelBias& bias = {},
                      std::span<const double> low = {});

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_JUDGE_JUDGE_SPECIAL_H_
