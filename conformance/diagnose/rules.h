// SPDX-License-Identifier: Apache-2.0
// Rules: conjunctions of conditions that separate failing from passing cases.
#ifndef CONCORD_CONFORMANCE_DIAGNOSE_RULES_H_
#define CONCORD_CONFORMANCE_DIAGNOSE_RULES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "conformance/diagnose/conditions.h"

namespace concord::conformance {

/// std::popcount, in steps that compilers vectorise: of a processor that may lack the instruction
/// they call a function for each word.
constexpr std::size_t count_bits(std::uint64_t word) {
  word -= word >> 1U & 0x5555555555555555U;
  word = (word & 0x3333333333333333U) + (word >> 2U & 0x3333333333333333U);
  word = (word + (word >> 4U)) & 0x0f0f0f0f0f0f0f0fU;
  word += word >> 8U;
  word += word >> 16U;
  word += word >> 32U;
  return word & 0x7fU;
}

/// A set of failures, or of passes, by their numbers among their like.
class Cover {
 public:
  explicit Cover(std::size_t size) : words_((size + 63) / 64) {}
  void insert(std::size_t i) { words_[i / 64] |= std::uint64_t{1} << i % 64; }
  std::size_t count() const {
    std::size_t sum = 0;
    for (const std::uint64_t word : words_) sum += count_bits(word);
    return sum;
  }
  /// Of the cases in both.
  std::size_t count_with(const Cover& other) const {
    std::size_t sum = 0;
    for (std::size_t i = 0; i < words_.size(); ++i) {
      sum += count_bits(words_[i] & other.words_[i]);
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

/// The rules over some cases: `chosen` says which of them count.
class Rules {
 public:
  Rules(const std::vector<Condition>& conditions, const std::vector<bool>& failed,
        const std::vector<bool>& chosen);

  /// Of the rules of one condition, of two and so on up to three, the one that is wrong about the
  /// fewest cases; of several the first.
  std::vector<Rule> best_of_each_length() const;

  /// The rule of these conditions.
  Rule rule_of(std::vector<std::size_t> conditions) const;

  /// How many bits it takes to tell which cases fail, given the rule, and the rule itself: each
  /// condition is one of all. No condition: without a rule.
  double bits(const Rule& rule) const;

 private:
  struct Extension;
  std::vector<Extension> best_extensions(const std::vector<Rule>& beam) const;
  std::vector<Rule> extended(const std::vector<Rule>& beam) const;
  std::size_t rank_of(std::size_t failed, std::size_t passed) const;
  std::size_t wrong(const Rule& rule) const;

  std::size_t failures_ = 0, passes_ = 0;
  std::vector<Rule> covers_{};  ///< the rules of one condition
};

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_DIAGNOSE_RULES_H_
