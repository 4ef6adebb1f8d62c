// SPDX-License-Identifier: Apache-2.0
// Trials: does a case still fail, and in the same way? Each costs some of a budget that is counted,
// not timed, so that a search comes to the same end on every machine.
#ifndef CONCORD_CONFORMANCE_SHRINK_TRIAL_H_
#define CONCORD_CONFORMANCE_SHRINK_TRIAL_H_

#include <memory>
#include <optional>
#include <string>

#include "conformance/run/examine.h"
#include "conformance/shrink/shrunk.h"

namespace concord::conformance {

/// What is tried, and how much of it.
struct TrialOptions {
  BackendSpec backend{};
  HostOptions host{};
  ExamineOptions examine{};
  /// One trial costs 1; each 20 million multiplications of the reference, 1 more; a process that
  /// died, 5 more; one that hung, 50 more.
  int budget = 1000;
};

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

  /// Sets the manner in which `source` fails: alone, warmed, or now and then. False if in none;
  /// then it passes whenever it is tried alone.
  bool settle(const Case& source, const CaseResult& original);

  /// The result if `source` fails as the original did; nothing if not, or if the budget is gone.
  std::optional<CaseResult> fails(const Case& source);

  const Manner& manner() const { return manner_; }
  std::size_t count() const { return count_; }
  bool exhausted() const { return spent_ >= options_.budget || stopped(); }
  /// The run is to end: what was found is not worth saying.
  bool stopped() const { return options_.host.stop != nullptr && *options_.host.stop; }
  const TrialOptions& options() const { return options_; }

 private:
  std::optional<CaseResult> fails(const Case& source, int attempts);
  CaseResult attempt(const Case& source);
  void charge(const PreparedCase& prepared, const CaseResult& result);

  TrialOptions options_;
  CaseResult original_{};
  Manner manner_{};
  std::unique_ptr<Host> host_{};
  std::size_t count_ = 0;
  double spent_ = 0;
};

/// The case that warms a backend up: the same problem with other data.
Case warm_up_of(const Case& source);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_SHRINK_TRIAL_H_
