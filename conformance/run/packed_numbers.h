// SPDX-License-Identifier: Apache-2.0
// Doubles as short text that gives back the same bits: the journal's sums of errors.
#ifndef CONCORD_CONFORMANCE_RUN_PACKED_NUMBERS_H_
#define CONCORD_CONFORMANCE_RUN_PACKED_NUMBERS_H_

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace concord::conformance {

/// The bytes of the numbers in this machine's order, in base64 without padding (RFC 4648).
std::string packed(std::span<const double> numbers);

/// The inverse into `numbers`; false if `text` is not what so many numbers give.
bool unpack(std::string_view text, std::span<double> numbers);

template <std::size_t count>
std::optional<std::array<double, count>> unpacked(std::string_view text) {
  std::array<double, count> numbers{};
  if (!unpack(text, numbers)) return std::nullopt;
  return numbers;
}

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_RUN_PACKED_NUMBERS_H_
