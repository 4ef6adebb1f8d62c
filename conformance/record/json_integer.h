// SPDX-License-Identifier: Apache-2.0
// Integers from untrusted JSON: a number that does not fit is refused, not truncated.
#ifndef CONCORD_CONFORMANCE_RECORD_JSON_INTEGER_H_
#define CONCORD_CONFORMANCE_RECORD_JSON_INTEGER_H_

#include <cstdint>
#include <string>
#include <utility>

namespace concord::conformance {

/// Reads an integer. `name` is whose value it is.
/// Errors  throws Json::type_error if `json` is not an integer, or does not fit Integer
template <class Integer, class Json>
Integer integer_from(const Json& json, const std::string& name) {
  if (json.is_number_unsigned()) {
    const auto value = json.template get<std::uint64_t>();
    if (std::in_range<Integer>(value)) return static_cast<Integer>(value);
  } else if (json.is_number_integer()) {
    const auto value = json.template get<std::int64_t>();
    if (std::in_range<Integer>(value)) return static_cast<Integer>(value);
  }
  const std::string what = name + " must be an integer of " + std::to_string(8 * sizeof(Integer)) +
                           " bits, but is " + json.dump();
  throw Json::type_error::create(302, what, &json);
}

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_RECORD_JSON_INTEGER_H_
