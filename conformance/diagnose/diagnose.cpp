// SPDX-License-Identifier: Apache-2.0
#include "conformance/diagnose/diagnose.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "conformance/diagnose/conditions.h"
#include "conformance/diagnose/places.h"
#include "conformance/diagnose/rules.h"
#include "conformance/record/grouped.h"
#include "reference/reference.h"

namespace concord::conformance {
namespace {

constexpr std::size_t kFewestFailures = 3;
// From so many failures on a rule is made from one half of the cases and tried on the other.
constexpr std::size_t kEnoughForHalves = 20;

/// The cases that a diagnosis is about.
struct Judged {
  std::vector<std::shared_ptr<const Case>> cases{};  ///< of the subjects
  std::vector<Subject> subjects{};
  std::vector<bool> failed{};
  std::vector<std::size_t> places{};  ///< among all cases
  std::size_t failures = 0;
  bool refusals_left_out = false;
};

// A refusal of an invalid problem computes nothing. So where no invalid problem fails, they are not
// what a rule tells the failures from, and where only they fail, the others are not.
Judged judged_cases(const CaseList& cases, const Sparse<CaseResult>& results) {
  Judged all, valid, invalid;
  const auto add = [&](Judged& judged, const std::shared_ptr<const Case>& source, std::size_t i,
                       bool fails) {
    judged.cases.push_back(source);
    judged.subjects.push_back({source.get(), &*results[i]});
    judged.failed.push_back(fails);
    judged.places.push_back(i);
    judged.failures += fails ? 1U : 0U;
  };
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (!results[i]) continue;
    const bool fails = is_failure(results[i]->verdict);
    if (!fails && results[i]->verdict != Verdict::kPass) continue;
    const auto source = std::make_shared<const Case>(cases[i]);
    const auto geometry = reference::resolve(source->problem);
    // Where nothing is multiplied, passing says little of wrong values.
    const bool multiplies_nothing = geometry && (element_count(geometry->dst.dims) == 0 ||
                                                 element_count(source->problem.src.dims) == 0);
    if (!fails && multiplies_nothing) continue;
    add(all, source, i, fails);
    add(geometry ? valid : invalid, source, i, fails);
  }
  valid.refusals_left_out = !invalid.subjects.empty();
  if (invalid.failures == 0) return valid;
  return valid.failures == 0 ? invalid : all;
}

// A condition that is true of a failure and not of the smallest case that still fails so is none of
// its causes. The smallest case stands at `size` and behind, one for each of `originals`. Its data
// are of no fill.
void drop_disproved(std::size_t size, const std::vector<std::size_t>& originals,
                    std::vector<Condition>& conditions) {
  std::erase_if(conditions, [&](const Condition& condition) {
    if (condition.text.starts_with("fill = ")) return false;
    for (std::size_t s = 0; s < originals.size(); ++s) {
      if (condition.holds[originals[s]] && !condition.holds[size + s]) return true;
    }
    return false;
  });
}

// The smallest cases of failures among `judged`, which become subjects behind the others; and
// whose they are.
std::vector<std::size_t> add_smallest(const std::vector<Shrunk>& shrunk, Judged& judged) {
  std::vector<std::size_t> originals;
  const auto begin = judged.places.begin(), end = judged.places.end();
  for (const Shrunk& each : shrunk) {
    const auto place = std::lower_bound(begin, end, each.of);
    if (!each.fails_again || place == end || *place != each.of) continue;
    originals.push_back(static_cast<std::size_t>(place - begin));
    judged.subjects.push_back({&each.smallest, &each.result});
  }
  return originals;
}

std::vector<bool> holds_of(const std::vector<Condition>& conditions, const Rule& rule) {
  std::vector<bool> holds(conditions.front().holds.size(), true);
  for (const std::size_t c : rule.conditions) {
    for (std::size_t i = 0; i < holds.size(); ++i) {
      holds[i] = holds[i] && conditions[c].holds[i];
    }
  }
  return holds;
}

// The most conditions with which a rule that is found on the chosen cases is wrong about fewer of
// the others than one with less.
std::size_t longest_worthwhile(const std::vector<Condition>& conditions,
                               const std::vector<bool>& failed, const std::vector<bool>& chosen) {
  std::size_t longest = 0, fewest = failed.size() + 1;
  for (const Rule& rule : Rules(conditions, failed, chosen).best_of_each_length()) {
    const std::vector<bool> holds = holds_of(conditions, rule);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < failed.size(); ++i) {
      if (!chosen[i] && holds[i] != failed[i]) ++wrong;
    }
    if (wrong >= fewest) continue;
    fewest = wrong;
    longest = rule.conditions.size();
  }
  return longest;
}

// The same with every second failure and every second pass, and with the others.
std::size_t longest_worthwhile(const std::vector<Condition>& conditions,
                               const std::vector<bool>& failed) {
  std::vector<bool> half(failed.size());
  std::size_t seen[2] = {0, 0};
  for (std::size_t i = 0; i < failed.size(); ++i) half[i] = seen[failed[i] ? 1 : 0]++ % 2 == 0;
  const std::size_t longest = longest_worthwhile(conditions, failed, half);
  half.flip();
  return std::max(longest, longest_worthwhile(conditions, failed, half));
}

// A rule explains what fails: of what it covers two in three do, it covers half of the failures,
// and what it does not cover fails less than half as often.
bool explains(const Rule& rule, std::size_t failures, std::size_t judged) {
  const std::size_t failed = rule.failed.count(), covered = failed + rule.passed.count();
  const std::size_t others_failed = failures - failed, others = judged - covered;
  return 2 * rule.wrong <= failures && 2 * others_failed * covered <= failed * others;
}

// Of the rules that explain the failures the one with which it takes the fewest bits to tell what
// fails; nothing if it takes no fewer without one.
std::optional<Rule> best_rule(const std::vector<Condition>& conditions,
                              const std::vector<bool>& failed, std::size_t failures) {
  const Rules rules(conditions, failed, std::vector<bool>(failed.size(), true));
  const std::size_t longest =
      failures < kEnoughForHalves ? conditions.size() : longest_worthwhile(conditions, failed);
  std::optional<Rule> best;
  double fewest = rules.bits(Rule{{}, Cover(0), Cover(0), 0});
  const auto consider = [&](const Rule& rule) {
    const double bits = rules.bits(rule);
    if (bits >= fewest || !explains(rule, failures, failed.size())) return false;
    fewest = bits;
    best = rule;
    return true;
  };
  for (const Rule& rule : rules.best_of_each_length()) {
    if (rule.conditions.size() <= longest || rule.wrong == 0) consider(rule);
  }
  for (bool dropped = true; dropped && best && best->conditions.size() > 1;) {
    dropped = false;
    const std::vector<std::size_t> all = best->conditions;
    for (const std::size_t c : all) {
      std::vector<std::size_t> fewer = all;
      std::erase(fewer, c);
      dropped = consider(rules.rule_of(std::move(fewer))) || dropped;
    }
  }
  return best;
}

}  // namespace

std::string to_string(const Diagnosis& d) {
  if (d.conditions.empty()) {
    return fmt::format("fails {}: {} of {}",
                       d.refusals_left_out ? "for every valid problem" : "everywhere",
                       grouped(d.covered_failed), grouped(d.covered));
  }
  const bool always = d.covered == d.covered_failed;
  std::string text =
      fmt::format("fails {} {}: {} of {}; ", always ? "whenever" : "where",
                  fmt::join(d.conditions, " and "), grouped(d.covered_failed), grouped(d.covered));
  text += always && d.others_failed == 0 ? "never otherwise" : "elsewhere";
  return text + fmt::format(": {} of {}", grouped(d.others_failed), grouped(d.others));
}

std::optional<Diagnosis> diagnose(const CaseList& cases, const Sparse<CaseResult>& results,
                                  const std::vector<Shrunk>& shrunk, int threads) {
  std::size_t failures = 0;
  for (const auto& result : results) {
    if (result && is_failure(result->verdict)) ++failures;
  }
  if (failures < kFewestFailures) return std::nullopt;
  Judged judged = judged_cases(cases, results);
  const std::size_t count = judged.failed.size();
  if (judged.failures < kFewestFailures) return std::nullopt;
  Diagnosis diagnosis{
      .covered = count, .covered_failed = count, .refusals_left_out = judged.refusals_left_out};
  if (judged.failures == count) {
    diagnosis.sentence = to_string(diagnosis);
    return diagnosis;
  }
  const std::vector<std::size_t> originals = add_smallest(shrunk, judged);
  std::vector<Condition> conditions = conditions_of(judged.subjects, threads);
  drop_disproved(count, originals, conditions);
  if (conditions.empty()) return std::nullopt;
  const auto rule = best_rule(conditions, judged.failed, judged.failures);
  if (!rule) return std::nullopt;
  for (const std::size_t c : rule->conditions) diagnosis.conditions.push_back(conditions[c].text);
  diagnosis.covered_failed = rule->failed.count();
  diagnosis.covered = diagnosis.covered_failed + rule->passed.count();
  diagnosis.others = count - diagnosis.covered;
  diagnosis.others_failed = judged.failures - diagnosis.covered_failed;
  diagnosis.sentence = to_string(diagnosis);
  const std::string places = wrong_places(cases, results);
  if (!places.empty()) diagnosis.sentence += "; " + places;
  return diagnosis;
}

}  // namespace concord::conformance
