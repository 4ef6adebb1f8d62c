// SPDX-License-Identifier: Apache-2.0
// What is kept of a batch of cases: the results of some, one by one, and tallies of all others.
#ifndef CONCORD_CONFORMANCE_RUN_BATCH_RECORD_H_
#define CONCORD_CONFORMANCE_RUN_BATCH_RECORD_H_

#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "conformance/run/runner.h"

namespace concord::conformance {

/// Of one backend.
struct BackendBatch {
  std::string error{}, abandoned{}, misconduct{};
  std::vector<Tally> tallies{};
  std::size_t unlisted_not_run = 0;
  std::vector<std::optional<CaseResult>> results{};    ///< of each listed case
  std::vector<std::optional<std::size_t>> previous{};  ///< places among the listed
};

struct BatchRecord {
  std::size_t number = 0, cases = 0;
  std::vector<std::string> names{};   ///< of the backends, as the user wrote them
  std::vector<std::size_t> listed{};  ///< places in the batch, in order
  std::vector<BackendBatch> backends{};
};

/// Chooses the cases of a batch that are listed: of each backend the failures, up to kMostFailures
/// a family, and what its process ran before the first one of a kind; and every kSample-th case,
/// with which failures are compared.
class Listing {
 public:
  static constexpr std::size_t kMostFailures = 1000, kSample = 500;

  /// At most so many cases before a failure are listed with it.
  explicit Listing(std::size_t predecessors) : predecessors_(predecessors) {}

  /// Places in `cases`, in order; counts the failures.
  std::vector<std::size_t> choose(const CaseList& cases, const RunOutcome& outcome);
  /// Counts those of an earlier run.
  void count(const CaseList& listed, const BatchRecord& record);

 private:
  bool takes_failure(const std::string& backend, const Case& source);
  void take_failures(const CaseList& cases, const BackendRun& backend,
                     std::set<std::size_t>& places);

  std::size_t predecessors_;
  std::map<std::pair<std::string, std::string>, std::size_t> failures_{};  ///< by backend, family
  std::set<std::tuple<std::string, Verdict, Tier>> kinds_{};
};

/// Of a batch that was run.
BatchRecord record_of(std::size_t number, const CaseList& cases, const RunOutcome& outcome,
                      std::vector<std::size_t> listed);

nlohmann::ordered_json to_json(const BatchRecord& record);
/// The inverse.
/// Errors  throws std::exception if `json` is none
BatchRecord batch_record_from_json(const nlohmann::ordered_json& json);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_RUN_BATCH_RECORD_H_
