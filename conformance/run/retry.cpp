// SPDX-License-Identifier: Apache-2.0
#include "conformance/run/retry.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace concord::conformance {
namespace {

// So many cases that a signal ended again and again settle whose signal it is.
constexpr int kOwnSignals = 3;
// And so many tries of one case in one way: who kills one process may well kill the next one, too.
constexpr int kTriesAgainstSignals = 3;

bool is_lost(const CaseResult& result) {
  return result.loss == Loss::kOwn || result.loss == Loss::kPerhapsOutside;
}

// There is no verdict: the run was stopped, or this machine could not start a process.
bool says_nothing(const CaseResult& result) {
  return result.loss == Loss::kStopped || result.loss == Loss::kNotStarted;
}

/// The later tries of a case: alone, and at last after another case.
struct Tries {
  /// How many of all ended the process, the first one included.
  std::ptrdiff_t lost() const { return 1 + std::count_if(results.begin(), results.end(), is_lost); }

  std::vector<CaseResult> results{};
  bool lost_alone = false;  ///< in each try alone
  std::string after{};      ///< the id of the case before the last one
};

// Each try is repeated while a signal that may be someone else's ends it.
Tries try_again(PreparedCase& prepared, const Case* before, Host& host,
                const ExamineOptions& options, const CaseResult& first) {
  Tries tries;
  for (int i = 0; i < kTriesAgainstSignals; ++i) {
    tries.results.push_back(examine(prepared, host, options));
    if (tries.results.back().loss != Loss::kPerhapsOutside) break;
  }
  tries.lost_alone = is_lost(tries.results.back());
  // A second hang in vain would cost as much as the first: the deadline.
  const bool hung = first.verdict == Verdict::kHang;
  if (hung || before == nullptr || tries.results.back().loss != Loss::kNone) return tries;
  PreparedCase earlier(*before);
  for (int i = 0; i < kTriesAgainstSignals; ++i) {
    host.stop();
    const Loss loss_before = examine(earlier, host, options).loss;
    if (loss_before == Loss::kPerhapsOutside) continue;
    if (loss_before != Loss::kNone) break;
    tries.results.push_back(examine(prepared, host, options));
    tries.after = before->id;
    if (tries.results.back().loss != Loss::kPerhapsOutside) break;
  }
  return tries;
}

std::string how_tried(const Tries& tries) {
  return tries.after.empty() ? "alone" : fmt::format("alone and after {}", tries.after);
}

// The verdict of a case whose process a signal of someone else's ended.
CaseResult without_signal(const CaseResult& first, const Tries& tries) {
  const auto& all = tries.results;
  const auto failed = std::find_if(all.begin(), all.end(), [](const CaseResult& result) {
    return !is_lost(result) && is_failure(result.verdict);
  });
  CaseResult result = failed == all.end() ? all.back() : *failed;
  if (!result.reason.empty()) result.reason += "; ";
  result.reason +=
      fmt::format("a signal from outside ended {} of {} tries ({}), but not the last, {}",
                  tries.lost(), 1 + all.size(), first.reason, how_tried(tries));
  return result;
}

}  // namespace

bool RetryBudget::take(const CaseResult& result) {
  if (result.loss == Loss::kPerhapsOutside) return own_signals_ < kOwnSignals;
  if (result.loss != Loss::kOwn) return false;
  return (result.verdict == Verdict::kHang ? hangs_ : crashes_).fetch_sub(1) > 0;
}

CaseResult examine_again_if_lost(PreparedCase& prepared, const Case* before, Host& host,
                                 const ExamineOptions& options, RetryBudget& budget) {
  CaseResult first = examine(prepared, host, options);
  if (!budget.take(first)) return first;
  const Tries tries = try_again(prepared, before, host, options, first);
  const CaseResult& last = tries.results.back();
  if (says_nothing(last)) return last;
  if (first.loss == Loss::kPerhapsOutside) {
    if (!is_lost(last)) return without_signal(first, tries);
    budget.note_own_signal();
  }
  if (tries.lost_alone) return first;  // each time: nothing to explain
  first.reason += is_lost(last)
                      ? fmt::format("; not when tried alone, but again after {}", tries.after)
                      : fmt::format("; flaky: failed {} of {} times, but not the last, {}",
                                    tries.lost(), tries.results.size() + 1, how_tried(tries));
  return first;
}

}  // namespace concord::conformance
