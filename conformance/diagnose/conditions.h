// SPDX-License-Identifier: Apache-2.0
// The conditions that rules are made of.
#ifndef CONCORD_CONFORMANCE_DIAGNOSE_CONDITIONS_H_
#define CONCORD_CONFORMANCE_DIAGNOSE_CONDITIONS_H_

#include <string>
#include <vector>

#include "conformance/case/case.h"
#include "conformance/record/case_result.h"

namespace concord::conformance {

/// A case and its verdict.
struct Subject {
  const Case* source;
  const CaseResult* result;
};

/// A condition and of which cases it is true.
struct Condition {
  std::string text{};
  std::vector<bool> holds{};
};

/// Conditions that are true of some of `cases` and not of all, each of others, the plainest first:
/// what a problem has or lacks, then its numbers compared with 1 and one another, then with other
/// numbers. Conditions on the data are included if evaluating all cases takes only seconds.
/// `threads` is how many the backend was given.
std::vector<Condition> conditions_of(const std::vector<Subject>& cases, int threads);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_DIAGNOSE_CONDITIONS_H_
