// SPDX-License-Identifier: Apache-2.0
#include "conformance/shrink/trial.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "spec/interrupt.h"

namespace concord::conformance {
namespace {

// "in execute: SIGSEGV": how a process was lost, without the place that the accident hit.
std::string_view kind_of_loss(const CaseResult& result) {
  const std::string_view reason = result.reason;
  const std::size_t first = reason.find(": ");
  return reason.substr(0, first == std::string_view::npos ? first : reason.find(':', first + 1));
}

// What became of a trial, as what follows "it".
std::string outcome_text(const CaseResult& result, bool same) {
  const std::string detail = result.reason.empty() ? "" : fmt::format(" ({})", result.reason);
  switch (result.verdict) {
    case Verdict::kPass:
      return "passed";
    case Verdict::kVacuous:
      return "proved nothing";
    case Verdict::kDeclined:
      return "was declined" + detail;
    case Verdict::kFail:
      return same ? "failed"
                  : fmt::format("failed differently, in the {} tier", to_string(result.tier));
    case Verdict::kClaimBroken:
      return "broke its claim" + (same ? "" : detail);
    case Verdict::kCrash:
      return "crashed" + (same ? "" : detail);
    case Verdict::kHang:
      return "timed out" + (same ? "" : detail);
    case Verdict::kHarnessError:
      return "could not be tried" + detail;
  }
  return {};
}

void note(std::vector<std::pair<std::string, int>>& tally, const std::string& what) {
  for (auto& [known, times] : tally) {
    if (known != what) continue;
    ++times;
    return;
  }
  tally.emplace_back(what, 1);
}

// A smaller problem that is passed over for want of luck does no harm.
constexpr int kAttemptsOfSearch = 16;
// What fails so often in a row is taken to fail always. A race that shows in a quarter of all
// trials does so eight times in a row once in 65,000 searches. Lost processes cost too much for so
// many.
constexpr int kRow = 8;
constexpr int kRowOfLosses = 3;

}  // namespace

Trials::Trials(TrialOptions options) : options_(std::move(options)) {}

bool is_same_failure(const CaseResult& original, const CaseResult& now) {
  if (now.verdict != original.verdict) return false;
  if (now.tier == Tier::kProcess && original.tier == Tier::kProcess) {
    return kind_of_loss(original) == kind_of_loss(now);
  }
  return now.tier == original.tier ||
         (original.tier == Tier::kInterval && now.tier == Tier::kExact);
}

bool Trials::settle(const Case& source, const CaseResult& original) {
  original_ = original;
  if (settle_as({}, "alone", source)) return true;
  if (settle_as({.warmed = true}, "after the same problem with other data", source)) return true;
  const std::vector<Case>& before = options_.predecessors;
  const std::string after =
      fmt::format("after the {} before it in its process",
                  before.size() == 1 ? "case" : std::to_string(before.size()) + " cases");
  if (!before.empty() && settle_as({.before = before}, after, source)) {
    reduce_predecessors(source);
    return true;
  }
  return settle_as({.attempts = kAttempts}, "repeatedly", source);
}

bool Trials::settle_as(TrialSetup setup, std::string_view name, const Case& source) {
  if (exhausted()) return false;
  setup_ = std::move(setup);
  tally_.clear();
  const int enough = original_.tier == Tier::kProcess ? kRowOfLosses : kRow;
  int row = 0;
  while (row < enough && fails(source, setup_.attempts)) ++row;
  std::vector<std::string> counts;
  for (const auto& [what, times] : tally_) {
    counts.push_back(times == 1 ? what + " once" : fmt::format("{} {} times", what, times));
  }
  tried_ += fmt::format("{}{} it {}", tried_.empty() ? "" : "; ", name, fmt::join(counts, " and "));
  return row == enough || (row > 0 && (setup_.attempts > 1 || exhausted()));
}

// One predecessor, if that is enough; else the fewest of the last ones that halving finds.
void Trials::reduce_predecessors(const Case& source) {
  const std::string tried = tried_;
  std::vector<Case> needed = setup_.before;
  const auto suffices = [&](std::vector<Case> before) {
    if (!settle_as({.before = before}, "", source)) return false;
    needed = std::move(before);
    return true;
  };
  for (std::size_t i = needed.size(); i-- > 0 && needed.size() > 1;) suffices({needed[i]});
  while (needed.size() > 1) {
    const auto half = static_cast<std::ptrdiff_t>(needed.size() / 2);
    if (!suffices({needed.begin() + half, needed.end()})) break;
  }
  setup_ = {.before = std::move(needed)};
  tried_ = tried;
}

std::chrono::milliseconds Trials::time_left() const {
  const auto spent =
      std::chrono::ceil<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin_);
  return std::max(options_.time_limit - spent, std::chrono::milliseconds(0));
}

std::string Trials::limit() const {
  if (options_.stop != nullptr && *options_.stop) return "it was stopped";
  if (spent_ >= options_.budget) return fmt::format("the budget of {} ran out", options_.budget);
  if (time_left() > std::chrono::milliseconds(0)) return {};
  const std::chrono::duration<double> seconds = options_.time_limit;
  return fmt::format("the time limit of {} s ran out", seconds.count());
}

std::optional<CaseResult> Trials::fails(const Case& source) {
  return fails(source, std::min(setup_.attempts, kAttemptsOfSearch));
}

std::optional<CaseResult> Trials::fails_anew(const Case& source) {
  host_.reset();
  ++count_;
  CaseResult result = attempt(source);
  if (!is_same_failure(original_, result)) return std::nullopt;
  return result;
}

std::optional<CaseResult> Trials::fails(const Case& source, int attempts) {
  for (int i = 0; i < attempts && !exhausted(); ++i) {
    ++count_;
    CaseResult result = attempt(source);
    const bool same = is_same_failure(original_, result);
    note(tally_, outcome_text(result, same));
    if (same) return result;
  }
  return std::nullopt;
}

// A backend that is tried warm starts anew each time: what it remembers is one case, always.
CaseResult Trials::attempt(const Case& source) {
  const InterruptScope scope(options_.host.stop);
  PreparedCase prepared(source);
  const bool alone = !setup_.warmed && setup_.before.empty() && !always_anew_;
  if (!alone || host_ == nullptr) {
    host_ = std::make_unique<Host>(options_.backend, options_.host);
  }
  if (setup_.warmed) {
    const Case other = warm_up_of(source);
    PreparedCase before(other);
    charge(before, examine(before, *host_, options_.examine));
  }
  for (const Case& each : setup_.before) {
    PreparedCase before(each);
    charge(before, examine(before, *host_, options_.examine));
  }
  CaseResult result = examine(prepared, *host_, options_.examine);
  charge(prepared, result);
  if (!alone) host_.reset();  // what comes next starts anew, and so does what is tried alone
  return result;
}

void Trials::charge(const PreparedCase& prepared, const CaseResult& result) {
  double cost = 1;
  if (const auto& geometry = prepared.geometry()) {
    const auto elements = element_count(geometry->dst.dims).value_or(0);
    cost += static_cast<double>(elements) * static_cast<double>(geometry->products) / 2e7;
  }
  if (result.verdict == Verdict::kCrash) cost += 5;
  if (result.verdict == Verdict::kHang) cost += 50;
  spent_ += cost;
}

}  // namespace concord::conformance
