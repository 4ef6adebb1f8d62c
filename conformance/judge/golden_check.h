// SPDX-License-Identifier: Apache-2.0
// A recorded dst compared with the reference, as if its producer were a backend.
#ifndef CONCORD_CONFORMANCE_JUDGE_GOLDEN_CHECK_H_
#define CONCORD_CONFORMANCE_JUDGE_GOLDEN_CHECK_H_

#include "conformance/case/case.h"
#include "conformance/judge/judge.h"

namespace concord::conformance {

struct RecordedCheck {
  /// By the interval tier: with the producer's class, or with the reference's own, whose sums are
  /// in f64, where dst is rounded once; of exactness `exact` every element is the value itself,
  /// too; a printed one, with half a unit of its last digit besides.
  Finding finding{};
  /// Every element is the reference's value, rounded once to the dtype.
  bool is_correctly_rounded = false;
};

/// Evaluates the reference on the recorded inputs.
/// Errors  none: `golden` is one of golden_cases()
RecordedCheck check_recorded(const Case& golden);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_JUDGE_GOLDEN_CHECK_H_
