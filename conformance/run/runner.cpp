// SPDX-License-Identifier: Apache-2.0
#include "conformance/run/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <future>
#include <mutex>
#include <set>
#include <system_error>
#include <thread>
#include <utility>

#include "conformance/run/retry.h"
#include "conformance/run/room.h"
#include "conformance/run/work.h"
#include "spec/interrupt.h"

namespace concord::conformance {
namespace {

using Clock = std::chrono::steady_clock;

// A backend whose process cannot be started so many times in a row, each after some waiting, is
// given up.
constexpr int kMostUnstarted = 3;
// A backend that signals from outside end so many times in a row, each while it is loaded, ends
// itself.
constexpr int kMostKilledStarts = 4;
// So many runs that ended during a case, of which all but the first tried it alone, settle that it
// ends them.
constexpr int kMostDeaths = 2;

/// One run: what its threads share.
class Run {
 public:
  Run(const CaseList& cases, const RunOptions& options, Journal& journal,
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
        unstarted_(outcome.backends.size()),
        failed_(outcome.backends.size()),
        end_(outcome.backends.size()),
        retries_(outcome.backends.size()) {
    for (std::size_t b = 0; b < end_.size(); ++b) {
      end_[b] = outcome.backends[b].error.empty() ? cases.size() : 0;
    }
    add_up_costs();
    progress_.total = cases.size() * static_cast<std::size_t>(std::count_if(
                                         outcome.backends.begin(), outcome.backends.end(),
                                         [](const BackendRun& b) { return b.error.empty(); }));
    progress_.cost_total = costs_left_.front() * static_cast<double>(progress_.total) /
                           static_cast<double>(std::max<std::size_t>(cases.size(), 1));
  }

  /// Takes over what an earlier run found, however little time this one has.
  void recall() {
    if (known_.empty() && journal_.deaths().empty()) return;
    for (std::size_t index = 0; index < cases_.size(); ++index) {
      const std::string id = cases_[index].id;
      for (std::size_t b = 0; b < outcome_.backends.size(); ++b) {
        const BackendRun& backend = outcome_.backends[b];
        if (!is_asked(b, index)) continue;
        const auto earlier = known_.find({backend.spec.text, id});
        if (earlier != known_.end()) note(b, index, earlier->second, true);
        const int deaths = journal_.deaths_during({backend.spec.text, id});
        if (deaths > 0) suspects_.push_back({index, b, deaths});
      }
    }
  }

  /// Tries the cases during which earlier runs ended: alone, so that the journal tells which of
  /// them it was if this one ends, too. One that has ended several runs is not started again.
  void try_suspects() {
    const InterruptScope scope(&cease_);
    for (const Suspect& suspect : suspects_) {
      if (must_stop()) {
        interrupted_ = true;
        return;
      }
      if (!is_asked(suspect.backend, suspect.index)) continue;
      settled_.insert({suspect.index, suspect.backend});
      if (suspect.deaths >= kMostDeaths && !options_.retry_killed) {
        note(suspect.backend, suspect.index, not_started(suspect.deaths), false);
        continue;
      }
      const Case source = cases_[suspect.index];
      PreparedCase prepared(source, oracle_threads_, true);
      Host host(outcome_.backends[suspect.backend].spec, options_.host);
      std::optional<std::size_t> latest;
      judge_one(prepared, suspect.backend, suspect.index, host, latest);
      close(host, outcome_.backends[suspect.backend]);
    }
  }

  /// From now on the cases are tried in their order.
  void begin_in_order() { in_order_ = true; }

  void work() {
    const InterruptScope scope(&cease_);
    std::vector<std::unique_ptr<Host>> hosts;
    std::vector<std::optional<std::size_t>> latest(outcome_.backends.size());
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
      if (!is_asked_of_any(index)) continue;
      const Case source = cases_[index];
      PreparedCase prepared(source, oracle_threads_, true);
      const SharedRoom::Lease lease(room_, room_for(prepared));
      for (std::size_t b = 0; b < hosts.size(); ++b) {
        if (!is_asked(b, index)) continue;
        if (stop_) break;
        try_one(prepared, b, index, *hosts[b], latest[b]);
      }
    }
    for (std::size_t b = 0; b < hosts.size(); ++b) close(*hosts[b], outcome_.backends[b]);
  }

  /// Forgets what another job found behind the last failure that counts.
  void drop_excess() {
    for (std::size_t b = 0; b < end_.size(); ++b) {
      Sparse<CaseResult>& results = outcome_.backends[b].results;
      if (end_[b] == 0) continue;  // given up, but not for failures in their order
      for (std::size_t index = end_[b]; index < results.size(); ++index) {
        if (std::as_const(results)[index]) results[index].reset();
      }
    }
  }

  bool interrupted() const { return interrupted_ || stop_; }

  /// Ends what is computed once the run has to stop; until `done`.
  void watch(const std::stop_token& done) {
    constexpr std::chrono::milliseconds kGlance{50};
    std::mutex own;
    std::unique_lock lock(own);
    std::condition_variable_any over;  // woken by `done` alone
    while (!done.stop_requested() && !cease_) {
      over.wait_for(lock, done, kGlance, [] { return false; });
      if (must_stop()) cease_ = true;
    }
  }

 private:
  bool is_asked(std::size_t b, std::size_t index) const { return index < end_[b]; }
  bool is_asked_of_any(std::size_t index) const {
    return std::any_of(end_.begin(), end_.end(), [&](const auto& end) { return index < end; });
  }

  bool must_stop() const {
    return stop_ || (options_.time_budget && Clock::now() - begin_ > *options_.time_budget);
  }

  // costs_left_[i] is what the cases from the i-th on cost.
  void add_up_costs() {
    costs_left_.assign(cases_.size() + 1, 0);
    for (std::size_t i = cases_.size(); i-- > 0;) {
      costs_left_[i] = costs_left_[i + 1] + predicted_cost(cases_[i].problem);
    }
  }
  /// A case that was running when an earlier run ended.
  struct Suspect {
    std::size_t index, backend;
    int deaths;
  };

  static CaseResult not_started(int deaths) {
    CaseResult result;
    result.verdict = Verdict::kHarnessError;
    result.reason = fmt::format(
        "not started again: {} runs were killed while this case ran (--retry-killed)", deaths);
    return result;
  }

  double cost_of(std::size_t index) const { return costs_left_[index] - costs_left_[index + 1]; }

  static double room_for(const PreparedCase& prepared) {
    const auto& geometry = prepared.geometry();
    return geometry ? room_of(prepared.source().problem, geometry->dst) : 0;
  }

  /// `latest` is the case that the host's process had last, if any.
  void try_one(PreparedCase& prepared, std::size_t b, std::size_t index, Host& host,
               std::optional<std::size_t>& latest) {
    const Journal::Key key{outcome_.backends[b].spec.text, prepared.source().id};
    if (known_.contains(key) || settled_.contains({index, b})) return;
    judge_one(prepared, b, index, host, latest);
  }

  void judge_one(PreparedCase& prepared, std::size_t b, std::size_t index, Host& host,
                 std::optional<std::size_t>& latest) {
    BackendRun& backend = outcome_.backends[b];
    const Journal::Key key{backend.spec.text, prepared.source().id};
    journal_.begin(key);
    const std::optional<Case> before = latest ? std::optional(cases_[*latest]) : std::nullopt;
    CaseResult result = examine_again_if_lost(prepared, before ? &*before : nullptr, host,
                                              options_.examine, retries_[b]);
    if (result.loss == Loss::kStopped) return;
    journal_.end(key, result);
    note_previous(backend, index, latest);
    const bool lost = result.verdict == Verdict::kCrash || result.verdict == Verdict::kHang;
    latest = lost ? std::nullopt : std::optional(index);
    note(b, index, std::move(result), false);
  }

  void note_previous(BackendRun& backend, std::size_t index, std::optional<std::size_t> previous) {
    const std::lock_guard lock(mutex_);
    if (previous) backend.previous[index] = previous;
  }

  void note(std::size_t b, std::size_t index, CaseResult result, bool is_known) {
    BackendRun& backend = outcome_.backends[b];
    const std::lock_guard lock(mutex_);
    if (is_known) {
      progress_.cost_total -= cost_of(index);
    } else {
      progress_.cost_done += cost_of(index);
    }
    const bool was_given_up = !backend.abandoned.empty();
    ++progress_.done;
    if (is_failure(result.verdict)) {
      ++progress_.failed;
      if (options_.max_failed) failed_[b].insert(index);
    }
    if (result.verdict == Verdict::kHang && ++hangs_[b] >= options_.max_hangs) {
      give_up(b, 0, fmt::format("testing stopped after {} hangs", hangs_[b]));
    } else if (options_.max_failed) {
      stop_after_failures(b, static_cast<std::size_t>(*options_.max_failed));
    }
    unstarted_[b] = result.loss == Loss::kNotStarted ? unstarted_[b] + 1 : 0;
    if (unstarted_[b] >= kMostUnstarted) {
      give_up(b, 0,
              fmt::format(
                  "testing stopped, since this machine could not start its process {} times in a "
                  "row",
                  unstarted_[b]));
    }
    if (!backend.abandoned.empty() && !was_given_up) {
      progress_.cost_total -= costs_left_[index + 1];
    }
    backend.results[index] = std::move(result);
    tell_progress(backend, index, is_known);
  }

  // The backend is asked no case from `end` on.
  void give_up(std::size_t b, std::size_t end, const std::string& why) {
    end_[b] = std::min(end_[b].load(), end);
    std::string& told = outcome_.backends[b].abandoned;
    if (told.empty()) told = why;
  }

  // Cases before the last failure that counts are still tried, and may be failures themselves, so
  // that which ones count does not depend on the number of jobs.
  void stop_after_failures(std::size_t b, std::size_t most) {
    const std::set<std::size_t>& failed = failed_[b];
    if (failed.size() < most) return;
    const std::size_t last = *std::next(failed.begin(), static_cast<std::ptrdiff_t>(most) - 1);
    give_up(b, in_order_ ? last + 1 : 0, fmt::format("testing stopped after {} failures", most));
  }

  // A failure that an earlier run found is none that occurs now.
  void tell_progress(const BackendRun& backend, std::size_t index, bool is_known) {
    const CaseResult& result = *backend.results[index];
    if (is_known || !is_failure(result.verdict)) return report_(progress_);
    const std::string id = cases_[index].id;
    const NewFailure failure{backend, id, result};
    Progress told = progress_;
    told.failure = &failure;
    report_(told);
  }

  void close(Host& host, BackendRun& backend) {
    {
      const std::lock_guard lock(mutex_);
      backend.mapped.merge(host.mapped_files());
    }
    auto failure = host.stop();
    if (failure && may_come_from_outside(failure->signal) && host.start()) {
      failure = host.stop();  // it takes a second time to be the backend's own
    }
    if (!failure || failure->kind == WorkerFailure::Kind::kStopped) return;
    const std::lock_guard lock(mutex_);
    backend.misconduct = "did not exit cleanly: " + describe(*failure);
  }

  const CaseList& cases_;
  const RunOptions& options_;
  Journal& journal_;
  const Journal::Known& known_;
  const std::atomic<bool>& stop_;
  const std::function<void(const Progress&)>& report_;
  RunOutcome& outcome_;

  // What the other jobs leave of the machine.
  const int oracle_threads_ = std::max(
      1, static_cast<int>(std::thread::hardware_concurrency()) / std::max(1, options_.jobs));
  SharedRoom room_{usable_memory()};
  const Clock::time_point begin_ = Clock::now();
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> interrupted_{false};
  std::atomic<bool> cease_{false};  ///< what is computed is of no use any more
  std::vector<double> costs_left_;
  std::vector<Suspect> suspects_;
  std::set<std::pair<std::size_t, std::size_t>> settled_;  ///< suspects by case and backend
  std::mutex mutex_;
  Progress progress_;
  std::vector<int> hangs_, unstarted_;
  std::vector<std::set<std::size_t>> failed_;  ///< of each backend, if there is a max_failed
  std::vector<std::atomic<std::size_t>> end_;  ///< the first case that each is not asked
  bool in_order_ = false;
  std::vector<RetryBudget> retries_;
};

bool was_perhaps_killed(const Result<BackendIdentity, HostFailure>& answer) {
  const auto* const failure = find_failure<WorkerFailure>(answer);
  return failure != nullptr && may_come_from_outside(failure->signal);
}

// What the backend does wrong when it is opened with a configuration that it does not know, if
// anything: it may refuse it or not.
std::string misconduct_at_unknown(BackendSpec spec, const HostOptions& options) {
  constexpr std::size_t kLonger = CONCORD_TEXT + 44;  // than a reason that names it has room for
  spec.config = "no-configuration-";
  spec.config.resize(kLonger, 'x');
  Host host(spec, options);
  auto answer = host.start();
  if (was_perhaps_killed(answer)) answer = host.start();
  const auto* const lost = find_failure<WorkerFailure>(answer);
  const auto* const refused = find_failure<LoadFailure>(answer);
  std::string wrong;
  if (lost != nullptr && lost->kind != WorkerFailure::Kind::kStopped) wrong = describe(*lost);
  if (refused != nullptr && refused->breaks_abi) wrong = refused->detail;
  if (wrong.empty()) return wrong;
  return fmt::format("does not refuse an unknown configuration of {} bytes: {}", kLonger, wrong);
}

// Loads each backend once, so that one that cannot be loaded is said before anything is judged.
BackendRun introduce(const BackendSpec& spec, const HostOptions& options, std::size_t cases) {
  BackendRun backend;
  backend.spec = spec;
  Host host(spec, options);
  auto answer = host.start();
  // As in a case: a signal from outside takes more than one try to be the backend's own.
  for (int tries = 1; tries < kMostKilledStarts && was_perhaps_killed(answer); ++tries) {
    answer = host.start();
  }
  if (answer) {
    backend.identity = *answer;
    backend.mapped = host.mapped_files();
    backend.results.resize(cases);
    backend.previous.resize(cases);
    if (!host.is_command()) backend.misconduct = misconduct_at_unknown(spec, options);
  } else {
    backend.error = describe(answer.why());
  }
  return backend;
}

}  // namespace

RunOutcome run_cases(const CaseList& cases, const std::vector<BackendSpec>& backends,
                     const RunOptions& options, Journal& journal, const Journal::Known& known,
                     const std::atomic<bool>& stop,
                     const std::function<void(const Progress&)>& progress) {
  const auto begin = Clock::now();
  RunOutcome outcome;
  for (const BackendSpec& spec : backends) {
    outcome.backends.push_back(introduce(spec, options.host, cases.size()));
  }
  Run run(cases, options, journal, known, stop, progress, outcome);
  run.recall();
  run.try_suspects();
  run.begin_in_order();
  std::jthread watch;
  std::vector<std::jthread> threads;
  try {
    watch = std::jthread([&](const std::stop_token& done) { run.watch(done); });
    for (int job = 1; job < options.jobs; ++job) threads.emplace_back([&] { run.work(); });
  } catch (const std::system_error&) {
    // As many jobs as threads can be had: the others do all the work.
  }
  run.work();
  threads.clear();  // joins
  watch = {};       // asks it to end, and joins
  run.drop_excess();
  for (BackendRun& backend : outcome.backends) {
    auto pools = std::async([&] { return pool_errors(cases, backend.results); });
    backend.listed = tallies_of(cases, backend.results);
    backend.pools = pools.get();
  }
  outcome.complete = !run.interrupted();
  outcome.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  return outcome;
}

}  // namespace concord::conformance
