// SPDX-License-Identifier: Apache-2.0
#include "conformance/catalog/coverage.h"

#include <bit>
#include <set>
#include <utility>

#include "conformance/catalog/attribute_model.h"
#include "conformance/catalog/row_completion.h"
#include "spec/check.h"

namespace concord::conformance {
namespace {

constexpr std::size_t kBits = 64, kMostWords = 4;

std::uint64_t bit(std::size_t place) { return std::uint64_t{1} << place % kBits; }

// Calls `look` with every three of so many factors, in rising order.
template <class Look>
void for_triples(std::size_t factors, Look look) {
  for (std::size_t f = 0; f < factors; ++f) {
    for (std::size_t g = f + 1; g < factors; ++g) {
      for (std::size_t h = g + 1; h < factors; ++h) look(f, g, h);
    }
  }
}

// Which levels of two factors are refused together, asked once each.
class RefusedPairs {
 public:
  explicit RefusedPairs(const FactorModel& model) {
    for (const LevelPair& pair : all_pairs(model)) {
      Row row(model.levels.size(), kOpen);
      row[pair.first_factor] = pair.first_level;
      row[pair.second_factor] = pair.second_level;
      if (!model.allowed(row)) refused_.insert(pair);
    }
  }
  /// The factors in ascending order.
  bool holds_one_of(const LevelTriple& t) const {
    return refused_.contains({t.factor[0], t.level[0], t.factor[1], t.level[1]}) ||
           refused_.contains({t.factor[0], t.level[0], t.factor[2], t.level[2]}) ||
           refused_.contains({t.factor[1], t.level[1], t.factor[2], t.level[2]});
  }

 private:
  std::set<LevelPair> refused_{};
};

}  // namespace

MissingTriples::MissingTriples(const FactorModel& model) : levels_(model.levels) {
  for (const int levels : levels_) {
    begin_.push_back(width_);
    width_ += static_cast<std::size_t>(levels);
  }
  words_ = (width_ + kBits - 1) / kBits;
  CONCORD_CHECK(words_ <= kMostWords) << width_ << " levels";
  missing_.assign(width_ * width_ * words_, 0);
  for_triples(levels_.size(), [&](std::size_t f, std::size_t g, std::size_t h) {
    for (int i = 0; i < levels_[f]; ++i) {
      for (int j = 0; j < levels_[g]; ++j) {
        for (int k = 0; k < levels_[h]; ++k) {
          set(place(f, i), place(g, j), place(h, k), true);
          ++count_;
        }
      }
    }
  });
}

void MissingTriples::set(std::size_t a, std::size_t b, std::size_t c, bool missing) {
  std::array<std::size_t, 3> at = {a, b, c};
  for (int turn = 0; turn < 6; ++turn) {
    std::swap(at[0], at[1 + static_cast<std::size_t>(turn % 2)]);
    std::uint64_t& bits = missing_[bits_of(at[0], at[1]) + at[2] / kBits];
    bits = missing ? bits | bit(at[2]) : bits & ~bit(at[2]);
  }
}

bool MissingTriples::has(std::size_t f, int i, std::size_t g, int j, std::size_t h, int k) const {
  const std::size_t last = place(h, k);
  return (missing_[bits_of(place(f, i), place(g, j)) + last / kBits] & bit(last)) != 0;
}

void MissingTriples::erase(std::size_t f, int i, std::size_t g, int j, std::size_t h, int k) {
  if (!has(f, i, g, j, h, k)) return;
  --count_;
  set(place(f, i), place(g, j), place(h, k), false);
}

std::size_t MissingTriples::gain(const Row& row, std::size_t factor, int level) const {
  std::array<std::uint64_t, kMostWords> chosen{};
  for (std::size_t g = 0; g < row.size(); ++g) {
    if (g == factor || row[g] == kOpen) continue;
    chosen[place(g, row[g]) / kBits] |= bit(place(g, row[g]));
  }
  std::size_t twice = 0;  // each pair of the others is met from both
  for (std::size_t g = 0; g < row.size(); ++g) {
    if (g == factor || row[g] == kOpen) continue;
    const std::uint64_t* bits = &missing_[bits_of(place(factor, level), place(g, row[g]))];
    for (std::size_t w = 0; w < words_; ++w) {
      const std::uint64_t both = bits[w] & chosen[w];
      if (both != 0) twice += static_cast<std::size_t>(std::popcount(both));
    }
  }
  return twice / 2;
}

void MissingTriples::erase(const Row& row) {
  for_triples(row.size(), [&](std::size_t f, std::size_t g, std::size_t h) {
    erase(f, row[f], g, row[g], h, row[h]);
  });
}

void MissingTriples::for_each(const std::function<void(const LevelTriple&)>& visit) const {
  for_triples(levels_.size(), [&](std::size_t f, std::size_t g, std::size_t h) {
    for (int i = 0; i < levels_[f]; ++i) {
      for (int j = 0; j < levels_[g]; ++j) {
        for (int k = 0; k < levels_[h]; ++k) {
          if (has(f, i, g, j, h, k)) visit({{f, g, h}, {i, j, k}});
        }
      }
    }
  });
}

std::vector<Row> rows_for_missing_triples(const FactorModel& model, const std::vector<Row>& rows,
                                          std::uint64_t seed, std::size_t* impossible) {
  MissingTriples missing(model);
  for (const Row& row : rows) missing.erase(row);
  RowCompletion completion(model, seed, [&](const Row& row, std::size_t factor, int level) {
    return missing.gain(row, factor, level);
  });
  const RefusedPairs refused(model);
  std::vector<Row> added;
  std::size_t none = 0;
  missing.for_each([&](const LevelTriple& triple) {
    const auto [f, g, h] = triple.factor;
    const auto [i, j, k] = triple.level;
    Row row(model.levels.size(), kOpen);
    row[f] = i, row[g] = j, row[h] = k;
    if (!refused.holds_one_of(triple) && completion.complete(row)) {
      missing.erase(row);
      added.push_back(std::move(row));
    } else {
      missing.erase(f, i, g, j, h, k);
      ++none;
    }
  });
  if (impossible != nullptr) *impossible = none;
  return added;
}

Coverage count_covered(const FactorModel& model, const std::vector<Row>& rows) {
  std::set<LevelPair> pairs;
  MissingTriples missing(model);
  const std::size_t all = missing.size();
  for (const Row& row : rows) {
    missing.erase(row);
    for (std::size_t f = 0; f < row.size(); ++f) {
      for (std::size_t g = f + 1; g < row.size(); ++g) pairs.insert({f, row[f], g, row[g]});
    }
  }
  return {pairs.size(), all - missing.size()};
}

Coverage coverage_of(const CaseList& cases) {
  std::set<Row> rows;
  for (const Case& each : cases) {
    if (auto row = row_of(each.origin)) rows.insert(*std::move(row));
  }
  if (rows.empty()) return {};
  return count_covered(attribute_model(), {rows.begin(), rows.end()});
}

}  // namespace concord::conformance
