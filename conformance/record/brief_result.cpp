// SPDX-License-Identifier: Apache-2.0
#include "conformance/record/brief_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "conformance/record/result_json.h"

namespace concord::conformance {

namespace {

template <class Iterator>
std::size_t count_alike(Iterator one, Iterator end, Iterator other, Iterator other_end) {
  std::size_t length = 0;
  for (; one != end && other != other_end && *one == *other; ++one, ++other, ++length) {
    if (static_cast<unsigned char>(*one) >= 0x80) break;
  }
  return length;
}

}  // namespace

bool is_brief(const CaseResult& result) {
  const bool is_plain = result.verdict == Verdict::kPass || result.verdict == Verdict::kDeclined;
  return is_plain && result.wrong == 0 && !result.failure && result.lowered.empty();
}

std::string kernel_name(std::string_view implementation) {
  return std::string(
      implementation.substr(0, std::min(implementation.find(": "), implementation.find(", "))));
}

nlohmann::ordered_json outcome_json(const CaseResult& result) {
  CaseResult brief = result;
  brief.implementation = kernel_name(result.implementation.text());
  const auto whole = to_json(brief);
  nlohmann::ordered_json json;
  for (const char* key : {"verdict", "tier", "reason", "class", "adapter_part", "implementation"}) {
    json[key] = whole[key];
  }
  return json;
}

std::string outcome_key(const CaseResult& result) {
  const std::string kernel = kernel_name(result.implementation.text());
  std::string key;
  for (const std::string_view part :
       {to_string(result.verdict), to_string(result.tier), std::string_view(result.reason),
        std::string_view(result.arithmetic.text()), std::string_view(result.adapter_part.text()),
        std::string_view(kernel)}) {
    key += fmt::format("{} {}", part.size(), part);  // no two lists of texts give the same
  }
  return key;
}

std::size_t common_beginning(std::string_view one, std::string_view other) {
  return count_alike(one.begin(), one.end(), other.begin(), other.end());
}

std::size_t common_ending(std::string_view one, std::string_view other) {
  return count_alike(one.rbegin(), one.rend(), other.rbegin(), other.rend());
}

double shortened(double value, double limit) {
  if (!std::isfinite(value)) return value;
  const double short_one = std::strtod(fmt::format("{:.4g}", value).c_str(), nullptr);
  const bool same_side =
      (value < limit) == (short_one < limit) && (value > limit) == (short_one > limit);
  return same_side ? short_one : value;
}

}  // namespace concord::conformance
