// SPDX-License-Identifier: Apache-2.0
#include "conformance/diagnose/rules.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

namespace concord::conformance {
namespace {

constexpr std::size_t kMostConditions = 3;
// How many rules of two conditions are carried on.
constexpr std::size_t kBeam = 200;

const Rule& first_of(const std::vector<Rule>& rules) {
  return *std::min_element(rules.begin(), rules.end(), [](const Rule& a, const Rule& b) {
    return a.wrong != b.wrong ? a.wrong < b.wrong : a.conditions < b.conditions;
  });
}

// Bits that tell which `part` of `whole` cases are meant.
double choice_bits(std::size_t part, std::size_t whole) {
  if (part == 0 || part == whole) return 0;
  const auto p = static_cast<double>(part), w = static_cast<double>(whole);
  return p * std::log2(w / p) + (w - p) * std::log2(w / (w - p));
}

}  // namespace

/// A rule and one more condition, not yet made.
struct Rules::Extension {
  std::size_t rank, rule, condition;
  bool operator<(const Extension& other) const {
    return std::tie(rank, rule, condition) < std::tie(other.rank, other.rule, other.condition);
  }
};

Rules::Rules(const std::vector<Condition>& conditions, const std::vector<bool>& failed,
             const std::vector<bool>& chosen) {
  const std::size_t count = failed.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (chosen[i]) ++(failed[i] ? failures_ : passes_);
  }
  for (const Condition& condition : conditions) {
    Cover of_failed(failures_), of_passed(passes_);
    std::size_t failure = 0, pass = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (!chosen[i]) continue;
      const std::size_t number = failed[i] ? failure++ : pass++;
      if (condition.holds[i]) (failed[i] ? of_failed : of_passed).insert(number);
    }
    covers_.push_back({{covers_.size()}, std::move(of_failed), std::move(of_passed), 0});
    covers_.back().wrong = wrong(covers_.back());
  }
}

std::vector<Rule> Rules::best_of_each_length() const {
  std::vector<Rule> best;
  std::vector<Rule> beam = covers_;
  while (!beam.empty()) {
    best.push_back(first_of(beam));
    if (best.size() == kMostConditions || best.back().wrong == 0) break;
    beam = extended(beam);
  }
  return best;
}

Rule Rules::rule_of(std::vector<std::size_t> conditions) const {
  Rule rule = covers_[conditions.front()];
  for (const std::size_t c : conditions) {
    rule.failed = rule.failed & covers_[c].failed;
    rule.passed = rule.passed & covers_[c].passed;
  }
  rule.wrong = wrong(rule);
  rule.conditions = std::move(conditions);
  return rule;
}

double Rules::bits(const Rule& rule) const {
  if (rule.conditions.empty()) return choice_bits(failures_, failures_ + passes_);
  const std::size_t failed = rule.failed.count(), passed = rule.passed.count();
  return static_cast<double>(rule.conditions.size()) *
             std::log2(static_cast<double>(covers_.size())) +
         choice_bits(failed, failed + passed) +
         choice_bits(failures_ - failed, failures_ - failed + passes_ - passed);
}

// A rule that covers all failures can become exact, whatever else it covers; so it ranks high.
std::size_t Rules::rank_of(std::size_t failed, std::size_t passed) const {
  return 5 * (failures_ - failed) + passed;
}

// In ascending order. A rule's failures are counted first: they alone often rank it too low.
std::vector<Rules::Extension> Rules::best_extensions(const std::vector<Rule>& beam) const {
  // The same set of conditions comes from each of its parts: no more than these can be kept.
  constexpr std::size_t kMost = kBeam * kMostConditions;
  std::vector<Extension> best;  // a heap, its last in order in front
  for (std::size_t r = 0; r < beam.size(); ++r) {
    const std::size_t passed = beam[r].passed.count();
    for (std::size_t c = 0; c < covers_.size(); ++c) {
      const std::size_t failed = beam[r].failed.count_with(covers_[c].failed);
      if (best.size() == kMost && rank_of(failed, 0) > best.front().rank) continue;
      const std::size_t still_passed = beam[r].passed.count_with(covers_[c].passed);
      if (still_passed == passed) continue;
      best.push_back({rank_of(failed, still_passed), r, c});
      std::push_heap(best.begin(), best.end());
      if (best.size() <= kMost) continue;
      std::pop_heap(best.begin(), best.end());
      best.pop_back();
    }
  }
  std::sort_heap(best.begin(), best.end());
  return best;
}

std::vector<Rule> Rules::extended(const std::vector<Rule>& beam) const {
  std::map<std::vector<std::size_t>, Rule> kept;  // each set of conditions once
  for (const Extension& e : best_extensions(beam)) {
    if (kept.size() == kBeam) break;
    const Rule& rule = beam[e.rule];
    std::vector<std::size_t> conditions = rule.conditions;
    conditions.insert(std::upper_bound(conditions.begin(), conditions.end(), e.condition),
                      e.condition);
    Rule longer{conditions, rule.failed & covers_[e.condition].failed,
                rule.passed & covers_[e.condition].passed, 0};
    longer.wrong = wrong(longer);
    kept.emplace(std::move(conditions), std::move(longer));
  }
  std::vector<Rule> rules;
  rules.reserve(kept.size());
  for (auto& [conditions, rule] : kept) rules.push_back(std::move(rule));
  return rules;
}

std::size_t Rules::wrong(const Rule& rule) const {
  return failures_ - rule.failed.count() + rule.passed.count();
}

}  // namespace concord::conformance
