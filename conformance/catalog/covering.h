// SPDX-License-Identifier: Apache-2.0
// Covering arrays of strength two: few rows in which every allowed pair of levels of every two
// factors occurs.
#ifndef CONCORD_CONFORMANCE_CATALOG_COVERING_H_
#define CONCORD_CONFORMANCE_CATALOG_COVERING_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <tuple>
#include <vector>

namespace concord::conformance {

/// One level for each factor, counted from 0. In a row that is still being built a factor may be
/// open.
using Row = std::vector<int>;
inline constexpr int kOpen = -1;

/// The factors by their numbers of levels, and which rows exist.
struct FactorModel {
  std::vector<int> levels{};
  /// False if the levels already chosen conflict. Every row completed from a refused one is refused
  /// too.
  std::function<bool(const Row&)> allowed{};
};

/// A level of one factor together with a level of another; the first factor is the lower one.
struct LevelPair {
  std::size_t first_factor;
  int first_level;
  std::size_t second_factor;
  int second_level;
  bool operator==(const LevelPair&) const = default;
  bool operator<(const LevelPair& other) const {
    return std::tie(first_factor, first_level, second_factor, second_level) <
           std::tie(other.first_factor, other.first_level, other.second_factor, other.second_level);
  }
};

/// All pairs of levels of two factors, allowed or not.
std::vector<LevelPair> all_pairs(const FactorModel& model);
/// True if a complete allowed row holds the pair. Searches depth first: exponential only where
/// allowed() sees a conflict late.
bool is_possible(const FactorModel& model, const LevelPair& pair);

/// Complete allowed rows in which every possible pair occurs. The same seed gives the same rows.
/// Source  the greedy choice of AETG: D. Cohen et al., "The AETG System", IEEE TSE 23(7), 1997.
///
///         Each row starts with a missing pair and takes, factor by factor, the level that adds
///         most missing pairs
std::vector<Row> covering_rows(const FactorModel& model, std::uint64_t seed);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_CATALOG_COVERING_H_
