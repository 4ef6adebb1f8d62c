// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "conformance/diagnose/features.h"
#include "spec/walk_attributes.h"

namespace concord::conformance {
namespace {

const std::vector<std::string> kEdges{"top", "bottom", "left", "right"};

// What an element of a list is: a spatial axis, an edge, or nothing that has a name.
std::vector<std::string> names_of(const AttributeFacts& facts, std::size_t size) {
  if (facts.each_axis && size <= 3) {
    std::vector<std::string> axes;
    for (const char axis : std::string_view("dhw").substr(3 - size)) axes.emplace_back(1, axis);
    return axes;
  }
  if (size == kEdges.size()) return kEdges;
  std::vector<std::string> numbers;
  for (std::size_t i = 1; i <= size; ++i) numbers.push_back(std::to_string(i));
  return numbers;
}

struct AddAttributes {
  std::span<const std::string_view> known;
  Features& features;

  void operator()(const AttributeFacts& facts, Extent value, Extent) const {
    if (!is_known(facts)) features.add_number(std::string(facts.key), value);
  }
  void operator()(const AttributeFacts& facts, const Extents& values, const Extents&) const {
    if (!is_known(facts)) features.add_axes(facts.key, names_of(facts, values.size()), values);
  }
  template <class Value>
  void operator()(const AttributeFacts& facts, const Value& value, const Value&) const {
    if constexpr (std::is_enum_v<Value>) {
      features.add(!is_known(facts), fmt::format("{} = {}", facts.key, to_string(value)));
    }
  }
  template <class Value>
  void pair(std::string_view, const Value&, const Value&) const {}
  void padding(std::string_view, TfPadding, const std::string&) const {}

 private:
  bool is_known(const AttributeFacts& facts) const {
    return std::find(known.begin(), known.end(), facts.key) != known.end();
  }
};

}  // namespace

void add_attribute_features(const Problem& problem, std::span<const std::string_view> known,
                            Features& features) {
  const AddAttributes add{known, features};
  std::visit([&](const auto& a) { walk_attributes(a, spatial_rank(problem.src), add); },
             problem.attributes);
}

}  // namespace concord::conformance
