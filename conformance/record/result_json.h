// SPDX-License-Identifier: Apache-2.0
// One case's result as JSON: the form of a result that is told in full.
#ifndef CONCORD_CONFORMANCE_RECORD_RESULT_JSON_H_
#define CONCORD_CONFORMANCE_RECORD_RESULT_JSON_H_

#include <nlohmann/json.hpp>
#include <optional>

#include "conformance/record/case_result.h"

namespace concord::conformance {

/// A number of results.json. NaN and infinities, which JSON does not have, are the strings "nan",
/// "inf" and "-inf".
nlohmann::ordered_json number_json(double value);

/// The inverse.
/// Errors  throws std::exception if `json` is neither a number nor one of the words
double number_from(const nlohmann::ordered_json& json);

/// The sums of the statistical tier.
nlohmann::ordered_json sums_json(const ErrorSums& sums);

/// The fields of a result, as docs/results.schema.json names them.
nlohmann::ordered_json to_json(const CaseResult& result);

/// The inverse; nothing if a field is missing or of another kind.
std::optional<CaseResult> result_from_json(const nlohmann::ordered_json& json);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_RECORD_RESULT_JSON_H_
