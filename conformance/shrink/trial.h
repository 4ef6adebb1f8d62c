// SPDX-License-Identifier: Apache-2.0
// Trials: does a case still fail, and in the same way? Each costs some of a budget that is counted,
// not timed, so that a search comes to the same end on every machine. A time limit, far above what
// a budget usually takes, is for backends on which every trial is slow.
#ifndef CONCORD_CONFORMANCE_SHRINK_TRIAL_H_
#define CONCORD_CONFORMANCE_SHRINK_TRIAL_H_

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conformance/record/shrunk.h"
#include "conformance/run/examine.h"

namespace concord::conformance {

/// What is tried, and how much of it.
struct TrialOptions {
  BackendSpec backend{};
  HostOptions host{};
  ExamineOptions examine{};
  /// One trial costs 1; each 20 million multiplications of the reference, 1 more; a process that
  /// died, 5 more; one that hung, 50 more.
  int budget = 1000;
  /// No trial begins after so long. Each request has the deadline of `host`, as in the run.
  std::chrono::milliseconds time_limit{600000};
  const std::atomic<bool>* stop = nullptr;  ///< no trial begins once it is true; may be null
  /// The cases that the same process ran before the one that failed, in order.
  std::vector<Case> predecessors{};
};

/// At most so many predecessors are tried again.
inline constexpr std::size_t kMostPredecessors = 16;

/// What makes two failures the same: verdict and tier, and of a lost process the call and the
/// signal. Of values that are wrong within the interval tier, those that are wrong bit for bit are
/// the same failure, shown better.
bool is_same_failure(const CaseResult& original, const CaseResult& now);

/// How often a stand-alone program tries before it says "right". A race that is lost once in eight
/// times shows in 64 attempts but for two runs in ten thousand.
inline constexpr int kAttempts = 64;

class Trials {
 public:
  explicit Trials(TrialOptions options);

  /// Sets the setup in which `source` fails: alone, warmed, after its predecessors, or now and
  /// then. False if in none; tried() says what happened instead.
  bool settle(const Case& source, const CaseResult& original);

  /// The result if `source` fails as the original did; nothing if not, or if the budget is gone.
  std::optional<CaseResult> fails(const Case& source);

  /// The same in a process that has had no other trial, and whether the budget is gone or not.
  std::optional<CaseResult> fails_anew(const Case& source);
  /// From now on every trial has a process of its own.
  void always_anew() { always_anew_ = true; }

  const TrialSetup& setup() const { return setup_; }
  std::size_t count() const { return count_; }
  bool exhausted() const { return !limit().empty(); }
  /// What keeps further trials from beginning: "the budget of 200 ran out"; empty for nothing.
  std::string limit() const;
  std::chrono::milliseconds time_left() const;
  /// The result of the case that settle() tried, in each setup.
  const std::string& tried() const { return tried_; }
  const TrialOptions& options() const { return options_; }

 private:
  bool settle_as(TrialSetup setup, std::string_view name, const Case& source);
  void reduce_predecessors(const Case& source);
  std::optional<CaseResult> fails(const Case& source, int attempts);
  CaseResult attempt(const Case& source);
  void charge(const PreparedCase& prepared, const CaseResult& result);

  TrialOptions options_;
  CaseResult original_{};
  TrialSetup setup_{};
  std::unique_ptr<Host> host_{};
  std::string tried_{};
  std::vector<std::pair<std::string, int>> tally_{};  ///< of the setup: what happened how often
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  bool always_anew_ = false;
  std::size_t count_ = 0;
  double spent_ = 0;
};

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_SHRINK_TRIAL_H_
