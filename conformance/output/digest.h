// SPDX-License-Identifier: Apache-2.0
// The digest that a results.json carries of itself: a file that was changed after it was written is
// refused by whatever reads it (reports/concord_report/digest.py).
#ifndef CONCORD_CONFORMANCE_OUTPUT_DIGEST_H_
#define CONCORD_CONFORMANCE_OUTPUT_DIGEST_H_

#include <nlohmann/json.hpp>

namespace concord::conformance {

/// The SHA-256 of each part of results: {"concord", "run", "cases", "backends": [one of each]}. A
/// part's text is that of the file without the white space outside its strings.
nlohmann::ordered_json digest_of(const nlohmann::ordered_json& results);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_OUTPUT_DIGEST_H_
