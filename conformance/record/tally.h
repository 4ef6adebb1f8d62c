// SPDX-License-Identifier: Apache-2.0
// Results that are counted and not kept: of a suite with millions of cases.
#ifndef CONCORD_CONFORMANCE_RECORD_TALLY_H_
#define CONCORD_CONFORMANCE_RECORD_TALLY_H_

#include <array>
#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "conformance/case/case.h"
#include "conformance/case/case_list.h"
#include "conformance/record/case_result.h"
#include "conformance/record/sparse.h"

namespace concord::conformance {

/// A passed case counts for an operation, dtype and class only if it would have rejected a result
/// that is off by this factor.
inline constexpr double kResolution = 0.25;

/// True of a passed case that compared values with wanted ones, none of which had to be NaN or
/// infinite.
bool has_judged_values(const CaseResult& result);

/// All that the counted results of one family, operation and dtype had to say.
struct Tally {
  std::string family{};
  Operation operation{};
  Dtype dtype{};
  std::array<std::size_t, std::size(kVerdicts)> by_verdict{};  ///< in the order of kVerdicts
  std::size_t refused = 0;  ///< passed, since they were refused as they had to be
  std::size_t lowered = 0;
  std::size_t elements = 0, wrong = 0;  ///< outputs, but for vacuous cases
  std::size_t sharp = 0;  ///< passed, and a result off by kResolution would have failed
  std::optional<double> resolution{};            ///< the finest of a passed case
  std::map<std::string, std::size_t> classes{};  ///< how many had outputs judged by each
  std::set<std::string> sharp_classes{};         ///< those of the sharp ones
  bool operator==(const Tally&) const = default;

  std::size_t of(Verdict verdict) const { return by_verdict[static_cast<std::size_t>(verdict)]; }
  std::size_t cases() const;
  void add(const CaseResult& result);
  /// Of the same family, operation and dtype.
  void add(const Tally& other);
};

/// Tallies in the order in which their families came.
class Tallies {
 public:
  void add(const Case& source, const CaseResult& result);
  void add(const std::vector<Tally>& others);
  /// The one of these, an empty one if there was none.
  Tally& at(const std::string& family, Operation operation, Dtype dtype);
  const std::vector<Tally>& all() const { return tallies_; }

 private:
  std::vector<Tally> tallies_{};
};

/// What the results of `cases` add up to, by operation and dtype, of all families together.
std::vector<Tally> tallies_of(const CaseList& cases, const Sparse<CaseResult>& results);

/// As an entry of `tallied` in results.json.
nlohmann::ordered_json to_json(const Tally& tally);
/// The inverse.
/// Errors  throws std::exception if `json` is none
Tally tally_from_json(const nlohmann::ordered_json& json);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_RECORD_TALLY_H_
