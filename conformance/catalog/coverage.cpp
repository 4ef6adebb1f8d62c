// SPDX-License-Identifier: Apache-2.0
#include "conformance/catalog/coverage.h"

#include <algorithm>
#include <set>
#include <utility>

#include "conformance/catalog/attribute_model.h"
#include "conformance/catalog/row_completion.h"

namespace concord::conformance {
namespace {

// How many missing triples `level` of `factor` makes with every two of the levels chosen already.
std::size_t gain(const MissingTriples& missing, const Row& row, std::size_t factor, int level) {
  std::size_t count = 0;
  for (std::size_t g = 0; g < row.size(); ++g) {
    if (g == factor || row[g] == kOpen) continue;
    for (std::size_t h = g + 1; h < row.size(); ++h) {
      if (h == factor || row[h] == kOpen) continue;
      if (missing.has(factor, level, g, row[g], h, row[h])) ++count;
    }
  }
  return count;
}

// Calls `look` with every three of so many factors, in rising order.
template <class Look>
void for_triples(std::size_t factors, Look look) {
  for (std::size_t f = 0; f < factors; ++f) {
    for (std::size_t g = f + 1; g < factors; ++g) {
      for (std::size_t h = g + 1; h < factors; ++h) look(f, g, h);
    }
  }
}

}  // namespace

MissingTriples::MissingTriples(const FactorModel& model) : levels_(model.levels) {
  for (const int levels : levels_) {
    begin_.push_back(width_);
    width_ += static_cast<std::size_t>(levels);
  }
  missing_.assign(width_ * width_ * width_, false);
  const auto count = [&](std::size_t f) { return static_cast<std::size_t>(levels_[f]); };
  for_triples(levels_.size(), [&](std::size_t f, std::size_t g, std::size_t h) {
    count_ += count(f) * count(g) * count(h);
    for (std::size_t i = 0; i < count(f); ++i) {
      for (std::size_t j = 0; j < count(g); ++j) {
        const std::size_t row = ((begin_[f] + i) * width_ + begin_[g] + j) * width_ + begin_[h];
        std::fill_n(missing_.begin() + static_cast<std::ptrdiff_t>(row), count(h), true);
      }
    }
  });
}

std::size_t MissingTriples::place(std::size_t f, int i, std::size_t g, int j, std::size_t h,
                                  int k) const {
  std::array<std::size_t, 3> at = {begin_[f] + static_cast<std::size_t>(i),
                                   begin_[g] + static_cast<std::size_t>(j),
                                   begin_[h] + static_cast<std::size_t>(k)};
  std::sort(at.begin(), at.end());
  return (at[0] * width_ + at[1]) * width_ + at[2];
}

bool MissingTriples::has(std::size_t f, int i, std::size_t g, int j, std::size_t h, int k) const {
  return missing_[place(f, i, g, j, h, k)];
}

void MissingTriples::erase(std::size_t f, int i, std::size_t g, int j, std::size_t h, int k) {
  const auto at = missing_[place(f, i, g, j, h, k)];
  if (at) --count_;
  missing_[place(f, i, g, j, h, k)] = false;
}

void MissingTriples::erase(const Row& row) {
  for_triples(row.size(), [&](std::size_t f, std::size_t g, std::size_t h) {
    erase(f, row[f], g, row[g], h, row[h]);
  });
}

std::vector<LevelTriple> MissingTriples::list() const {
  std::vector<LevelTriple> triples;
  for_triples(levels_.size(), [&](std::size_t f, std::size_t g, std::size_t h) {
    for (int i = 0; i < levels_[f]; ++i) {
      for (int j = 0; j < levels_[g]; ++j) {
        for (int k = 0; k < levels_[h]; ++k) {
          if (has(f, i, g, j, h, k)) triples.push_back({{f, g, h}, {i, j, k}});
        }
      }
    }
  });
  return triples;
}

std::vector<Row> rows_for_missing_triples(const FactorModel& model, const std::vector<Row>& rows,
                                          std::uint64_t seed, std::size_t* impossible) {
  MissingTriples missing(model);
  for (const Row& row : rows) missing.erase(row);
  RowCompletion completion(model, seed, [&](const Row& row, std::size_t factor, int level) {
    return gain(missing, row, factor, level);
  });
  std::vector<Row> added;
  std::size_t none = 0;
  for (const LevelTriple& triple : missing.list()) {
    const auto [f, g, h] = triple.factor;
    const auto [i, j, k] = triple.level;
    if (!missing.has(f, i, g, j, h, k)) continue;
    Row row(model.levels.size(), kOpen);
    row[f] = i, row[g] = j, row[h] = k;
    if (completion.complete(row)) {
      missing.erase(row);
      added.push_back(std::move(row));
    } else {
      missing.erase(f, i, g, j, h, k);
      ++none;
    }
  }
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

Coverage coverage_of(const std::vector<Case>& cases) {
  std::set<Row> rows;
  for (const Case& each : cases) {
    if (auto row = row_of(each.origin)) rows.insert(*std::move(row));
  }
  return count_covered(attribute_model(), {rows.begin(), rows.end()});
}

}  // namespace concord::conformance
