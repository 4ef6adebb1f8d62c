// SPDX-License-Identifier: Apache-2.0
#include "plugin_codec/problem_json.h"

#include <nlohmann/json.hpp>

#include "spec/walk_attributes.h"

namespace concord {
namespace {

using Json = nlohmann::json;

Json tensor_object(const Tensor& tensor) {
  return {{"dims", tensor.dims}, {"strides", strides_of(tensor)}};
}

// Where tensors differ, "mixed" stands for the problem's dtype, so that a program which has never
// heard of that declines, and each tensor says its own.
Json dtype_of_all(const Problem& problem, Json& inputs, Json& output) {
  if (!problem.other_dtypes.any()) return to_string(problem.dtype);
  std::size_t place = 0;
  for (const Input input : kInputs) {
    if (input_of(problem, input) == nullptr) continue;
    inputs[place++]["dtype"] = to_string(dtype_of(problem, input));
  }
  output["dtype"] = to_string(dtype_of_dst(problem));
  return "mixed";
}

Json json_of(Extent value) { return value; }
Json json_of(const Extents& values) { return values; }
Json json_of(const Rational& value) { return to_string(value); }
Json json_of(const Rationals& values) {
  Json texts = Json::array();
  for (const Rational& value : values) texts.push_back(to_string(value));
  return texts;
}
template <class Enum>
Json json_of(Enum value) {
  return to_string(value);
}

/// Puts one attribute after another into an object. Flags are numbers there.
struct Writer {
  Json object = Json::object();

  template <class Value>
  void operator()(const AttributeFacts& facts, const Value& value, const Value&) {
    object[facts.protocol_key] = json_of(value);
  }
  void pair(std::string_view key, const Rational& first, const Rational& second) {
    object[key] = {to_string(first), to_string(second)};
  }
  void padding(std::string_view key, TfPadding padding, const std::string& other) {
    object[key] = padding == TfPadding::kOther ? other : std::string(to_string(padding));
  }
};

}  // namespace

Json problem_object(const Problem& problem) {
  Json inputs = Json::array();
  for (const Input input : kInputs) {
    const Tensor* tensor = input_of(problem, input);
    if (tensor != nullptr) inputs.push_back(tensor_object(*tensor));
  }
  Json output = problem.dst ? tensor_object(*problem.dst) : Json(nullptr);
  const Json dtype = dtype_of_all(problem, inputs, output);
  Writer attributes;
  std::visit([&](const auto& a) { walk_attributes(a, spatial_rank(problem.src), attributes); },
             problem.attributes);
  return {{"text", print(problem)},
          {"operation", to_string(problem.operation())},
          {"dtype", dtype},
          {"reading", to_string(problem.reading)},
          {"inputs", inputs},
          {"outputs", Json::array({output})},
          {"attributes", std::move(attributes.object)}};
}

}  // namespace concord
