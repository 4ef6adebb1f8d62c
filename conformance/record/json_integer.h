// SPDX-License-Identifier: Apache-2.0
// Integers from untrusted JSON: a number that does not fit is refused, not truncated.
#ifndef CONCORD_CONFORMANCE_RECORD_JSON_INTEGER_H_
#define CONCORD_CONFORMANCE_RECORD_JSON_INTEGER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
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

/// Reads integers in vectors and arrays, as deep as those are nested, in the same way.
/// Errors  throws Json::exception, too, if there is no list, or too short a one for an array
template <class Values, class Json>
void read_integers(const Json& json, const std::string& name, Values& values) {
  if constexpr (std::is_integral_v<Values>) {
    values = integer_from<Values>(json, name);
  } else {
    if (!json.is_array()) {
      throw Json::type_error::create(302, name + " must be a list, but is " + json.dump(), &json);
    }
    if constexpr (requires { values.resize(json.size()); }) values.resize(json.size());
    for (std::size_t i = 0; i < values.size(); ++i) read_integers(json.at(i), name, values[i]);
  }
}

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_RECORD_JSON_INTEGER_H_
