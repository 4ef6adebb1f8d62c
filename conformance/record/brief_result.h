// SPDX-License-Identifier: Apache-2.0
// What a result without anything particular comes down to, so that files of hundreds of thousands
// stay small: docs/results.md#brief-results
#ifndef CONCORD_CONFORMANCE_RECORD_BRIEF_RESULT_H_
#define CONCORD_CONFORMANCE_RECORD_BRIEF_RESULT_H_

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "conformance/record/case_result.h"

namespace concord::conformance {

/// True if the case passed or was declined, and nothing but its outcome and its numbers need be
/// told.
bool is_brief(const CaseResult& result);

/// The kernel's name without what follows it: up to the first ": " or ", ".
std::string kernel_name(std::string_view implementation);

/// What many brief results have in common: verdict, tier, reason, class, adapter_part and
/// implementation.
nlohmann::ordered_json outcome_json(const CaseResult& result);

/// The same as text: equal where outcome_json() is.
std::string outcome_key(const CaseResult& result);

/// How many bytes two ids begin with alike, as far as each is an ASCII character.
std::size_t common_beginning(std::string_view one, std::string_view other);
/// The same of how they end.
std::size_t common_ending(std::string_view one, std::string_view other);

/// A number with four significant digits. It stays on its side of `limit`, all its digits if need
/// be.
double shortened(double value, double limit);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_RECORD_BRIEF_RESULT_H_
