// SPDX-License-Identifier: Apache-2.0
// The tiers for golden cases, whose wanted values another system computed: in place of the exact
// value there is one that is known up to that system's own error.
#ifndef CONCORD_CONFORMANCE_JUDGE_JUDGE_RECORDED_H_
#define CONCORD_CONFORMANCE_JUDGE_JUDGE_RECORDED_H_

#include <span>
#include <vector>

#include "conformance/judge/error_bound.h"
#include "conformance/judge/judge_data.h"

namespace concord::conformance {

/// How far a result may be from the recorded one. With A the bound of the judged class, zero if
/// every sum of these data is exact in its accumulator, P the producer's, and u of the dtype:
///   exact               A
///   correctly_rounded   A, plus u S where A or the class's rounding of results is not to nearest
///   arithmetic          A + Q, Q = (1 + u) P + u S
///   printed             A + (1 + u) Q + u S, and printed_radii(); Q = u S without a class
/// Shapes  as judge_data(); e.recorded is not null
/// Source  docs/numerics.md#recorded-values
ErrorBound recorded_bound(const Expectation& e);

/// Q: how far the producer's number may be from the exact value. That of an exact value is 0.
ErrorBound producer_bound(Dtype dtype, const Recorded& recorded, Extent products);

/// How far printing may have moved each element of dst; empty unless it was printed.
std::vector<double> printed_radii(Dtype dtype, const Recorded& recorded);

/// Half a unit of the last of `digits` significant decimal digits of any number that is read as
/// `value`, a number of the dtype; 0 of 0, and of what is not finite.
/// Numeric  never too small: a power of ten may be stored from below
double half_unit(Dtype dtype, double value, int digits);

/// True if the bound is zero, so that results are compared bit for bit.
bool is_exact_recorded(const Expectation& e);

Finding judge_recorded(const Expectation& e, std::span<const double> got);
Trust assess_recorded(const Expectation& e);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_JUDGE_JUDGE_RECORDED_H_
