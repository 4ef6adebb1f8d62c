// SPDX-License-Identifier: Apache-2.0
// The conditions that rules are made of.
#ifndef CONCORD_CONFORMANCE_DIAGNOSE_CONDITIONS_H_
#define CONCORD_CONFORMANCE_DIAGNOSE_CONDITIONS_H_

#include <string>
#include <vector>

#include "conformance/case.h"

namespace concord::conformance {

/// A condition and of which cases it is true.
struct Condition {
  std::string text{};
  std::vector<bool> holds{};
};

/// Conditions that are true of some of `cases` and not of all, each of others, the plainest first:
/// what a problem has or has not, then its numbers against 1 and one another, then against other
/// numbers.
std::vector<Condition> conditions_of(const std::vector<const Case*>& cases);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_DIAGNOSE_CONDITIONS_H_
