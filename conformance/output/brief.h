// SPDX-License-Identifier: Apache-2.0
// The tables of results.json that hold what is not worth an object of its own:
// docs/results.md#brief-results
#ifndef CONCORD_CONFORMANCE_OUTPUT_BRIEF_H_
#define CONCORD_CONFORMANCE_OUTPUT_BRIEF_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "conformance/case/case_list.h"
#include "conformance/run/runner.h"

namespace concord::conformance {

/// `cases` of results.json: the cases that have a result, each problem described once for all
/// backends.
class CaseTable {
 public:
  /// Leaves out cases whose id or seed does not follow from the name, as those of golden vectors.
  CaseTable(const CaseList& cases, const RunOutcome& outcome, std::uint64_t seed);

  /// The number of cases[index] in the table, if it has one.
  std::optional<std::size_t> number(std::size_t index) const { return numbers_[index]; }
  /// The table itself, once.
  nlohmann::ordered_json take_json() { return std::move(json_); }

 private:
  nlohmann::ordered_json json_;
  std::vector<std::optional<std::size_t>> numbers_;
};

/// True if the result of cases[index] goes into the table of brief results.
bool is_in_brief(const CaseTable& table, const BackendRun& backend, std::size_t index);

/// `backends[].brief`: the backend's results without anything particular.
nlohmann::ordered_json brief_json(const CaseTable& table, const BackendRun& backend);

/// The document as text: an object's fields and an array's objects and arrays on lines of their
/// own, an array of numbers or words on one.
std::string printed(const nlohmann::ordered_json& document);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_OUTPUT_BRIEF_H_
