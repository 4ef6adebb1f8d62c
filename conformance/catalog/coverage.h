// SPDX-License-Identifier: Apache-2.0
// How many combinations of levels some rows cover; and rows for the triples that are missing.
#ifndef CONCORD_CONFORMANCE_CATALOG_COVERAGE_H_
#define CONCORD_CONFORMANCE_CATALOG_COVERAGE_H_

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "conformance/catalog/covering.h"
#include "conformance/catalog/suite_coverage.h"

namespace concord::conformance {

/// A level of each of three factors, the factors in ascending order.
struct LevelTriple {
  std::array<std::size_t, 3> factor;
  std::array<int, 3> level;
};

/// Which triples of levels of three factors are still missing.
class MissingTriples {
 public:
  explicit MissingTriples(const FactorModel& model);

  /// The factors in any order, all different.
  bool has(std::size_t f, int i, std::size_t g, int j, std::size_t h, int k) const;
  void erase(std::size_t f, int i, std::size_t g, int j, std::size_t h, int k);
  /// Takes out what a complete row holds.
  void erase(const Row& row);
  /// How many missing ones `level` of `factor` makes with every two of the row's chosen levels.
  std::size_t gain(const Row& row, std::size_t factor, int level) const;
  std::size_t size() const { return count_; }
  /// Visits all of them in ascending order; what a visit erases is not visited any more.
  void for_each(const std::function<void(const LevelTriple&)>& visit) const;

 private:
  std::size_t place(std::size_t factor, int level) const {
    return begin_[factor] + static_cast<std::size_t>(level);
  }
  /// The bits of all levels that are missing beside two, of any factors in any order.
  std::size_t bits_of(std::size_t a, std::size_t b) const { return (a * width_ + b) * words_; }
  void set(std::size_t a, std::size_t b, std::size_t c, bool missing);

  std::vector<int> levels_;
  std::vector<std::size_t> begin_{};
  std::size_t width_ = 0, words_ = 0, count_ = 0;
  std::vector<std::uint64_t> missing_{};
};

/// Complete allowed rows which, beside `rows`, hold every triple of levels that some allowed row
/// holds. The same seed gives the same rows. `impossible`, if given, counts the triples that none
/// holds.
/// Source  AETG, as covering_rows(), one strength further
std::vector<Row> rows_for_missing_triples(const FactorModel& model, const std::vector<Row>& rows,
                                          std::uint64_t seed, std::size_t* impossible = nullptr);

/// How many pairs and triples of levels complete rows hold.
Coverage count_covered(const FactorModel& model, const std::vector<Row>& rows);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_CATALOG_COVERAGE_H_
