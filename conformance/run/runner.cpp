// SPDX-License-Identifier: Apache-2.0
#include "conformance/run/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <thread>

#include "conformance/run/room.h"

namespace concord::conformance {
namespace {

using Clock = std::chrono::steady_clock;

/// One run: what its threads share.
class Run {
 public:
  Run(const std::vector<Case>& cases, const RunOptions& options, Journal& journal,
      const Journal::Known& known, const std::atomic<bool>& stop,
      const std::function<void(const Progress&)>& progress, RunOutcome& outcome)
      : cases_(cases),
        options_(options),
        journal_(journal),
        known_(known),
        stop_(stop),
        report_(progress),
        outcome_(outcome),
        hangs_(outcome.backends.size()),
        failed_(outcome.backends.size()),
        abandoned_(outcome.backends.size()) {
    progress_.total = cases.size() * static_cast<std::size_t>(std::count_if(
                                         outcome.backends.begin(), outcome.backends.end(),
                                         [](const BackendRun& b) { return b.error.empty(); }));
  }

  void work() {
    std::vector<std::unique_ptr<Host>> hosts;
    for (const BackendRun& backend : outcome_.backends) {
      hosts.push_back(std::make_unique<Host>(backend.spec, options_.host));
    }
    while (true) {
      const std::size_t index = next_.fetch_add(1);
      if (index >= cases_.size()) break;
      if (must_stop()) {
        interrupted_ = true;
        break;
      }
      PreparedCase prepared(cases_[index], oracle_threads_, true);
      const SharedRoom::Lease lease(room_, room_for(prepared));
      for (std::size_t b = 0; b < hosts.size(); ++b) {
        if (!outcome_.backends[b].error.empty() || abandoned_[b]) continue;
        if (stop_) break;
        try_one(prepared, b, index, *hosts[b]);
      }
    }
    for (std::size_t b = 0; b < hosts.size(); ++b) close(*hosts[b], outcome_.backends[b]);
  }

  bool interrupted() const { return interrupted_ || stop_; }

 private:
  bool must_stop() const {
    return stop_ || (options_.time_budget && Clock::now() - begin_ > *options_.time_budget);
  }

  static double room_for(const PreparedCase& prepared) {
    const auto& geometry = prepared.geometry();
    return geometry ? room_of(prepared.source().problem, geometry->dst) : 0;
  }

  void try_one(PreparedCase& prepared, std::size_t b, std::size_t index, Host& host) {
    BackendRun& backend = outcome_.backends[b];
    const Journal::Key key{backend.spec.text, prepared.source().id};
    CaseResult result;
    if (const auto earlier = known_.find(key); earlier != known_.end()) {
      result = earlier->second;
    } else {
      journal_.begin(key);
      result = examine(prepared, host, options_.examine);
      journal_.end(key, result);
    }
    const std::lock_guard lock(mutex_);
    ++progress_.done;
    if (is_failure(result.verdict)) {
      ++progress_.failed;
      ++failed_[b];
    }
    if (result.verdict == Verdict::kHang && ++hangs_[b] >= options_.max_hangs) {
      abandoned_[b] = true;
      backend.abandoned = fmt::format("given up after {} hangs", hangs_[b]);
    } else if (options_.max_failed && failed_[b] >= *options_.max_failed) {
      abandoned_[b] = true;
      backend.abandoned = fmt::format("given up after {} failures", failed_[b]);
    }
    backend.results[index] = std::move(result);
    report_(progress_);
  }

  void close(Host& host, BackendRun& backend) {
    const auto casualty = host.stop();
    if (!casualty) return;
    const std::lock_guard lock(mutex_);
    backend.bad_end = describe(*casualty);
  }

  const std::vector<Case>& cases_;
  const RunOptions& options_;
  Journal& journal_;
  const Journal::Known& known_;
  const std::atomic<bool>& stop_;
  const std::function<void(const Progress&)>& report_;
  RunOutcome& outcome_;

  // What the other jobs leave of the machine.
  const int oracle_threads_ = std::max(
      1, static_cast<int>(std::thread::hardware_concurrency()) / std::max(1, options_.jobs));
  SharedRoom room_{physical_memory()};
  const Clock::time_point begin_ = Clock::now();
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> interrupted_{false};
  std::mutex mutex_;
  Progress progress_;
  std::vector<int> hangs_, failed_;
  std::vector<std::atomic<bool>> abandoned_;
};

// Loads each backend once, so that one that cannot be loaded is said before anything is judged.
BackendRun introduce(const BackendSpec& spec, const HostOptions& options, std::size_t cases) {
  BackendRun backend;
  backend.spec = spec;
  Host host(spec, options);
  const auto answer = host.start();
  if (const auto* identity = std::get_if<BackendIdentity>(&answer)) {
    backend.identity = *identity;
    backend.results.resize(cases);
  } else if (const auto* failure = std::get_if<LoadFailure>(&answer)) {
    backend.error = failure->detail;
  } else {
    backend.error = describe(std::get<Casualty>(answer));
  }
  return backend;
}

}  // namespace

RunOutcome run_cases(const std::vector<Case>& cases, const std::vector<BackendSpec>& backends,
                     const RunOptions& options, Journal& journal, const Journal::Known& known,
                     const std::atomic<bool>& stop,
                     const std::function<void(const Progress&)>& progress) {
  const auto begin = Clock::now();
  RunOutcome outcome;
  for (const BackendSpec& spec : backends) {
    outcome.backends.push_back(introduce(spec, options.host, cases.size()));
  }
  Run run(cases, options, journal, known, stop, progress, outcome);
  std::vector<std::jthread> threads;
  for (int job = 1; job < options.jobs; ++job) threads.emplace_back([&] { run.work(); });
  run.work();
  threads.clear();  // joins
  for (BackendRun& backend : outcome.backends) {
    backend.pools = pool_errors(cases, backend.results);
  }
  outcome.complete = !run.interrupted();
  outcome.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  return outcome;
}

}  // namespace concord::conformance
