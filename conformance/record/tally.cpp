// SPDX-License-Identifier: Apache-2.0
#include "conformance/record/tally.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "conformance/record/json_integer.h"
#include "conformance/record/result_json.h"

namespace concord::conformance {
namespace {

using Json = nlohmann::ordered_json;

template <class Enum, class All>
Enum named(const Json& json, const All& all) {
  for (const Enum each : all) {
    if (json.get<std::string>() == to_string(each)) return each;
  }
  throw std::invalid_argument(json.dump());
}

}  // namespace

bool has_judged_values(const CaseResult& result) {
  return result.verdict == Verdict::kPass && result.elements > 0 && is_of_values(result.tier) &&
         result.tier != Tier::kSpecial;
}

std::size_t Tally::cases() const {
  return std::accumulate(by_verdict.begin(), by_verdict.end(), std::size_t{0});
}

void Tally::add(const CaseResult& result) {
  ++by_verdict[static_cast<std::size_t>(result.verdict)];
  if (result.verdict == Verdict::kPass && result.tier == Tier::kStatus) ++refused;
  if (!result.lowered.empty()) ++lowered;
  if (result.verdict != Verdict::kVacuous) {
    elements += result.elements;
    wrong += result.wrong;
  }
  if (result.elements > 0 && !result.arithmetic.empty()) ++classes[result.arithmetic];
  if (!has_judged_values(result) || !result.resolution) return;
  if (*result.resolution <= kResolution) {
    ++sharp;
    sharp_classes.insert(result.arithmetic);
  }
  resolution = std::min(resolution.value_or(*result.resolution), *result.resolution);
}

void Tally::add(const Tally& other) {
  for (std::size_t i = 0; i < by_verdict.size(); ++i) by_verdict[i] += other.by_verdict[i];
  refused += other.refused;
  lowered += other.lowered;
  elements += other.elements;
  wrong += other.wrong;
  sharp += other.sharp;
  if (other.resolution) {
    resolution = std::min(resolution.value_or(*other.resolution), *other.resolution);
  }
  for (const auto& [arithmetic, count] : other.classes) classes[arithmetic] += count;
  sharp_classes.insert(other.sharp_classes.begin(), other.sharp_classes.end());
}

Tally& Tallies::at(const std::string& family, Operation operation, Dtype dtype) {
  const auto found = std::find_if(tallies_.begin(), tallies_.end(), [&](const Tally& tally) {
    return tally.operation == operation && tally.dtype == dtype && tally.family == family;
  });
  if (found != tallies_.end()) return *found;
  return tallies_.emplace_back(Tally{.family = family, .operation = operation, .dtype = dtype});
}

void Tallies::add(const Case& source, const CaseResult& result) {
  at(source.id.substr(0, source.id.find('/')), source.problem.operation(), source.problem.dtype)
      .add(result);
}

void Tallies::add(const std::vector<Tally>& others) {
  for (const Tally& other : others) at(other.family, other.operation, other.dtype).add(other);
}

std::vector<Tally> tallies_of(const CaseList& cases, const Sparse<CaseResult>& results) {
  Tallies tallies;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const auto& result = results[i];
    if (!result) continue;
    const Problem& problem = cases[i].problem;
    tallies.at({}, problem.operation(), problem.dtype).add(*result);
  }
  return tallies.all();
}

Json to_json(const Tally& tally) {
  Json counts;
  for (const Verdict verdict : kVerdicts) {
    counts[std::string(to_string(verdict))] = tally.of(verdict);
  }
  return {{"family", tally.family},
          {"operation", to_string(tally.operation)},
          {"dtype", to_string(tally.dtype)},
          {"counts", counts},
          {"refused", tally.refused},
          {"lowered", tally.lowered},
          {"elements", tally.elements},
          {"wrong", tally.wrong},
          {"sharp", tally.sharp},
          {"resolution", tally.resolution ? number_json(*tally.resolution) : Json(nullptr)},
          {"classes", Json(tally.classes.empty() ? Json::object() : Json(tally.classes))},
          {"sharp_classes", tally.sharp_classes}};
}

Tally tally_from_json(const Json& json) {
  const auto number = [](const Json& from, const char* key) {
    return integer_from<std::size_t>(from.at(key), key);
  };
  Tally tally;
  json.at("family").get_to(tally.family);
  tally.operation = named<Operation>(json.at("operation"), kOperations);
  tally.dtype = named<Dtype>(json.at("dtype"), kDtypes);
  for (const Verdict verdict : kVerdicts) {
    tally.by_verdict[static_cast<std::size_t>(verdict)] =
        number(json.at("counts"), std::string(to_string(verdict)).c_str());
  }
  tally.refused = number(json, "refused");
  tally.lowered = number(json, "lowered");
  tally.elements = number(json, "elements");
  tally.wrong = number(json, "wrong");
  tally.sharp = number(json, "sharp");
  if (!json.at("resolution").is_null()) tally.resolution = number_from(json["resolution"]);
  for (const auto& [arithmetic, count] : json.at("classes").items()) {
    tally.classes[arithmetic] = integer_from<std::size_t>(count, "classes");
  }
  json.at("sharp_classes").get_to(tally.sharp_classes);
  return tally;
}

}  // namespace concord::conformance
