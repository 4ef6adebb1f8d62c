// SPDX-License-Identifier: Apache-2.0
// When two results are the same value: a NaN is a NaN, whatever its sign and its payload are, since
// IEEE 754 leaves both to the processor and the compiler.
#ifndef CONCORD_CONFORMANCE_ARITHMETIC_SAME_VALUE_H_
#define CONCORD_CONFORMANCE_ARITHMETIC_SAME_VALUE_H_

#include <algorithm>
#include <cmath>
#include <vector>

namespace concord::conformance {

/// Both are NaN, or they are equal; 0 and -0 are.
inline bool is_same_value(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

/// Both are NaN, or they have the same bits; 0 and -0 do not.
inline bool has_same_bits(double a, double b) {
  return is_same_value(a, b) && (std::isnan(a) || std::signbit(a) == std::signbit(b));
}

inline bool are_same_values(const std::vector<double>& a, const std::vector<double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), is_same_value);
}

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_ARITHMETIC_SAME_VALUE_H_
