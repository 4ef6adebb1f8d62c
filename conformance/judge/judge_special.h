// SPDX-License-Identifier: Apache-2.0
// The tier of special values: NaN and infinities where the receptive field has them, and nowhere
// else. Source: docs/numerics.md#special-values
#ifndef CONCORD_CONFORMANCE_JUDGE_JUDGE_SPECIAL_H_
#define CONCORD_CONFORMANCE_JUDGE_JUDGE_SPECIAL_H_

#include <span>
#include <vector>

#include "conformance/judge.h"
#include "plugin/concord_plugin.h"
#include "reference/discrete.h"
#include "spec/dtype.h"

namespace concord::conformance {

/// What a library that multiplies padding as zeros gets instead of `want`: NaN wherever a weight
/// that is not finite meets padding.
/// Shapes  weights [OC,IC/G,KD,KH,KW]; want and the result [N,OC,OD,OH,OW]
std::vector<double> with_padding_multiplied(const reference::Geometry& geometry,
                                            std::span<const double> weights,
                                            std::span<const double> want);

/// Judges what came of inputs that hold NaN or infinities. `want` is the reference's value, which
/// leaves padding out. Wanted are NaN where it has NaN, the same infinity where it has one, and
/// every other element within its interval; or the same with padding multiplied, but one of the
/// two for the whole tensor. Of two that fail the finding is the one with fewer wrong elements.
/// Shapes  as in judge_interval(); weights [OC,IC/G,KD,KH,KW]
/// Numeric a bf16x3 class may turn an infinity into NaN; a bilinear one may spread what is not
///         finite, but not lose it
Finding judge_special(Dtype dtype, const concord_arithmetic& arithmetic,
                      const reference::Geometry& geometry, std::span<const double> weights,
                      std::span<const double> got, std::span<const double> want,
                      std::span<const double> magnitude);

/// The same of any operation, for data of which no weight that is not finite meets padding.
/// `products` as in judge_interval()
Finding judge_special(Dtype dtype, const concord_arithmetic& arithmetic, Extent products,
                      std::span<const double> got, std::span<const double> want,
                      std::span<const double> magnitude);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_JUDGE_JUDGE_SPECIAL_H_
