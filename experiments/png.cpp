// SPDX-License-Identifier: Apache-2.0
// PNG (ISO/IEC 15948) with a palette of 256 colours and stored deflate blocks (RFC 1950, 1951).
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "experiments/picture.h"

namespace concord::experiments {
namespace {

void append_u32(std::string& to, std::uint32_t value) {
  for (const int shift : {24, 16, 8, 0}) to.push_back(static_cast<char>(value >> shift));
}

std::uint32_t crc_of(const std::string& bytes) {
  std::uint32_t crc = ~0U;
  for (const char byte : bytes) {
    crc ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1U) ^ ((crc & 1U) != 0 ? 0xEDB88320U : 0U);
  }
  return ~crc;
}

std::uint32_t adler_of(const std::string& bytes) {
  std::uint32_t a = 1, b = 0;
  for (const char byte : bytes) {
    a = (a + static_cast<unsigned char>(byte)) % 65521;
    b = (b + a) % 65521;
  }
  return b << 16U | a;
}

std::string chunk(const std::string& type, const std::string& data) {
  std::string result;
  append_u32(result, static_cast<std::uint32_t>(data.size()));
  result += type + data;
  append_u32(result, crc_of(type + data));
  return result;
}

std::string stored(const std::string& bytes) {
  constexpr std::size_t kMost = 65535;
  std::string result = "\x78\x01";
  for (std::size_t at = 0; at < bytes.size(); at += kMost) {
    const std::size_t size = std::min(kMost, bytes.size() - at);
    result.push_back(at + size == bytes.size() ? '\1' : '\0');
    for (const std::size_t word : {size, ~size}) {
      result.push_back(static_cast<char>(word & 0xFFU));
      result.push_back(static_cast<char>(word >> 8U & 0xFFU));
    }
    result += bytes.substr(at, size);
  }
  append_u32(result, adler_of(bytes));
  return result;
}

std::string palette(Colours colours) {
  std::string result;
  for (int i = 0; i < 256; ++i) {
    int red = i, green = i, blue = i;
    if (colours == Colours::kDiverging) {
      const int away = std::min(255, std::abs(2 * i - 255));  // from white
      red = i < 128 ? 255 - away : 255;
      green = 255 - away;
      blue = i < 128 ? 255 : 255 - away;
    }
    for (const int part : {red, green, blue}) result.push_back(static_cast<char>(part));
  }
  return result;
}

}  // namespace

std::string png(const Image& image, const Shades& shades) {
  std::string header;
  append_u32(header, static_cast<std::uint32_t>(image.columns));
  append_u32(header, static_cast<std::uint32_t>(image.rows));
  header += std::string("\x08\x03\x00\x00\x00", 5);  // 8 bits, a palette
  std::string rows;
  const double range = shades.high > shades.low ? shades.high - shades.low : 1;
  for (Extent row = 0; row < image.rows; ++row) {
    rows.push_back('\0');  // no filter
    for (Extent column = 0; column < image.columns; ++column) {
      const double part = (image(row, column) - shades.low) / range;
      rows.push_back(static_cast<char>(std::lround(255 * std::clamp(part, 0.0, 1.0))));
    }
  }
  return "\x89PNG\r\n\x1A\n" + chunk("IHDR", header) + chunk("PLTE", palette(shades.colours)) +
         chunk("IDAT", stored(rows)) + chunk("IEND", "");
}

}  // namespace concord::experiments
