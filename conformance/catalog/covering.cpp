// SPDX-License-Identifier: Apache-2.0
#include "conformance/catalog/covering.h"

#include <optional>
#include <utility>

#include "conformance/catalog/row_completion.h"

namespace concord::conformance {
namespace {

/// Which pairs are missing: a square table over all levels of all factors.
class MissingPairs {
 public:
  explicit MissingPairs(const FactorModel& model) {
    for (const int levels : model.levels) {
      begin_.push_back(size_);
      size_ += static_cast<std::size_t>(levels);
    }
    missing_.assign(size_ * size_, false);
    for (const LevelPair& p : all_pairs(model)) {
      set(p.first_factor, p.first_level, p.second_factor, p.second_level, true);
    }
  }

  /// The factors in any order.
  bool has(std::size_t f, int f_level, std::size_t g, int g_level) const {
    return missing_[place(f, f_level) * size_ + place(g, g_level)];
  }
  void erase(std::size_t f, int f_level, std::size_t g, int g_level) {
    set(f, f_level, g, g_level, false);
  }

 private:
  std::size_t place(std::size_t factor, int level) const {
    return begin_[factor] + static_cast<std::size_t>(level);
  }
  void set(std::size_t f, int f_level, std::size_t g, int g_level, bool missing) {
    missing_[place(f, f_level) * size_ + place(g, g_level)] = missing;
    missing_[place(g, g_level) * size_ + place(f, f_level)] = missing;
  }

  std::vector<std::size_t> begin_{};
  std::size_t size_ = 0;
  std::vector<bool> missing_{};
};

/// Builds rows over a model, remembering which pairs are missing.
class Builder {
 public:
  Builder(const FactorModel& model, std::uint64_t seed)
      : model_(model),
        pairs_(all_pairs(model)),
        missing_(model),
        completion_(model, seed, [this](const Row& row, std::size_t factor, int level) {
          return gain(row, factor, level);
        }) {}
  Builder(const Builder&) = delete;
  Builder& operator=(const Builder&) = delete;

  /// A row with a missing pair, or nothing if none is missing that is possible.
  std::optional<Row> next() {
    for (; next_pair_ < pairs_.size(); ++next_pair_) {
      const LevelPair& pair = pairs_[next_pair_];
      const auto [f, f_level, g, g_level] = pair;
      if (!missing_.has(f, f_level, g, g_level)) continue;
      Row row(model_.levels.size(), kOpen);
      row[f] = f_level;
      row[g] = g_level;
      if (completion_.complete(row)) {
        mark(row);
        return row;
      }
      missing_.erase(f, f_level, g, g_level);  // no row holds it
    }
    return std::nullopt;
  }

 private:
  // How many missing pairs `level` of `factor` makes with the levels already chosen.
  std::size_t gain(const Row& row, std::size_t factor, int level) const {
    std::size_t count = 0;
    for (std::size_t g = 0; g < row.size(); ++g) {
      if (g == factor || row[g] == kOpen) continue;
      if (missing_.has(factor, level, g, row[g])) ++count;
    }
    return count;
  }

  void mark(const Row& row) {
    for (std::size_t f = 0; f < row.size(); ++f) {
      for (std::size_t g = f + 1; g < row.size(); ++g) {
        missing_.erase(f, row[f], g, row[g]);
      }
    }
  }

  const FactorModel& model_;
  std::vector<LevelPair> pairs_;
  std::size_t next_pair_ = 0;
  MissingPairs missing_;
  RowCompletion completion_;
};

bool extend(const FactorModel& model, Row& row, std::size_t factor) {
  if (factor == row.size()) return true;
  if (row[factor] != kOpen) return extend(model, row, factor + 1);
  for (row[factor] = 0; row[factor] < model.levels[factor]; ++row[factor]) {
    if (model.allowed(row) && extend(model, row, factor + 1)) return true;
  }
  row[factor] = kOpen;
  return false;
}

}  // namespace

std::vector<LevelPair> all_pairs(const FactorModel& model) {
  std::vector<LevelPair> pairs;
  for (std::size_t f = 0; f < model.levels.size(); ++f) {
    for (std::size_t g = f + 1; g < model.levels.size(); ++g) {
      for (int i = 0; i < model.levels[f]; ++i) {
        for (int j = 0; j < model.levels[g]; ++j) pairs.push_back({f, i, g, j});
      }
    }
  }
  return pairs;
}

bool is_possible(const FactorModel& model, const LevelPair& pair) {
  Row row(model.levels.size(), kOpen);
  row[pair.first_factor] = pair.first_level;
  row[pair.second_factor] = pair.second_level;
  return model.allowed(row) && extend(model, row, 0);
}

std::vector<Row> covering_rows(const FactorModel& model, std::uint64_t seed) {
  std::vector<Row> rows;
  Builder builder(model, seed);
  while (auto row = builder.next()) rows.push_back(*std::move(row));
  return rows;
}

}  // namespace concord::conformance
