// SPDX-License-Identifier: Apache-2.0
#include "conformance/output/service.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>

#include "conformance/output/summary.h"
#include "conformance/record/grouped.h"

namespace concord::conformance {
namespace {

constexpr std::size_t kNamedOperations = 3;  // more of them are counted

using Names = std::vector<std::string>;

ServicePart part_of(const Tally& tally) {
  ServicePart part{.operation = tally.operation,
                   .dtype = tally.dtype,
                   .judged = tally.of(Verdict::kPass) - tally.refused,
                   .vacuous = tally.of(Verdict::kVacuous),
                   .declined = tally.of(Verdict::kDeclined),
                   .sharp = tally.sharp,
                   .resolution = tally.resolution,
                   .sharp_classes = tally.sharp_classes};
  for (const Verdict verdict : kVerdicts) {
    if (is_failure(verdict)) part.judged += tally.of(verdict);
  }
  for (const auto& [arithmetic, count] : tally.classes) part.classes.insert(arithmetic);
  return part;
}

std::string operations_text(const Names& operations) {
  if (operations.size() > kNamedOperations) return fmt::format("{} operations", operations.size());
  return fmt::format("{}", fmt::join(operations, ", "));
}

template <class Value>
bool contains(const std::vector<Value>& values, const Value& value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

// Operations by the dtypes that they are served in: "A, B in f32, f16; C in f32".
std::string served_text(const std::vector<ServicePart>& service) {
  std::map<Operation, Names> dtypes_of;
  for (const ServicePart& part : service) {
    if (part.is_served()) dtypes_of[part.operation].emplace_back(to_string(part.dtype));
  }
  std::vector<std::pair<Names, Names>> groups;  // dtypes, operations
  for (const auto& [operation, dtypes] : dtypes_of) {
    auto group = std::find_if(groups.begin(), groups.end(), [&names = dtypes](const auto& known) {
      return known.first == names;
    });
    if (group == groups.end()) group = groups.insert(group, {dtypes, {}});
    group->second.emplace_back(to_string(operation));
  }
  std::string text;
  for (const auto& [dtypes, operations] : groups) {
    text += fmt::format("{}{} in {}", text.empty() ? "" : "; ", operations_text(operations),
                        fmt::join(dtypes, ", "));
  }
  return text;
}

// Operations and dtypes of which nothing is served.
std::string unserved_text(const std::vector<ServicePart>& service) {
  Names operations, dtypes, served;
  for (const ServicePart& part : service) {
    if (!part.is_served()) continue;
    served.emplace_back(to_string(part.operation));
    served.emplace_back(to_string(part.dtype));
  }
  for (const ServicePart& part : service) {
    for (auto& [name, names] : {std::pair{std::string(to_string(part.operation)), &operations},
                                std::pair{std::string(to_string(part.dtype)), &dtypes}}) {
      if (!contains(served, name) && !contains(*names, name)) names->push_back(name);
    }
  }
  std::string text = operations_text(operations);
  for (const std::string& dtype : dtypes) text += (text.empty() ? "" : ", ") + dtype;
  return text;
}

}  // namespace

std::vector<ServicePart> service_of(const BackendRun& backend) {
  std::map<std::pair<Operation, Dtype>, Tally> tallies;
  for (const auto* part : {&backend.listed, &backend.tallies}) {
    for (const Tally& tally : *part) {
      const std::pair key(tally.operation, tally.dtype);
      tallies.try_emplace(key, Tally{.operation = tally.operation, .dtype = tally.dtype})
          .first->second.add(tally);
    }
  }
  std::vector<ServicePart> service;
  for (const auto& [key, tally] : tallies) {
    // Problems that had to be refused, and were, and those of which nothing is known make no part.
    if (tally.cases() == tally.refused + tally.of(Verdict::kHarnessError)) continue;
    service.push_back(part_of(tally));
  }
  return service;
}

std::string why_no_verdict(const std::vector<ServicePart>& service, bool narrowed) {
  std::size_t judged = 0, vacuous = 0;
  for (const ServicePart& part : service) {
    judged += part.judged;
    vacuous += part.vacuous;
  }
  const std::size_t served = judged + vacuous;
  if (static_cast<double>(vacuous) > kVacuousLimit * static_cast<double>(served)) {
    return fmt::format("{} of the {} cases that it serves could not have failed", grouped(vacuous),
                       grouped(served));
  }
  if (narrowed) return {};
  for (const ServicePart& part : service) {
    if (!part.is_served()) continue;
    const auto blunt =
        std::find_if(part.classes.begin(), part.classes.end(),
                     [&](const std::string& each) { return !part.sharp_classes.contains(each); });
    if (part.sharp > 0 && blunt == part.classes.end()) continue;
    return fmt::format("no passed case of {} in {}{} would have exposed an error of {:.0f} %",
                       to_string(part.operation), to_string(part.dtype),
                       part.sharp > 0 ? " as " + *blunt : "", 100 * kResolution);
  }
  return {};
}

std::string classes_text(const std::vector<ServicePart>& service) {
  std::map<Dtype, std::set<std::string>> by_dtype;
  for (const ServicePart& part : service) {
    if (!part.classes.empty()) {
      by_dtype[part.dtype].insert(part.classes.begin(), part.classes.end());
    }
  }
  // A wider accumulator hides nothing.
  const auto is_strict = [](const std::set<std::string>& classes) {
    return std::all_of(classes.begin(), classes.end(), [](const std::string& each) {
      return each == "strict" || each == "accumulator=f64";
    });
  };
  if (by_dtype.empty()) return {};
  const auto& first = by_dtype.begin()->second;
  const bool same = std::all_of(by_dtype.begin(), by_dtype.end(),
                                [&](const auto& each) { return each.second == first; });
  if (same) return is_strict(first) ? "" : fmt::format(" as {}", fmt::join(first, " or "));
  std::string text;
  for (const auto& [dtype, classes] : by_dtype) {
    if (is_strict(classes)) continue;
    text += fmt::format("{} {} in {}", text.empty() ? " as" : ",", fmt::join(classes, " or "),
                        to_string(dtype));
  }
  return text;
}

std::string service_text(const std::vector<ServicePart>& service) {
  std::size_t judged = 0;
  for (const ServicePart& part : service) judged += part.judged;
  std::string text = fmt::format("{} ({} judged)", served_text(service), grouped(judged));
  const std::string unserved = unserved_text(service);
  return unserved.empty() ? text : text + "; not served: " + unserved;
}

}  // namespace concord::conformance
