// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <tuple>

#include "conformance/diagnose/conditions.h"
#include "conformance/diagnose/diagnosis.h"
#include "conformance/output/summary.h"

namespace concord::conformance {
namespace {

constexpr std::size_t kFewestFailures = 3;
constexpr std::size_t kMostConditions = 3;
// How many rules of two conditions are carried on.
constexpr std::size_t kBeam = 200;

/// A set of cases: which ones of the failures, and which ones of the passes.
class Cover {
 public:
  explicit Cover(std::size_t size) : words_((size + 63) / 64) {}
  void insert(std::size_t i) { words_[i / 64] |= std::uint64_t{1} << i % 64; }
  std::size_t count() const {
    std::size_t sum = 0;
    for (const std::uint64_t word : words_) sum += static_cast<std::size_t>(std::popcount(word));
    return sum;
  }
  /// Of the cases in both.
  std::size_t count_with(const Cover& other) const {
    std::size_t sum = 0;
    for (std::size_t i = 0; i < words_.size(); ++i) {
      sum += static_cast<std::size_t>(std::popcount(words_[i] & other.words_[i]));
    }
    return sum;
  }
  Cover operator&(const Cover& other) const {
    Cover both = *this;
    for (std::size_t i = 0; i < words_.size(); ++i) both.words_[i] &= other.words_[i];
    return both;
  }

 private:
  std::vector<std::uint64_t> words_;
};

struct Rule {
  std::vector<std::size_t> conditions{};  ///< ascending
  Cover failed, passed;
  std::size_t wrong = 0;  ///< failures that it misses and passes that it covers
};

class Rules {
 public:
  Rules(const std::vector<Condition>& conditions, const std::vector<bool>& failed) {
    failures_ = static_cast<std::size_t>(std::count(failed.begin(), failed.end(), true));
    for (const Condition& condition : conditions) {
      Cover of_failed(failed.size()), of_passed(failed.size());
      for (std::size_t i = 0; i < failed.size(); ++i) {
        if (condition.holds[i]) (failed[i] ? of_failed : of_passed).insert(i);
      }
      covers_.push_back({{covers_.size()}, std::move(of_failed), std::move(of_passed), 0});
      covers_.back().wrong = wrong(covers_.back());
    }
  }

  /// Of the rules that are wrong about the fewest cases the shortest; of these the first.
  Rule best() const {
    std::vector<Rule> beam = covers_;
    Rule best = first_of(beam);
    for (std::size_t length = 2; length <= kMostConditions && best.wrong > 0; ++length) {
      beam = extended(beam);
      if (beam.empty()) break;
      const Rule& candidate = first_of(beam);
      if (candidate.wrong < best.wrong) best = candidate;
    }
    return best;
  }

 private:
  /// A rule and one more condition, not yet made.
  struct Extension {
    std::size_t rank, rule, condition;
    bool operator<(const Extension& other) const {
      return std::tie(rank, rule, condition) < std::tie(other.rank, other.rule, other.condition);
    }
  };

  static const Rule& first_of(const std::vector<Rule>& rules) {
    return *std::min_element(rules.begin(), rules.end(), [](const Rule& a, const Rule& b) {
      return a.wrong != b.wrong ? a.wrong < b.wrong : a.conditions < b.conditions;
    });
  }

  // A rule that covers all failures can become exact, whatever else it covers; so it ranks high.
  std::size_t rank_of(std::size_t failed, std::size_t passed) const {
    return 5 * (failures_ - failed) + passed;
  }

  std::vector<Rule> extended(const std::vector<Rule>& beam) const {
    std::vector<Extension> extensions;
    for (std::size_t r = 0; r < beam.size(); ++r) {
      const std::size_t passed = beam[r].passed.count();
      for (std::size_t c = 0; c < covers_.size(); ++c) {
        const std::size_t still_passed = beam[r].passed.count_with(covers_[c].passed);
        if (still_passed == passed) continue;
        extensions.push_back(
            {rank_of(beam[r].failed.count_with(covers_[c].failed), still_passed), r, c});
      }
    }
    // The same set of conditions comes from each of its parts: no more than these can be kept.
    const std::size_t most = std::min(extensions.size(), kBeam * kMostConditions);
    const auto end = extensions.begin() + static_cast<std::ptrdiff_t>(most);
    std::nth_element(extensions.begin(), end, extensions.end());
    std::sort(extensions.begin(), end);
    extensions.resize(most);
    std::map<std::vector<std::size_t>, Rule> kept;  // each set of conditions once
    for (const Extension& e : extensions) {
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

  std::size_t wrong(const Rule& rule) const {
    return failures_ - rule.failed.count() + rule.passed.count();
  }

  std::size_t failures_ = 0;
  std::vector<Rule> covers_{};
};

}  // namespace

std::string to_string(const Diagnosis& d) {
  if (d.conditions.empty()) {
    return fmt::format("fails everywhere: {} of {}", grouped(d.covered_failed), grouped(d.covered));
  }
  const bool always = d.covered == d.covered_failed;
  std::string text =
      fmt::format("fails {} {}: {} of {}; ", always ? "whenever" : "where",
                  fmt::join(d.conditions, " and "), grouped(d.covered_failed), grouped(d.covered));
  text += always && d.others_failed == 0 ? "never otherwise" : "elsewhere";
  return text + fmt::format(": {} of {}", grouped(d.others_failed), grouped(d.others));
}

std::optional<Diagnosis> diagnose(const std::vector<Case>& cases,
                                  const std::vector<std::optional<CaseResult>>& results) {
  std::vector<const Case*> judged;
  std::vector<bool> failed;
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (!results[i]) continue;
    const bool fails = is_failure(results[i]->verdict);
    if (!fails && results[i]->verdict != Verdict::kPass) continue;
    judged.push_back(&cases[i]);
    failed.push_back(fails);
  }
  const auto failures = static_cast<std::size_t>(std::count(failed.begin(), failed.end(), true));
  if (failures < kFewestFailures) return std::nullopt;
  Diagnosis diagnosis{.covered = failures, .covered_failed = failures};
  if (failures == judged.size()) {
    diagnosis.sentence = to_string(diagnosis);
    return diagnosis;
  }
  const std::vector<Condition> conditions = conditions_of(judged);
  if (conditions.empty()) return std::nullopt;
  const Rule rule = Rules(conditions, failed).best();
  if (2 * rule.wrong > failures) return std::nullopt;
  for (const std::size_t c : rule.conditions) diagnosis.conditions.push_back(conditions[c].text);
  diagnosis.covered_failed = rule.failed.count();
  diagnosis.covered = diagnosis.covered_failed + rule.passed.count();
  diagnosis.others = judged.size() - diagnosis.covered;
  diagnosis.others_failed = failures - diagnosis.covered_failed;
  diagnosis.sentence = to_string(diagnosis);
  return diagnosis;
}

}  // namespace concord::conformance
