// SPDX-License-Identifier: Apache-2.0
// From a row of levels to the problem that it stands for.
#include <algorithm>
#include <charconv>

#include "conformance/catalog/attribute_model.h"
#include "conformance/catalog/attribute_numbers.h"
#include "conformance/catalog/extents.h"
#include "conformance/catalog/memory.h"
#include "reference/discrete.h"
#include "spec/check.h"
#include "spec/walk_attributes.h"

namespace concord::conformance {
namespace {

Attributes attributes_of(const Row& row) {
  const auto operation = level_of(row, Attribute::kOperation);
  if (operation == "AtrousConv2d") return AtrousConv2dAttributes{};
  if (operation == "Convolution1") return Convolution1Attributes{};
  return ConvolutionAttributes{};
}

// The row's level of the factor that is named as the exec protocol names the attribute; empty where
// there is none.
std::string_view level_of(const Row& row, const AttributeFacts& facts) {
  const auto& factors = attribute_factors();
  const auto found = std::find_if(factors.begin(), factors.end(), [&](const Factor& factor) {
    return factor.name == facts.protocol_key;
  });
  if (found == factors.end()) return {};
  return level_of(row, static_cast<Attribute>(found - factors.begin()));
}

// Gives an attribute the level of its name: a word, a number, or a number for every axis. Groups
// that are no number follow from the shape.
struct SetLevel {
  const Row& row;
  std::size_t axes;

  void operator()(const AttributeFacts& facts, Extent& value, Extent) const {
    const std::string_view level = level_of(row, facts);
    std::from_chars(level.data(), level.data() + level.size(), value);
  }
  void operator()(const AttributeFacts& facts, Extents& values, const Extents&) const {
    if (level_of(row, facts).empty()) return;
    Extent value = 0;
    (*this)(facts, value, 0);
    values.assign(axes, value);
  }
  template <class Value>
  void operator()(const AttributeFacts& facts, Value& value, const Value&) const {
    if constexpr (std::is_enum_v<Value>) {
      for (const Value each : kAll<Value>) {
        if (to_string(each) == level_of(row, facts)) value = each;
      }
    }
  }
  void pair(std::string_view, Rational&, Rational&) const {}
  void padding(std::string_view, TfPadding&, std::string&) const {}
};

// The attributes that no single level tells.
struct SetNumbers {
  const AttributeNumbers& n;

  void operator()(AtrousConv2dAttributes& a) const {
    a.rate = n.D[0];
    a.padding = n.auto_pad == AutoPad::kValid ? TfPadding::kValid : TfPadding::kSame;
  }
  // The covering arrays are those of the discrete operations.
  template <class Other>
  void operator()(Other& other) const {
    if constexpr (std::is_base_of_v<SpatialAttributes, Other>) {
      set_numbers(n, other);
    } else {
      CONCORD_CHECK(false) << "no discrete operation";
    }
  }
};

void set_memory(std::string_view memory, bool between_elements, Problem& problem) {
  if (memory == "dense") return;
  const auto geometry = reference::resolve_discrete(problem);
  CONCORD_CHECK(geometry) << print(problem) << ": " << geometry.why().detail;
  const Tensor dst{geometry->dst.dims, {}};
  const auto gaps = between_elements ? with_element_gaps : with_row_gaps;
  const bool all = memory == "all_gaps";
  if (all || memory == "src_gaps") problem.src = gaps(problem.src.dims);
  if (all || memory == "weights_gaps") problem.weights = gaps(problem.weights.dims);
  if (all && problem.bias) problem.bias = with_element_gaps(problem.bias->dims);
  if (all || memory == "dst_gaps") problem.dst = gaps(dst.dims);
  if (memory == "reordered") {
    problem.src = reversed_order(problem.src.dims);
    problem.dst = reversed_order(dst.dims);
  }
}

}  // namespace

Problem problem_of(const Row& row) {
  const AttributeNumbers n = numbers_of(row);
  const Shape shape = shape_of_row(row, n);

  Problem problem;
  problem.dtype = *parse_dtype(level_of(row, Attribute::kDtype));
  if (level_of(row, Attribute::kReading) == "documented") problem.reading = Reading::kDocumented;
  problem.attributes = attributes_of(row);
  const SetLevel levels{row, n.axes()};
  std::visit([&](auto& a) { walk_attributes(a, n.axes(), levels); }, problem.attributes);
  std::visit(SetNumbers{n}, problem.attributes);
  if (level_of(row, Attribute::kBias) == "yes") problem.bias.emplace();
  set_shape(problem, shape);
  // Gaps between elements or between rows, by turns of something that does not matter here.
  set_memory(level_of(row, Attribute::kMemory), shape.ICG % 2 == 0, problem);
  return problem;
}

}  // namespace concord::conformance
