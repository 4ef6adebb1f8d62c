// SPDX-License-Identifier: Apache-2.0
#include "conformance/command/operations_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "spec/walk_attributes.h"

namespace concord::conformance {
namespace {

std::string number_text(const AttributeFacts& facts, Extent value) {
  if (!facts.is_flag) return std::to_string(value);
  return value == 0 ? "false" : "true";
}

/// Writes one attribute after another.
struct Writer {
  std::vector<std::string> words{};

  void operator()(const AttributeFacts& facts, const Extents&, const Extents& usual) {
    std::vector<std::string> values;
    for (const Extent value : usual) values.push_back(number_text(facts, value));
    if (facts.each_axis) values = {std::to_string(*facts.each_axis) + ".."};
    add(facts.key, values.empty() ? "()" : fmt::format("{}", fmt::join(values, ",")));
  }
  void operator()(const AttributeFacts& facts, Extent, Extent usual) {
    add(facts.key, number_text(facts, usual));
  }
  void operator()(const AttributeFacts& facts, const Rational&, const Rational& usual) {
    add(facts.key, to_string(usual));
  }
  void operator()(const AttributeFacts& facts, const Rationals&, const Rationals& usual) {
    std::vector<std::string> values;
    for (const Rational& value : usual) values.push_back(to_string(value));
    add(facts.key, values.empty() ? "()" : fmt::format("{}", fmt::join(values, ",")));
  }
  template <class Enum>
  void operator()(const AttributeFacts& facts, Enum, Enum usual) {
    std::vector<std::string_view> others;
    for (const std::string_view word : kWords<Enum>) {
      if (word != to_string(usual)) others.push_back(word);
    }
    add(facts.key, fmt::format("{} ({})", to_string(usual), fmt::join(others, ", ")));
  }
  void pair(std::string_view key, const Rational& first, const Rational& second) {
    add(key, to_string(first) + "," + to_string(second));
  }
  void padding(std::string_view key, TfPadding, const std::string&) {
    words.push_back(fmt::format("{} (SAME, VALID)", key));
  }

 private:
  void add(std::string_view key, std::string_view usual) {
    words.push_back(fmt::format("{}={}", key, usual));
  }
};

std::string tensors_of(Operation operation) {
  std::vector<std::string> names;
  for (const Operand& operand : facts_of(operation).operands) {
    names.push_back(
        fmt::format(fmt::runtime(operand.is_optional ? "[{}]" : "{}"), to_string(operand.input)));
  }
  return fmt::format("{}", fmt::join(names, " "));
}

}  // namespace

std::string operations_table() {
  std::string table =
      "| operation | tensors | attributes and their defaults | struct of the C header |\n"
      "|---|---|---|---|\n";
  for (const Operation operation : kOperations) {
    Writer writer;
    const Attributes defaults = default_attributes(operation);
    std::visit([&](const auto& a) { walk_attributes(a, 0, writer); }, defaults);
    table += fmt::format("| `{}` | {} | {} | `{}` |\n", to_string(operation), tensors_of(operation),
                         fmt::join(writer.words, " "), facts_of(operation).type);
  }
  return table;
}

}  // namespace concord::conformance
