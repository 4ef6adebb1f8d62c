// SPDX-License-Identifier: Apache-2.0
// Integers in which no size formula can overflow, whatever the 64-bit attributes, and the division
// meant by the documents' floor brackets; C++ truncates towards zero instead.
#ifndef CONCORD_REFERENCE_WIDE_H_
#define CONCORD_REFERENCE_WIDE_H_

#include <cstdint>

namespace concord::reference {

__extension__ typedef __int128 Wide;

/// The largest integer not above a / b. `b` is positive.
constexpr Wide floor_divide(Wide a, Wide b) { return a / b - (a % b < 0 ? 1 : 0); }
/// The smallest integer not below a / b. `b` is positive.
constexpr Wide ceil_divide(Wide a, Wide b) { return -floor_divide(-a, b); }

/// True if `size` is an Extent.
constexpr bool fits(Wide size) { return size >= INT64_MIN && size <= INT64_MAX; }

}  // namespace concord::reference

#endif  // CONCORD_REFERENCE_WIDE_H_
