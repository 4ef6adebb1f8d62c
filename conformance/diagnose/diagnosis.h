// SPDX-License-Identifier: Apache-2.0
// What failures have in common: the simplest rule over a problem's attributes that tells the cases
// that fail from those that pass.
#ifndef CONCORD_CONFORMANCE_DIAGNOSE_DIAGNOSIS_H_
#define CONCORD_CONFORMANCE_DIAGNOSE_DIAGNOSIS_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "conformance/case.h"
#include "conformance/run/case_result.h"

namespace concord::conformance {

/// A rule and how it fits: it covers the judged cases of which all conditions are true.
struct Diagnosis {
  std::string sentence{};                 ///< what to_string() says
  std::vector<std::string> conditions{};  ///< "groups > 1"; none for a rule that covers everything
  std::size_t covered = 0, covered_failed = 0;
  std::size_t others = 0, others_failed = 0;  ///< judged cases that it does not cover
  /// True if what it covers fails and nothing else does.
  bool is_exact() const { return covered == covered_failed && others_failed == 0; }
};

/// "fails whenever groups > 1 and dilation_h != dilation_w: 41 of 41; never otherwise: 0 of 5,210".
std::string to_string(const Diagnosis& diagnosis);

/// The rule of at most three conditions that fits best: an exact one, else the one that is wrong
/// about the fewest cases; of several that fit alike the one with the fewest and plainest
/// conditions. Nothing for fewer than three failures, or if no rule is wrong about less than half
/// of them.
/// Shapes  a result a case; those that neither passed nor failed count for nothing
std::optional<Diagnosis> diagnose(const std::vector<Case>& cases,
                                  const std::vector<std::optional<CaseResult>>& results);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_DIAGNOSE_DIAGNOSIS_H_
