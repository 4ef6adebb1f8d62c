// SPDX-License-Identifier: Apache-2.0
#include "conformance/catalog/covering.h"

#include <algorithm>
#include <optional>
#include <set>

#include "conformance/catalog/seed.h"

namespace concord::conformance {
namespace {

LevelPair pair_of(std::size_t f, int f_level, std::size_t g, int g_level) {
  return f < g ? LevelPair{f, f_level, g, g_level} : LevelPair{g, g_level, f, f_level};
}

/// Builds rows over a model, remembering which pairs are missing.
class Builder {
 public:
  Builder(const FactorModel& model, std::uint64_t seed) : model_(model), random_(seed) {
    for (const LevelPair& pair : all_pairs(model)) missing_.insert(pair);
  }

  /// A row with a missing pair, or nothing if none is missing that is possible.
  std::optional<Row> next() {
    while (!missing_.empty()) {
      const LevelPair pair = *missing_.begin();
      Row row(model_.levels.size(), kOpen);
      row[pair.first_factor] = pair.first_level;
      row[pair.second_factor] = pair.second_level;
      if (model_.allowed(row) && complete(row, shuffled_open_factors(row), 0)) {
        mark(row);
        return row;
      }
      missing_.erase(missing_.begin());  // no row holds it
    }
    return std::nullopt;
  }

 private:
  std::vector<std::size_t> shuffled_open_factors(const Row& row) {
    std::vector<std::size_t> open;
    for (std::size_t f = 0; f < row.size(); ++f) {
      if (row[f] == kOpen) open.push_back(f);
    }
    for (std::size_t i = open.size(); i > 1; --i) std::swap(open[i - 1], open[random_.below(i)]);
    return open;
  }

  // How many missing pairs `level` of `factor` makes with the levels already chosen.
  std::size_t gain(const Row& row, std::size_t factor, int level) const {
    std::size_t count = 0;
    for (std::size_t g = 0; g < row.size(); ++g) {
      if (g == factor || row[g] == kOpen) continue;
      count += missing_.count(pair_of(factor, level, g, row[g]));
    }
    return count;
  }

  // Chooses levels for open[place] and everything behind it: the most gainful first, the next one
  // if that leads nowhere.
  bool complete(Row& row, const std::vector<std::size_t>& open, std::size_t place) {
    if (place == open.size()) return true;
    const std::size_t factor = open[place];
    std::vector<std::pair<std::size_t, int>> order;
    const auto levels = static_cast<std::size_t>(model_.levels[factor]);
    const std::size_t turn = random_.below(levels);  // so that ties do not favour the first level
    for (std::size_t i = 0; i < levels; ++i) {
      const int level = static_cast<int>((i + turn) % levels);
      order.emplace_back(gain(row, factor, level), level);
    }
    std::stable_sort(order.begin(), order.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    for (const auto& [ignored, level] : order) {
      row[factor] = level;
      if (model_.allowed(row) && complete(row, open, place + 1)) return true;
    }
    row[factor] = kOpen;
    return false;
  }

  void mark(const Row& row) {
    for (std::size_t f = 0; f < row.size(); ++f) {
      for (std::size_t g = f + 1; g < row.size(); ++g) {
        missing_.erase({f, row[f], g, row[g]});
      }
    }
  }

  const FactorModel& model_;
  Random random_;
  std::set<LevelPair> missing_;
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
