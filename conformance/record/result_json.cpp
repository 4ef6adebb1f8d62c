// SPDX-License-Identifier: Apache-2.0
#include "conformance/record/result_json.h"

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "conformance/record/json_integer.h"

namespace concord::conformance {
namespace {

using Json = nlohmann::ordered_json;

// The enumerator that `text` names; throws like any other misfit of the JSON.
template <class Enum, class All>
Enum named(const Json& json, const All& all, Enum null_value) {
  if (json.is_null()) return null_value;
  for (const Enum each : all) {
    if (json.get<std::string>() == to_string(each)) return each;
  }
  throw std::invalid_argument(json.dump());
}

TensorErrors errors_from(const Json& json) {
  const auto number = [&](const char* key) { return number_from(json.at(key)); };
  return {integer_from<Extent>(json.at("products"), "products"),
          {number("elements"), number("squares"), number("by_scale"), number("biased"),
           number("drift"), number("growth"), number("channels"), number("channel_squares"),
           number("growth_squares"), number("shared")}};
}

Json where_json(const WrongMap& map) {
  return {{"dims", map.dims},
          {"counts", map.counts},
          {"axes", map.axes},
          {"borders", map.borders},
          {"picture", map.picture}};
}

WrongMap where_from(const Json& json) {
  WrongMap map;
  read_integers(json.at("dims"), "dims", map.dims);
  read_integers(json.at("counts"), "counts", map.counts);
  read_integers(json.at("axes"), "axes", map.axes);
  read_integers(json.at("borders"), "borders", map.borders);
  json.at("picture").get_to(map.picture);
  return map;
}

}  // namespace

Json number_json(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

double number_from(const Json& json) {
  if (json.is_number()) return json.get<double>();
  const auto text = json.get<std::string>();
  if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (text == "inf") return std::numeric_limits<double>::infinity();
  if (text == "-inf") return -std::numeric_limits<double>::infinity();
  throw std::invalid_argument(text);
}

Json sums_json(const ErrorSums& sums) {
  return {{"elements", number_json(sums.elements)},
          {"squares", number_json(sums.squares)},
          {"by_scale", number_json(sums.by_scale)},
          {"biased", number_json(sums.biased)},
          {"drift", number_json(sums.drift)},
          {"growth", number_json(sums.growth)},
          {"channels", number_json(sums.channels)},
          {"channel_squares", number_json(sums.channel_squares)},
          {"growth_squares", number_json(sums.growth_squares)},
          {"shared", number_json(sums.shared)}};
}

Json to_json(const CaseResult& result) {
  Json json;
  json["verdict"] = to_string(result.verdict);
  json["tier"] = result.tier == Tier::kNone ? Json(nullptr) : Json(to_string(result.tier));
  json["reason"] = result.reason;
  json["class"] = result.arithmetic.empty() ? Json(nullptr) : Json(result.arithmetic.text());
  json["lowered"] = result.lowered.empty() ? Json(nullptr) : Json(result.lowered);
  json["adapter_part"] = result.adapter_part.text();
  json["implementation"] = result.implementation.text();
  json["elements"] = result.elements;
  json["wrong"] = result.wrong;
  json["margin"] = result.margin ? number_json(*result.margin) : Json(nullptr);
  json["resolution"] = result.resolution ? Json(*result.resolution) : Json(nullptr);
  json["failure"] = nullptr;
  if (result.failure) {
    json["failure"] = {{"element", result.failure->element},
                       {"got", number_json(result.failure->got)},
                       {"want", number_json(result.failure->want)},
                       {"allowed", number_json(result.failure->allowed)},
                       {"lowest", number_json(result.failure->lowest)},
                       {"highest", number_json(result.failure->highest)},
                       {"accepted", result.failure->accepted},
                       {"where", where_json(result.failure->where)}};
  }
  json["errors"] = nullptr;
  if (result.errors) {
    json["errors"] = {{"products", result.errors->products}};
    json["errors"].update(sums_json(result.errors->sums));
  }
  json["milliseconds"] = result.milliseconds;
  return json;
}

std::optional<CaseResult> result_from_json(const Json& json) {
  try {
    CaseResult result;
    result.verdict = named(json.at("verdict"), kVerdicts, Verdict::kHarnessError);
    result.tier = named(json.at("tier"), kTiers, Tier::kNone);
    json.at("reason").get_to(result.reason);
    if (!json.at("class").is_null()) result.arithmetic = json["class"].get<std::string>();
    if (!json.at("lowered").is_null()) json.at("lowered").get_to(result.lowered);
    result.adapter_part = json.at("adapter_part").get<std::string>();
    result.implementation = json.at("implementation").get<std::string>();
    result.elements = integer_from<std::size_t>(json.at("elements"), "elements");
    result.wrong = integer_from<std::size_t>(json.at("wrong"), "wrong");
    if (!json.at("margin").is_null()) result.margin = number_from(json.at("margin"));
    if (!json.at("resolution").is_null()) result.resolution = json.at("resolution").get<double>();
    if (const Json& failure = json.at("failure"); !failure.is_null()) {
      Extents element;
      read_integers(failure.at("element"), "element", element);
      const auto value = [&](const char* key) { return number_from(failure.at(key)); };
      result.failure = Failure{std::move(element),
                               value("got"),
                               value("want"),
                               value("allowed"),
                               value("lowest"),
                               value("highest"),
                               failure.at("accepted").get<std::string>(),
                               where_from(failure.at("where"))};
    }
    if (const Json& errors = json.at("errors"); !errors.is_null()) {
      result.errors = errors_from(errors);
    }
    json.at("milliseconds").get_to(result.milliseconds);
    return result;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

}  // namespace concord::conformance
