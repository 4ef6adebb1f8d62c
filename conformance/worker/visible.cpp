// SPDX-License-Identifier: Apache-2.0
#include "conformance/worker/visible.h"

#include <fmt/format.h>

#include <algorithm>

namespace concord::conformance {
namespace {

// How many bytes the UTF-8 character at the beginning of `text` has, and which one it is; 0 bytes
// if it is none.
struct Character {
  std::size_t bytes = 0;
  char32_t code = 0;
};

Character first_of(std::string_view text) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return {1, lead};
  const std::size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < bytes) return {};
  char32_t code = lead & (0xFFU >> (bytes + 1));
  for (std::size_t at = 1; at < bytes; ++at) {
    if ((byte(at) & 0xC0U) != 0x80) return {};
    code = code << 6 | (byte(at) & 0x3FU);
  }
  constexpr char32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < kLeast[bytes] || code > 0x10FFFF || is_surrogate) return {};
  return {bytes, code};
}

// Of Unicode's categories Cc, Cf, Zl and Zp, those that terminals and browsers act on.
bool acts(char32_t code) {
  return code < 0x20 || (code >= 0x7F && code <= 0x9F) || code == 0xAD || code == 0x61C ||
         (code >= 0x200B && code <= 0x200F) || (code >= 0x2028 && code <= 0x202E) ||
         (code >= 0x2060 && code <= 0x206F) || code == 0xFEFF ||
         (code >= 0xFFF9 && code <= 0xFFFB) || (code >= 0xE0000 && code <= 0xE007F);
}

std::string written_out(char32_t code) {
  const auto number = static_cast<std::uint32_t>(code);
  if (code == '\n') return "\\n";
  if (code == '\r') return "\\r";
  if (code == '\t') return "\\t";
  return code < 0x100     ? fmt::format("\\x{:02x}", number)
         : code < 0x10000 ? fmt::format("\\u{:04x}", number)
                          : fmt::format("\\U{:08x}", number);
}

}  // namespace

std::string visible(std::string_view text, Newlines newlines) {
  std::string shown;
  while (!text.empty()) {
    const Character first = first_of(text);
    const bool is_kept_newline = newlines == Newlines::kKept && first.code == '\n';
    if (first.bytes == 0) {
      shown += written_out(static_cast<unsigned char>(text.front()));
    } else if (acts(first.code) && !is_kept_newline) {
      shown += written_out(first.code);
    } else {
      shown += text.substr(0, first.bytes);
    }
    text.remove_prefix(std::max<std::size_t>(1, first.bytes));
  }
  return shown;
}

void make_visible(nlohmann::json& answer) {
  if (auto* text = answer.get_ptr<std::string*>()) *text = visible(*text);
  if (!answer.is_structured()) return;
  for (const auto& [key, value] : answer.items()) {
    auto* plan = key == "text" ? value.get_ptr<std::string*>() : nullptr;
    if (plan != nullptr) {
      *plan = visible(*plan, Newlines::kKept);
    } else {
      make_visible(value);
    }
  }
}

}  // namespace concord::conformance
