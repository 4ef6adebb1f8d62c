// SPDX-License-Identifier: Apache-2.0
// The conditions that rules are made of.
#ifndef CONCORD_CONFORMANCE_DIAGNOSE_CONDITIONS_H_
#define CONCORD_CONFORMANCE_DIAGNOSE_CONDITIONS_H_

#include <string>
#include <vector>

#include "conformance/case/case.h"
#include "conformance/record/case_result.h"

namespace concord::conformance {

/// A case and what became of it.
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
/// what a problem has or has not, then its numbers against 1 and one another, then against other
/// numbers. What the data are is told where evaluating all cases takes no more than seconds.
std::vector<Condition> conditions_of(const std::vector<Subject>& cases);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_DIAGNOSE_CONDITIONS_H_
