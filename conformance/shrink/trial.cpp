// SPDX-License-Identifier: Apache-2.0
#include "conformance/shrink/trial.h"

#include <algorithm>
#include <chrono>

#include "spec/interrupt.h"

namespace concord::conformance {
namespace {

// Whoever waits for the smallest of many hangs does not wait long for each.
constexpr std::chrono::milliseconds kPatience{2000};

// "in execute: SIGSEGV": how a process was lost, without the place that the accident hit.
std::string_view kind_of_loss(const CaseResult& result) {
  const std::string_view reason = result.reason;
  const std::size_t first = reason.find(": ");
  return reason.substr(0, first == std::string_view::npos ? first : reason.find(':', first + 1));
}

// A smaller problem that is passed over for want of luck does no harm.
constexpr int kAttemptsOfSearch = 16;
// What fails so often in a row is taken to fail always. A race that shows in a quarter of all
// trials does so eight times in a row once in 65,000 searches. Lost processes cost too much for so
// many.
constexpr int kRow = 8;
constexpr int kRowOfLosses = 3;
constexpr std::uint64_t kOtherData = 0x9E3779B97F4A7C15U;

}  // namespace

Trials::Trials(TrialOptions options) : options_(std::move(options)) {
  options_.host.deadline = std::min(options_.host.deadline, kPatience);
}

bool is_same_failure(const CaseResult& original, const CaseResult& now) {
  if (now.verdict != original.verdict) return false;
  if (now.tier == Tier::kProcess && original.tier == Tier::kProcess) {
    return kind_of_loss(original) == kind_of_loss(now);
  }
  return now.tier == original.tier ||
         (original.tier == Tier::kInterval && now.tier == Tier::kExact);
}

Case warm_up_of(const Case& source) {
  Case other = source;
  other.recorded.reset();
  other.fill = Fill::kIntegers;
  other.seed ^= kOtherData;
  return other;
}

bool Trials::settle(const Case& source, const CaseResult& original) {
  original_ = original;
  const int enough = original.tier == Tier::kProcess ? kRowOfLosses : kRow;
  for (const Manner manner : {Manner{false, 1}, Manner{true, 1}, Manner{false, kAttempts}}) {
    manner_ = manner;
    int row = 0;
    while (row < enough && fails(source, manner.attempts)) ++row;
    if (row == enough || (row > 0 && (manner.attempts > 1 || exhausted()))) return true;
  }
  return false;
}

std::optional<CaseResult> Trials::fails(const Case& source) {
  return fails(source, std::min(manner_.attempts, kAttemptsOfSearch));
}

std::optional<CaseResult> Trials::fails(const Case& source, int attempts) {
  for (int i = 0; i < attempts && !exhausted(); ++i) {
    ++count_;
    CaseResult result = attempt(source);
    if (is_same_failure(original_, result)) return result;
  }
  return std::nullopt;
}

// A backend that is tried warm starts anew each time: what it remembers is one case, always.
CaseResult Trials::attempt(const Case& source) {
  const InterruptScope scope(options_.host.stop);
  PreparedCase prepared(source);
  if (manner_.warmed || host_ == nullptr) {
    host_ = std::make_unique<Host>(options_.backend, options_.host);
  }
  if (manner_.warmed) {
    const Case other = warm_up_of(source);
    PreparedCase before(other);
    charge(before, examine(before, *host_, options_.examine));
  }
  CaseResult result = examine(prepared, *host_, options_.examine);
  charge(prepared, result);
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
