// SPDX-License-Identifier: Apache-2.0
// The runner: all cases on all backends, a few at a time, each backend in processes of its own.
#ifndef CONCORD_CONFORMANCE_RUN_RUNNER_H_
#define CONCORD_CONFORMANCE_RUN_RUNNER_H_

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "conformance/case/case_list.h"
#include "conformance/record/case_result.h"
#include "conformance/record/diagnosis.h"
#include "conformance/record/neighbour.h"
#include "conformance/record/shrunk.h"
#include "conformance/record/sparse.h"
#include "conformance/record/tally.h"
#include "conformance/run/examine.h"
#include "conformance/run/journal.h"
#include "conformance/run/pooled.h"
#include "conformance/worker/host.h"

namespace concord::conformance {

struct RunOptions {
  ExamineOptions examine{};
  HostOptions host{};
  int jobs = 1;                     ///< cases at a time
  int max_hangs = 5;                ///< a backend that hung this often is no longer tested
  std::optional<int> max_failed{};  ///< nor is one that failed this often
  std::optional<std::chrono::milliseconds> time_budget{};
  /// Starts cases again that were running both times when two runs ended without being asked to.
  bool retry_killed = false;
};

struct BackendRun;

/// A case that just failed.
struct NewFailure {
  const BackendRun& backend;
  const std::string& id;
  const CaseResult& result;
};

/// How far a run is; shown while it runs.
struct Progress {
  std::size_t done = 0, total = 0, failed = 0;
  const NewFailure* failure = nullptr;  ///< valid during the call
  /// The same by the predicted cost of the cases, without those known before; the remaining cost of
  /// a backend that is no longer tested is subtracted from the total.
  double cost_done = 0, cost_total = 0;
};

/// The results of one backend: one per case, in the order of the cases; none where the run ended
/// before the case.
struct BackendRun {
  BackendSpec spec{};
  BackendIdentity identity{};
  std::set<std::string> mapped{};  ///< files whose code its processes had in their memory
  std::string error{};             ///< it could not be loaded; there are no results
  std::string abandoned{};         ///< why it is no longer tested, if so
  std::string misconduct{};        ///< what it did wrong when opened or closed, if anything
  Sparse<CaseResult> results{};
  std::vector<Tally> listed{};  ///< tallies_of() them
  /// Of a suite in batches: the cases that are not listed among `results`, and how many of them
  /// were not run.
  std::vector<Tally> tallies{};
  std::size_t unlisted_not_run = 0;
  /// Of each case the one that the same process tried right before it, if any.
  Sparse<std::size_t> previous{};
  std::optional<Diagnosis> diagnosis{};  ///< what the failures have in common
  std::vector<Shrunk> shrunk{};          ///< some of the failures, shrunk
  std::vector<Pool> pools{};             ///< the errors of all results together
  std::vector<Neighbour> neighbours{};   ///< classes under which failures vanish
};

struct RunOutcome {
  std::vector<BackendRun> backends{};
  bool complete = true;                   ///< false if a signal or the time budget ended the run
  std::optional<std::size_t> selected{};  ///< how many cases, if not all are listed
  std::optional<std::string>
      cases_sha256{};  ///< of those that had their turn, if not all are listed
  double seconds = 0;
};

/// Runs `cases` on `backends`. Verdicts and their order do not depend on the number of jobs.
/// Ends early, with what is known, when `stop` turns true. `progress` is called after each case,
/// from one thread at a time.
RunOutcome run_cases(const CaseList& cases, const std::vector<BackendSpec>& backends,
                     const RunOptions& options, Journal& journal, const Journal::Known& known,
                     const std::atomic<bool>& stop,
                     const std::function<void(const Progress&)>& progress);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_RUN_RUNNER_H_
