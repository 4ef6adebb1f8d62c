// SPDX-License-Identifier: Apache-2.0
#include "conformance/shrink/c_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "spec/walk_attributes.h"

namespace concord::conformance {
namespace {

std::string c_double(double value) {
  if (std::isnan(value)) return "NAN";
  if (std::isinf(value)) return value > 0 ? "INFINITY" : "-INFINITY";
  return fmt::format("{}", value);  // as many digits as give it back
}

template <class Item>
std::string array(std::string_view type, std::string_view name, const std::vector<Item>& items) {
  std::string text = fmt::format("static const {} {}[] = {{", type, name);
  for (std::size_t i = 0; i < items.size(); ++i) {
    text += fmt::format("{}{}", i == 0 ? "" : i % 8 == 0 ? ",\n  " : ", ", items[i]);
  }
  return text + (items.empty() ? "0};\n" : "};\n");
}

std::string list(std::span<const std::int64_t> values) {
  return fmt::format("{{{}}}", fmt::join(values, ", "));
}

std::string c_value(const concord_list& l) { return fmt::format("{{{}, {}}}", l.size, list(l.at)); }
std::string c_value(const concord_rational& r) {
  return fmt::format("{{{}, {}}}", r.numerator, r.denominator);
}
std::string c_value(const concord_rational_list& l) {
  std::vector<std::string> values;
  for (const concord_rational& r : l.at) values.push_back(c_value(r));
  return fmt::format("{{{}, {{{}}}}}", l.size, fmt::join(values, ", "));
}
std::string c_value(std::int64_t number) { return fmt::format("{}", number); }

template <class Base, class Value, class C, class Field>
std::string c_fields(const C& from, const Attribute<Base, Value, C, Field>& attribute) {
  return fmt::format("  .{} = {},\n", attribute.facts.field, c_value(from.*attribute.field));
}
template <class Base, class C>
std::string c_fields(const C& from, const RationalPair<Base, C>& pair) {
  return fmt::format("  .{} = {},\n  .{} = {},\n", pair.first_name, c_value(from.*pair.first_field),
                     pair.second_name, c_value(from.*pair.second_field));
}
template <class Base, class C>
std::string c_fields(const C& from, const PaddingText<Base, C>& text) {
  return fmt::format("  .{} = {}, /* 1 SAME, 0 VALID, 2 neither */\n", text.name, from.*text.field);
}

}  // namespace

std::string c_string(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    // Three octal digits: no digit that follows can become part of them. ? could begin a trigraph.
    const bool plain = byte >= 0x20 && byte < 0x7F && c != '"' && c != '\\' && c != '?';
    quoted += plain ? std::string(1, c) : fmt::format("\\{:03o}", byte);
  }
  return quoted + "\"";
}

std::string c_words(std::string_view name, std::span<const std::byte> bytes,
                    std::size_t element_bytes) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i + element_bytes <= bytes.size(); i += element_bytes) {
    std::uint64_t word = 0;  // elements are little-endian
    std::memcpy(&word, &bytes[i], element_bytes);
    words.push_back(fmt::format("0x{:0{}x}", word, 2 * element_bytes));
  }
  return array(fmt::format("uint{}_t", 8 * element_bytes), name, words);
}

std::string c_doubles(std::string_view name, std::span<const double> values) {
  std::vector<std::string> texts;
  for (const double value : values) texts.push_back(c_double(value));
  return array("double", name, texts);
}

std::string c_tensors(std::string_view name, std::span<const concord_tensor> tensors) {
  std::string text =
      fmt::format("static const concord_tensor {}[] = {{ /* dtype, rank, dims, strides */\n", name);
  for (const concord_tensor& t : tensors) {
    text += fmt::format("  {{{}, {}, {}, {}}},\n", t.dtype, t.rank, list(t.dims), list(t.strides));
  }
  return text + "};\n";
}

std::string c_attributes(const concord_problem& problem) {
  const auto operation = static_cast<Operation>(problem.operation - 1);
  return std::visit(
      [&]<class A>(const A&) {
        const auto& row = kRowOf<A>;
        using Struct = typename std::decay_t<decltype(row)>::Struct;
        std::string text = fmt::format(
            "typedef {0} attributes_type;\n"
            "static const attributes_type attributes = {{\n  .struct_size = sizeof({0}),\n",
            row.facts.type);
        for_each_attribute<A>([&](const auto& attribute) {
          text += c_fields(*static_cast<const Struct*>(problem.attributes), attribute);
        });
        return text + "};\n";
      },
      default_attributes(operation));
}

}  // namespace concord::conformance
