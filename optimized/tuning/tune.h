// SPDX-License-Identifier: Apache-2.0
// Plans by measurement: those that the planners think closest run in turns, for a bounded time.
#ifndef CONCORD_OPTIMIZED_TUNING_TUNE_H_
#define CONCORD_OPTIMIZED_TUNING_TUNE_H_

#include <vector>

#include "optimized/plan.h"
#include "spec/problem.h"

namespace concord::optimized {

/// The plans that may be faster than the planners' own, the likeliest first, with the same
/// arithmetic; and of those that add in its order, if not `any_sums`.
std::vector<Plan> other_plans(const Problem& problem, const Options& options, const Plan& own,
                              bool any_sums);

/// The plan that options.tuning finds fastest, or that its wisdom knows. Only another plan that is
/// faster beyond noise replaces the planners' own. Nothing is measured where tensors take more
/// than kMostTunedBytes, or where planning or one run would take longer than the time that there
/// is.
/// Errors  those of make_plan(); kSyntax for a time that is not positive
Result<Plan> tuned_plan(const Problem& problem, const Options& options);

inline constexpr Extent kMostTunedBytes = Extent{2} << 30;

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_TUNING_TUNE_H_
