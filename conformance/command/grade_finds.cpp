// SPDX-License-Identifier: Apache-2.0
#include "conformance/command/grade_finds.h"

#include "conformance/output/summary.h"

namespace concord::conformance {

using Json = nlohmann::ordered_json;

Find first_failure(const CaseList& cases, const BackendRun& backend) {
  Find find;
  for (std::size_t i = 0; i < backend.results.size(); ++i) {
    const auto& result = backend.results[i];
    if (!result) continue;
    ++find.cases;
    find.milliseconds += result->milliseconds;
    if (!is_failure(result->verdict)) continue;
    find.source = cases[i];
    find.result = &*result;
    return find;
  }
  for (const Pool& pool : backend.pools) {
    if (pool.finding.passed()) continue;
    find.pool = &pool;
    break;
  }
  find.elsewhere = backend.error.empty() ? backend.misconduct : backend.error;
  return find;
}

std::string_view verdict_of(const Find& find) {
  if (find.result != nullptr) return to_string(find.result->verdict);
  if (find.pool != nullptr) return to_string(Verdict::kFail);
  return find.elsewhere.empty() ? "SURVIVED" : to_string(Verdict::kCrash);
}

std::string_view tier_of(const Find& find) {
  if (find.result != nullptr) return to_string(find.result->tier);
  return find.pool != nullptr ? to_string(Tier::kStatistical) : "-";
}

std::string place_of(const Find& find, const PlantedBug& bug) {
  if (find.source) return find.source->id;
  if (find.pool != nullptr) return "together: " + describe(*find.pool);
  return find.elsewhere.empty() ? bug.sentence : std::string(find.elsewhere);
}

Json json_of_finds(const std::string& scope, const CaseList& cases,
                   const std::vector<PlantedBug>& bugs, const RunOutcome& outcome) {
  Json list = Json::array();
  for (std::size_t b = 0; b < bugs.size(); ++b) {
    const BackendRun& backend = outcome.backends[b];
    const Find find = first_failure(cases, backend);
    Json failed = Json::object();
    std::size_t declined = 0;
    for (std::size_t i = 0; i < backend.results.size(); ++i) {
      const auto& result = backend.results[i];
      if (result && is_failure(result->verdict)) failed[cases[i].id] = to_string(result->verdict);
      if (result && result->verdict == Verdict::kDeclined) ++declined;
    }
    list.push_back({{"name", bugs[b].name},
                    {"verdict", verdict_of(find)},
                    {"tier", tier_of(find)},
                    {"place", place_of(find, bugs[b])},
                    {"cases", find.cases},
                    {"declined", declined},
                    {"failed", std::move(failed)}});
  }
  return {{"scope", scope},
          {"cases", cases.size()},
          {"seconds", outcome.seconds},
          {"bugs", std::move(list)}};
}

}  // namespace concord::conformance
