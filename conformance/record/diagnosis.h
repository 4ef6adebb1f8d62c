// SPDX-License-Identifier: Apache-2.0
// What failures have in common: the simplest rule over a problem's attributes that separates
// failing from passing cases.
#ifndef CONCORD_CONFORMANCE_RECORD_DIAGNOSIS_H_
#define CONCORD_CONFORMANCE_RECORD_DIAGNOSIS_H_

#include <cstddef>
#include <string>
#include <vector>

namespace concord::conformance {

/// A rule and how it fits: it covers the judged cases of which all conditions are true.
struct Diagnosis {
  std::string sentence{};                 ///< what to_string() says
  std::vector<std::string> conditions{};  ///< "groups > 1"; none for a rule that covers everything
  std::size_t covered = 0, covered_failed = 0;
  std::size_t others = 0, others_failed = 0;  ///< judged cases that it does not cover
  bool refusals_left_out = false;  ///< invalid problems were judged, and it is not about them
  /// True if what it covers fails and nothing else does.
  bool is_exact() const { return covered == covered_failed && others_failed == 0; }
};

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_RECORD_DIAGNOSIS_H_
