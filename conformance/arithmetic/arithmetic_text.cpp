// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/arithmetic/arithmetic.h"
#include "spec/check.h"

namespace concord::conformance {
namespace {

// One field of a class: its key in text, its name in the header, and the words of its values.
struct Field {
  std::string_view key;
  std::string_view member;
  std::int32_t concord_arithmetic::*value;
  std::array<std::string_view, 4> words;  // indexed by value; "" for none
};
constexpr Field kFields[] = {
    {"input",
     "input_precision",
     &concord_arithmetic::input_precision,
     {"exact", "tf32", "bf16", "bf16x3"}},
    {"accumulator", "accumulator", &concord_arithmetic::accumulator, {"f32", "f64", "f16", "bf16"}},
    {"accumulator_rounding",
     "accumulator_rounding",
     &concord_arithmetic::accumulator_rounding,
     {"nearest", "zero", "", "faithful"}},
    {"output_rounding",
     "output_rounding",
     &concord_arithmetic::output_rounding,
     {"nearest", "zero", "nearest_away", ""}},
    {"flush", "flushes_subnormals", &concord_arithmetic::flushes_subnormals, {"no", "yes", "", ""}},
    {"algorithm",
     "algorithm",
     &concord_arithmetic::algorithm,
     {"conventional", "bilinear", "", ""}},
    {"bias", "bias", &concord_arithmetic::bias, {"in_sum", "after_store", "", ""}},
    {"zero_weights",
     "zero_weights",
     &concord_arithmetic::zero_weights,
     {"multiplied", "skipped", "", ""}},
};

constexpr std::string_view kShortWords[][2] = {
    {"tf32", "input=tf32"},
    {"bf16", "input=bf16"},
    {"bf16x3", "input=bf16x3"},
    {"f16-accumulate", "accumulator=f16"},
    {"bf16-accumulate", "accumulator=bf16"},
    {"f64-accumulate", "accumulator=f64"},
    {"flush", "flush=yes"},
    {"bilinear", "algorithm=bilinear"},
};

std::string_view spell_out(std::string_view word) {
  for (const auto& [shorthand, meaning] : kShortWords) {
    if (word == shorthand) return meaning;
  }
  return word;
}

// Empty for a value that the header does not name.
std::string_view word_of(const Field& field, std::int32_t value) {
  if (value < 0 || value >= static_cast<std::int32_t>(field.words.size())) return {};
  return field.words[static_cast<std::size_t>(value)];
}

std::string list_words(const Field& field) {
  std::string text;
  for (const std::string_view word : field.words) {
    if (word.empty()) continue;
    text += (text.empty() ? "" : ", ") + std::string(word);
  }
  return text;
}

Refusal refuse(std::string_view word, const std::string& why) {
  return {Fault::kSyntax, "arithmetic class: '" + std::string(word) + "': " + why};
}

// Sets the field that `word` names. `seen` holds the keys of the words before.
std::optional<Refusal> apply(std::string_view word, concord_arithmetic& arithmetic,
                             std::vector<std::string_view>& seen) {
  const std::string_view assignment = spell_out(word);
  const std::size_t equals = assignment.find('=');
  const std::string_view key = assignment.substr(0, equals);
  for (const Field& field : kFields) {
    if (field.key != key || equals == std::string_view::npos) continue;
    for (const std::string_view other : seen) {
      if (other == key) return refuse(word, std::string(key) + " is given twice");
    }
    seen.push_back(field.key);
    for (std::size_t value = 0; value < field.words.size(); ++value) {
      if (field.words[value].empty()) continue;
      if (field.words[value] != assignment.substr(equals + 1)) continue;
      arithmetic.*field.value = static_cast<std::int32_t>(value);
      return std::nullopt;
    }
    return refuse(word, std::string(key) + " is one of " + list_words(field));
  }
  return refuse(word,
                "unknown; known are strict, input=, accumulator=, accumulator_rounding=, "
                "output_rounding=, flush=, algorithm=, bias=, zero_weights=, tf32, bf16, bf16x3, "
                "f16-accumulate, bf16-accumulate, f64-accumulate, flush, bilinear");
}

}  // namespace

std::optional<std::string> find_unknown(const concord_arithmetic& arithmetic) {
  for (const Field& field : kFields) {
    const std::int32_t value = arithmetic.*field.value;
    if (!word_of(field, value).empty()) continue;
    return "arithmetic." + std::string(field.member) + " is " + std::to_string(value) +
           ", which is none of " + list_words(field);
  }
  for (const std::int32_t value : arithmetic.reserved) {
    if (value != 0) return "arithmetic.reserved is " + std::to_string(value) + ", not 0";
  }
  return std::nullopt;
}

std::string print(const concord_arithmetic& arithmetic) {
  CONCORD_CHECK(!find_unknown(arithmetic)) << *find_unknown(arithmetic);
  std::string text;
  for (const Field& field : kFields) {
    const std::int32_t value = arithmetic.*field.value;
    if (value == 0) continue;
    text += (text.empty() ? "" : ",") + std::string(field.key) + "=";
    text += word_of(field, value);
  }
  return text.empty() ? "strict" : text;
}

Result<concord_arithmetic> parse_arithmetic(std::string_view text) {
  concord_arithmetic arithmetic{};
  if (text == "strict") return arithmetic;
  std::vector<std::string_view> seen;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    if (auto refusal = apply(text.substr(begin, end - begin), arithmetic, seen)) return *refusal;
    begin = end + 1;
  }
  return arithmetic;
}

}  // namespace concord::conformance
