// SPDX-License-Identifier: Apache-2.0
#include "conformance/run/batch_record.h"

#include <algorithm>
#include <stdexcept>

#include "conformance/record/json_integer.h"
#include "conformance/record/result_json.h"

namespace concord::conformance {
namespace {

using Json = nlohmann::ordered_json;

bool is_noted(const std::optional<CaseResult>& result) {
  return result && (is_failure(result->verdict) || result->verdict == Verdict::kHarnessError);
}

std::string family_of(const Case& source) { return source.id.substr(0, source.id.find('/')); }

BackendBatch batch_of(const CaseList& cases, const BackendRun& run,
                      const std::vector<std::size_t>& listed) {
  BackendBatch batch{.error = run.error, .abandoned = run.abandoned, .misconduct = run.misconduct};
  Tallies tallies;
  std::map<std::size_t, std::size_t> place_of;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    static const std::optional<CaseResult> kNothing;
    const auto& result = i < run.results.size() ? run.results[i] : kNothing;
    if (place_of.size() < listed.size() && listed[place_of.size()] == i) {
      place_of.emplace(i, place_of.size());
      batch.results.push_back(result);
      const auto before = i < run.previous.size() ? run.previous[i] : std::nullopt;
      const auto place = before ? place_of.find(*before) : place_of.end();
      batch.previous.push_back(place == place_of.end() ? std::nullopt
                                                       : std::optional(place->second));
    } else if (result) {
      tallies.add(cases[i], *result);
    } else {
      ++batch.unlisted_not_run;
    }
  }
  batch.tallies = tallies.all();
  return batch;
}

Json to_json(const BackendBatch& batch) {
  Json json = {{"error", batch.error},           {"abandoned", batch.abandoned},
               {"misconduct", batch.misconduct}, {"not_run", batch.unlisted_not_run},
               {"tallied", Json::array()},       {"results", Json::array()},
               {"previous", Json::array()}};
  for (const Tally& tally : batch.tallies) json["tallied"].push_back(to_json(tally));
  for (const auto& result : batch.results) {
    json["results"].push_back(result ? to_json(*result) : Json(nullptr));
  }
  for (const auto& place : batch.previous) {
    json["previous"].push_back(place ? Json(*place) : Json(nullptr));
  }
  return json;
}

BackendBatch backend_batch_from_json(const Json& json, std::size_t listed) {
  BackendBatch batch;
  json.at("error").get_to(batch.error);
  json.at("abandoned").get_to(batch.abandoned);
  json.at("misconduct").get_to(batch.misconduct);
  batch.unlisted_not_run = integer_from<std::size_t>(json.at("not_run"), "not_run");
  for (const Json& tally : json.at("tallied")) batch.tallies.push_back(tally_from_json(tally));
  for (const Json& result : json.at("results")) {
    batch.results.push_back(result.is_null() ? std::nullopt : result_from_json(result));
    if (!result.is_null() && !batch.results.back()) throw std::invalid_argument("result");
  }
  for (const Json& place : json.at("previous")) {
    batch.previous.push_back(place.is_null()
                                 ? std::nullopt
                                 : std::optional(integer_from<std::size_t>(place, "previous")));
  }
  if (batch.results.size() != listed || batch.previous.size() != listed) {
    throw std::invalid_argument("results");
  }
  return batch;
}

}  // namespace

bool Listing::takes_failure(const std::string& backend, const Case& source) {
  return failures_[{backend, family_of(source)}]++ < kMostFailures;
}

void Listing::take_failures(const CaseList& cases, const BackendRun& backend,
                            std::set<std::size_t>& places) {
  for (std::size_t i = 0; i < backend.results.size(); ++i) {
    const auto& result = backend.results[i];
    if (!is_noted(result) || !takes_failure(backend.spec.text, cases[i])) continue;
    places.insert(i);
    if (!kinds_.emplace(backend.spec.text, result->verdict, result->tier).second) continue;
    std::size_t at = i;
    for (std::size_t n = 0; n < predecessors_ && backend.previous[at]; ++n) {
      at = *backend.previous[at];
      places.insert(at);
    }
  }
}

std::vector<std::size_t> Listing::choose(const CaseList& cases, const RunOutcome& outcome) {
  std::set<std::size_t> places;
  for (std::size_t i = 0; i < cases.size(); i += kSample) places.insert(i);
  for (const BackendRun& backend : outcome.backends) take_failures(cases, backend, places);
  return {places.begin(), places.end()};
}

void Listing::count(const CaseList& listed, const BatchRecord& record) {
  // The name is that of the run's backends, which record.backends are in the order of.
  for (std::size_t b = 0; b < record.backends.size(); ++b) {
    const BackendBatch& backend = record.backends[b];
    for (std::size_t i = 0; i < backend.results.size(); ++i) {
      const auto& result = backend.results[i];
      if (!is_noted(result)) continue;
      takes_failure(record.names[b], listed[i]);
      kinds_.emplace(record.names[b], result->verdict, result->tier);
    }
  }
}

BatchRecord record_of(std::size_t number, const CaseList& cases, const RunOutcome& outcome,
                      std::vector<std::size_t> listed) {
  BatchRecord record{.number = number, .cases = cases.size()};
  for (const BackendRun& run : outcome.backends) {
    record.names.push_back(run.spec.text);
    record.backends.push_back(batch_of(cases, run, listed));
  }
  record.listed = std::move(listed);
  return record;
}

Json to_json(const BatchRecord& record) {
  Json json = {{"number", record.number},
               {"cases", record.cases},
               {"listed", record.listed},
               {"names", record.names},
               {"backends", Json::array()}};
  for (const BackendBatch& backend : record.backends) json["backends"].push_back(to_json(backend));
  return json;
}

BatchRecord batch_record_from_json(const Json& json) {
  BatchRecord record;
  record.number = integer_from<std::size_t>(json.at("number"), "number");
  record.cases = integer_from<std::size_t>(json.at("cases"), "cases");
  for (const Json& place : json.at("listed")) {
    record.listed.push_back(integer_from<std::size_t>(place, "listed"));
    if (record.listed.back() >= record.cases) throw std::invalid_argument("listed");
  }
  json.at("names").get_to(record.names);
  for (const Json& backend : json.at("backends")) {
    record.backends.push_back(backend_batch_from_json(backend, record.listed.size()));
  }
  if (record.names.size() != record.backends.size()) throw std::invalid_argument("names");
  return record;
}

}  // namespace concord::conformance
