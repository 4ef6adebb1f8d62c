// SPDX-License-Identifier: Apache-2.0
#include "conformance/command/batch_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "conformance/output/digest.h"
#include "conformance/run/batch_record.h"
#include "conformance/shrink/trial.h"
#include "vectors/sha256.h"

namespace concord::conformance {
namespace {

using Clock = std::chrono::steady_clock;

/// A part of a list.
class Slice : public CaseSource {
 public:
  Slice(CaseList list, std::size_t first, std::size_t count)
      : list_(std::move(list)), first_(first), count_(count) {}
  std::size_t size() const override { return count_; }
  Case at(std::size_t number) const override { return list_[first_ + number]; }

 private:
  CaseList list_;
  std::size_t first_, count_;
};

class BatchRun {
 public:
  BatchRun(const Batches& batches, const RunOptions& options, Journal& journal,
           const std::atomic<bool>& stop, const std::function<void(const Progress&)>& progress,
           CaseList& cases)
      : batches_(batches),
        options_(options),
        journal_(journal),
        stop_(stop),
        report_(progress),
        cases_(cases) {}

  RunOutcome run(const std::vector<BackendSpec>& backends) {
    whole_ = run_cases({}, backends, options_, nowhere_, {}, stop_, report_);  // introduces them
    const auto known = known_batches();
    progress_.total = positions(batches_.suite.size()) * backends.size();
    for (const std::size_t number : batches_.numbers()) {
      const CaseList batch = batches_.at(number);
      selected_ += batch.size();
      const auto record = known.find(number);
      if (record == known.end() && is_over()) {
        skip(batch.size());
      } else {
        add_to_digest(batch);
        if (record != known.end()) {
          recall(batch, record->second);
        } else if (!batch.empty() && !run(number, batch)) {
          whole_.complete = false;
        }
      }
      ++walked_;
    }
    for (BackendRun& backend : whole_.backends) {
      backend.listed = tallies_of(cases_, backend.results);
    }
    whole_.selected = selected_;
    whole_.cases_sha256 = digest_.digits();
    whole_.seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
    return std::move(whole_);
  }

 private:
  struct Lost {
    std::size_t failures = 0, hangs = 0;
  };

  std::map<std::size_t, BatchRecord> known_batches() const {
    std::map<std::size_t, BatchRecord> known;
    for (const auto& json : journal_.batches()) {
      try {
        BatchRecord record = batch_record_from_json(json);
        known.insert_or_assign(record.number, std::move(record));
      } catch (const std::exception&) {
        // Of another form than this program writes: the batch is run again.
      }
    }
    return known;
  }

  // concord list --suite NAME --shard I/N | cut -f1,2 | sha256sum
  void add_to_digest(const CaseList& batch) {
    for (const Case& each : batch) {
      const std::string line = digested_line(each);
      digest_.add(std::as_bytes(std::span(line)));
    }
  }

  void recall(const CaseList& batch, const BatchRecord& record) {
    fold(batch, record);
    listing_.count(batch.at(record.listed), record);
  }

  bool is_over() {
    const bool over =
        stop_ || (options_.time_budget && Clock::now() - begin_ >= *options_.time_budget);
    const bool any = std::any_of(whole_.backends.begin(), whole_.backends.end(), is_willing);
    return over || !any;
  }

  // About how many cases there are to walk through, of so many.
  std::size_t positions(std::size_t cases) const { return cases / batches_.shards; }

  void skip(std::size_t count) {
    for (BackendRun& backend : whole_.backends) {
      if (backend.error.empty()) backend.unlisted_not_run += count;
    }
    const bool any = std::any_of(whole_.backends.begin(), whole_.backends.end(), is_willing);
    if (any) whole_.complete = false;
  }

  static bool is_willing(const BackendRun& backend) {
    return backend.error.empty() && backend.abandoned.empty();
  }

  // False if it was cut short; then it stays out of the journal, and what it found counts.
  bool run(std::size_t number, const CaseList& batch) {
    std::vector<BackendSpec> specs;
    for (const BackendRun& backend : whole_.backends) {
      if (is_willing(backend)) specs.push_back(backend.spec);
    }
    const auto report = [&](const Progress& progress) {
      progress_.done = walked_ * Batches::kBatch * whole_.backends.size() + progress.done;
      progress_.failed = failed_before_ + progress.failed;
      progress_.cost_done = static_cast<double>(progress_.done);
      progress_.cost_total = static_cast<double>(progress_.total);
      report_(progress_);
    };
    const RunOutcome outcome = run_cases(batch, specs, options_left(), nowhere_, {}, stop_, report);
    failed_before_ = progress_.failed;
    keep_mapped(outcome);
    const BatchRecord record = record_of(number, batch, outcome, listing_.choose(batch, outcome));
    // Of a backend that is given up, --resume has to try this batch and all further ones again.
    const auto was_given_up = [](const BackendRun& backend) { return !backend.abandoned.empty(); };
    const bool all_went_on =
        std::none_of(outcome.backends.begin(), outcome.backends.end(),
                     [&](const BackendRun& backend) {
                       return !backend.error.empty() || was_given_up(backend);
                     }) &&
        std::none_of(whole_.backends.begin(), whole_.backends.end(), was_given_up);
    if (outcome.complete && all_went_on) journal_.end_batch(to_json(record));
    fold(batch, record);
    return outcome.complete;
  }

  // A program may load libraries when it computes for the first time.
  void keep_mapped(const RunOutcome& outcome) {
    for (const BackendRun& part : outcome.backends) {
      for (BackendRun& backend : whole_.backends) {
        if (backend.spec.text != part.spec.text) continue;
        backend.mapped.insert(part.mapped.begin(), part.mapped.end());
      }
    }
  }

  // What the batches before have left of the limits.
  RunOptions options_left() const {
    RunOptions left = options_;
    if (options_.time_budget) {
      left.time_budget = std::chrono::duration_cast<std::chrono::milliseconds>(
          begin_ + *options_.time_budget - Clock::now());
    }
    return left;
  }

  void fold(const CaseList& batch, const BatchRecord& record) {
    const std::size_t first = cases_.size();
    cases_.append(batch.at(record.listed));
    for (BackendRun& backend : whole_.backends) {
      if (!backend.error.empty()) continue;
      backend.results.resize(cases_.size());
      backend.previous.resize(cases_.size());
      const auto name = std::find(record.names.begin(), record.names.end(), backend.spec.text);
      if (name == record.names.end()) {
        backend.unlisted_not_run += record.cases - record.listed.size();
        continue;
      }
      const auto& part = record.backends[static_cast<std::size_t>(name - record.names.begin())];
      Tallies tallies;
      tallies.add(backend.tallies);
      tallies.add(part.tallies);
      backend.tallies = tallies.all();
      backend.unlisted_not_run += part.unlisted_not_run;
      for (std::size_t i = 0; i < part.results.size(); ++i) {
        if (part.results[i]) backend.results[first + i] = part.results[i];
        if (part.previous[i]) backend.previous[first + i] = first + *part.previous[i];
      }
      if (backend.abandoned.empty()) backend.abandoned = part.abandoned;
      if (backend.abandoned.empty()) backend.abandoned = part.error;  // it died between two batches
      if (backend.misconduct.empty()) backend.misconduct = part.misconduct;
      give_up(backend, part);
    }
  }

  // As run_cases() does, over all batches.
  void give_up(BackendRun& backend, const BackendBatch& part) {
    Lost& lost = lost_[backend.spec.text];
    const auto add = [&lost](Verdict verdict, std::size_t times) {
      if (is_failure(verdict)) lost.failures += times;
      if (verdict == Verdict::kHang) lost.hangs += times;
    };
    for (const auto& result : part.results) {
      if (result) add(result->verdict, 1);
    }
    for (const Tally& tally : part.tallies) {
      for (const Verdict verdict : kVerdicts) add(verdict, tally.of(verdict));
    }
    if (!backend.abandoned.empty()) return;
    if (lost.hangs >= static_cast<std::size_t>(options_.max_hangs)) {
      backend.abandoned = fmt::format("testing stopped after {} hangs", lost.hangs);
    } else if (options_.max_failed &&
               lost.failures >= static_cast<std::size_t>(*options_.max_failed)) {
      backend.abandoned = fmt::format("testing stopped after {} failures", lost.failures);
    }
  }

  const Batches& batches_;
  const RunOptions& options_;
  Journal& journal_;
  const std::atomic<bool>& stop_;
  const std::function<void(const Progress&)>& report_;
  CaseList& cases_;

  const Clock::time_point begin_ = Clock::now();
  Journal nowhere_{};
  Listing listing_{kMostPredecessors};
  Progress progress_{};
  RunOutcome whole_{};
  std::size_t selected_ = 0, failed_before_ = 0, walked_ = 0;
  std::map<std::string, Lost> lost_{};
  vectors::Sha256 digest_{};
};

}  // namespace

std::vector<std::size_t> Batches::numbers() const {
  std::vector<std::size_t> found;
  for (std::size_t number = shard - 1; number < count(); number += shards) found.push_back(number);
  return found;
}

CaseList Batches::at(std::size_t number) const {
  const std::size_t first = number * kBatch;
  CaseList all;
  all.append(std::make_shared<Slice>(suite, first, std::min(kBatch, suite.size() - first)));
  return narrow ? narrow(all) : all;
}

RunOutcome run_batches(const Batches& batches, const std::vector<BackendSpec>& backends,
                       const RunOptions& options, Journal& journal, const std::atomic<bool>& stop,
                       const std::function<void(const Progress&)>& progress, CaseList& cases) {
  return BatchRun(batches, options, journal, stop, progress, cases).run(backends);
}

}  // namespace concord::conformance
