// SPDX-License-Identifier: Apache-2.0
#include "conformance/command/nightly_run.h"

#include <algorithm>
#include <utility>

namespace concord::conformance {
namespace {

using Clock = std::chrono::steady_clock;

// The places of the backends that are still to be tried.
std::vector<std::size_t> willing(const RunOutcome& outcome) {
  std::vector<std::size_t> places;
  for (std::size_t b = 0; b < outcome.backends.size(); ++b) {
    const BackendRun& backend = outcome.backends[b];
    if (backend.error.empty() && backend.abandoned.empty()) places.push_back(b);
  }
  return places;
}

bool had_its_turn(const RunOutcome& batch, std::size_t index) {
  return std::any_of(batch.backends.begin(), batch.backends.end(), [&](const BackendRun& backend) {
    return index < backend.results.size() && backend.results[index].has_value();
  });
}

// Appends those of a batch whose cases came to lie at `place_of`.
void append_previous(Sparse<std::size_t>& whole, const Sparse<std::size_t>& batch,
                     const std::vector<std::size_t>& place_of, std::size_t cases) {
  whole.resize(cases);
  for (std::size_t i = 0; i < batch.size(); ++i) {
    if (batch[i]) whole[place_of[i]] = place_of[*batch[i]];
  }
}

// Appends what had its turn in `batch`; `places` says which backends of `whole` those of it are.
void append(CaseList& cases, RunOutcome& whole, const CaseList& batch_cases, RunOutcome batch,
            const std::vector<std::size_t>& places) {
  std::vector<std::size_t> place_of(batch_cases.size());
  std::vector<std::size_t> taken;
  for (std::size_t i = 0; i < batch_cases.size(); ++i) {
    place_of[i] = cases.size() + taken.size();
    if (!had_its_turn(batch, i)) continue;
    taken.push_back(i);
    for (std::size_t b = 0; b < places.size(); ++b) {
      auto& results = batch.backends[b].results;
      if (i < results.size()) {
        whole.backends[places[b]].results.push_back(std::move(results[i]));
      }
    }
  }
  cases.append(batch_cases.at(taken));
  for (std::size_t b = 0; b < places.size(); ++b) {
    append_previous(whole.backends[places[b]].previous, batch.backends[b].previous, place_of,
                    cases.size());
  }
  for (std::size_t b = 0; b < places.size(); ++b) {
    BackendRun& backend = whole.backends[places[b]];
    backend.abandoned = batch.backends[b].abandoned;
    // It died for good between two batches.
    if (backend.abandoned.empty()) backend.abandoned = batch.backends[b].error;
    if (backend.misconduct.empty()) backend.misconduct = batch.backends[b].misconduct;
    backend.mapped.merge(batch.backends[b].mapped);
  }
  for (BackendRun& backend : whole.backends) {
    if (backend.error.empty()) backend.results.resize(cases.size());
  }
}

}  // namespace

RunOutcome run_nightly(const std::function<CaseList()>& next_batch,
                       const std::vector<BackendSpec>& backends, RunOptions options,
                       Journal& journal, const Journal::Known& known, const std::atomic<bool>& stop,
                       const std::function<void(const Progress&)>& progress, CaseList& cases) {
  const auto begin = Clock::now();
  const auto end = begin + options.time_budget.value();
  cases = next_batch();
  RunOutcome whole = run_cases(cases, backends, options, journal, known, stop, progress);
  for (auto places = willing(whole); whole.complete && !places.empty() && Clock::now() < end;
       places = willing(whole)) {
    std::vector<BackendSpec> specs;
    specs.reserve(places.size());
    for (const std::size_t place : places) specs.push_back(whole.backends[place].spec);
    options.time_budget = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
    const CaseList batch_cases = next_batch();
    auto batch = run_cases(batch_cases, specs, options, journal, known, stop, progress);
    append(cases, whole, batch_cases, std::move(batch), places);
    whole.complete = !stop;
  }
  for (BackendRun& backend : whole.backends) {
    backend.listed = tallies_of(cases, backend.results);
    backend.pools = pool_errors(cases, backend.results);
  }
  whole.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  return whole;
}

}  // namespace concord::conformance
