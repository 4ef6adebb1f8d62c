// SPDX-License-Identifier: Apache-2.0
#include "conformance/run/packed_numbers.h"

#include <cstdint>
#include <cstring>
#include <vector>

namespace concord::conformance {
namespace {

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr unsigned kDigitBits = 6, kByteBits = 8;

}  // namespace

std::string packed(std::span<const double> numbers) {
  std::string text;
  std::uint32_t pending = 0;
  unsigned bits = 0;
  for (const std::byte byte : std::as_bytes(numbers)) {
    pending = pending << kByteBits | std::to_integer<std::uint32_t>(byte);
    bits += kByteBits;
    while (bits >= kDigitBits) {
      bits -= kDigitBits;
      text += kDigits[pending >> bits & 63U];
    }
  }
  if (bits > 0) text += kDigits[pending << (kDigitBits - bits) & 63U];
  return text;
}

bool unpack(std::string_view text, std::span<double> numbers) {
  std::vector<std::uint8_t> bytes;
  std::uint32_t pending = 0;
  unsigned bits = 0;
  for (const char digit : text) {
    const std::size_t value = kDigits.find(digit);
    if (value == std::string_view::npos) return false;
    pending = pending << kDigitBits | static_cast<std::uint32_t>(value);
    bits += kDigitBits;
    if (bits < kByteBits) continue;
    bits -= kByteBits;
    bytes.push_back(static_cast<std::uint8_t>(pending >> bits));
  }
  if (bytes.size() != numbers.size_bytes() || bits >= kDigitBits) return false;
  std::memcpy(numbers.data(), bytes.data(), bytes.size());
  return true;
}

}  // namespace concord::conformance
