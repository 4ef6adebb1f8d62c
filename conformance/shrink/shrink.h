// SPDX-License-Identifier: Apache-2.0
// The search for the smallest case that fails as a given one does.
#ifndef CONCORD_CONFORMANCE_SHRINK_SHRINK_H_
#define CONCORD_CONFORMANCE_SHRINK_SHRINK_H_

#include "conformance/record/shrunk.h"
#include "conformance/shrink/trial.h"

namespace concord::conformance {

/// Makes `source`, which failed with `result`, smaller: its problem by moves until none of them
/// leaves it failing, then its data to integers, and element by element to zeros and ones; and says
/// what makes up the wrong element. Greedy: the end is a case that fails no longer if any one
/// thing of it is made simpler.
/// Numeric  deterministic, if the backend is and the time limit is not met; a backend with races is
/// tried several times
Shrunk shrink(const Case& source, const CaseResult& result, const TrialOptions& options);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_SHRINK_SHRINK_H_
