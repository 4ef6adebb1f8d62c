// SPDX-License-Identifier: Apache-2.0
// The digest that a results.json carries of itself: a file that was changed after it was written is
// refused by whatever reads it (reports/concord_report/digest.py). And the digest of its cases.
#ifndef CONCORD_CONFORMANCE_OUTPUT_DIGEST_H_
#define CONCORD_CONFORMANCE_OUTPUT_DIGEST_H_

#include <nlohmann/json.hpp>
#include <string>

#include "conformance/case/case_list.h"

namespace concord::conformance {

/// The SHA-256 of each part of results: {"concord", "run", "cases", "backends": [one of each]}. A
/// part's text is that of the file without the white space outside its strings.
nlohmann::ordered_json digest_of(const nlohmann::ordered_json& results);

/// What a case is in the digest of many: its id, a tab, its problem and a new line.
std::string digested_line(const Case& source);
/// Of the cases' lines, sorted: concord list --suite NAME | cut -f1,2 | LC_ALL=C sort | sha256sum
std::string sha256_of_cases(const CaseList& cases);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_OUTPUT_DIGEST_H_
