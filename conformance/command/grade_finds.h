// SPDX-License-Identifier: Apache-2.0
// grade: what found each bug.
#ifndef CONCORD_CONFORMANCE_COMMAND_GRADE_FINDS_H_
#define CONCORD_CONFORMANCE_COMMAND_GRADE_FINDS_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/case/case_list.h"
#include "conformance/command/grade_choice.h"
#include "conformance/output/results.h"
#include "conformance/run/runner.h"

namespace concord::conformance {

/// The first failure of a backend, and what it took to come to it.
struct Find {
  std::optional<Case> source{};
  const CaseResult* result = nullptr;
  const Pool* pool = nullptr;    ///< where no case failed: the errors of all of them together
  std::string_view elsewhere{};  ///< where all passed: it could not be loaded, or ended badly
  std::size_t cases = 0;
  double milliseconds = 0;

  bool is_found() const { return source.has_value() || pool != nullptr || !elsewhere.empty(); }
};

Find first_failure(const CaseList& cases, const BackendRun& backend);

/// "FAIL", "CRASH", "HANG" or another verdict; "SURVIVED" if nothing found the bug.
std::string_view verdict_of(const Find& find);
/// The tier that found the bug; "-" if none did.
std::string_view tier_of(const Find& find);
/// The id of the case that found the bug; what else found it; the bug's description if nothing did.
std::string place_of(const Find& find, const PlantedBug& bug);

/// {"scope", "cases", "seconds", "bugs": [{"name", "verdict", "tier", "place", "cases", "declined",
/// "failed"}]}: of each bug, "declined" is how many of the cases tried it declined; "failed" lists
/// the cases that failed, as many as were looked for, and their verdicts.
nlohmann::ordered_json json_of_finds(const std::string& scope, const CaseList& cases,
                                     const std::vector<PlantedBug>& bugs,
                                     const RunOutcome& outcome);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_COMMAND_GRADE_FINDS_H_
