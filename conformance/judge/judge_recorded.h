// SPDX-License-Identifier: Apache-2.0
// The tiers for golden cases, whose wanted values another system computed: in place of the exact
// value there is one that is known up to that system's own error.
#ifndef CONCORD_CONFORMANCE_JUDGE_JUDGE_RECORDED_H_
#define CONCORD_CONFORMANCE_JUDGE_JUDGE_RECORDED_H_

#include <span>

#include "conformance/judge/error_bound.h"
#include "conformance/judge/judge_data.h"

namespace concord::conformance {

/// How far a result may be from the recorded one. With A the bound of the judged class, zero if
/// every sum of these data is exact in its accumulator, P the producer's, and u of the dtype:
///   exact               A
///   correctly_rounded   A, plus u S where A or the class's rounding of results is not to nearest
///   arithmetic          A + (1 + u) P + u S
/// Shapes  as judge_data(); e.recorded is not null
/// Source  docs/vectors.md#judging
ErrorBound recorded_bound(const Expectation& e);

/// True if the bound is zero, so that results are compared bit for bit.
bool is_exact_recorded(const Expectation& e);

Finding judge_recorded(const Expectation& e, std::span<const double> got);
Trust assess_recorded(const Expectation& e);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_JUDGE_JUDGE_RECORDED_H_
