// SPDX-License-Identifier: Apache-2.0
// Few cases that together find all bugs: a greedy cover.
#ifndef CONCORD_CONFORMANCE_CATALOG_GREEDY_CHOICE_H_
#define CONCORD_CONFORMANCE_CATALOG_GREEDY_CHOICE_H_

#include <cstddef>
#include <vector>

namespace concord::conformance {

/// A case that might be chosen.
struct Candidate {
  double cost = 0;                   ///< positive
  std::vector<std::size_t> finds{};  ///< the bugs that it finds, by number
};

/// Chooses candidates so that each bug is found by `times` of them, or by all that find it.
///
///   until nothing is missing: take the candidate with the largest (missing finds) / cost, the
///   first of equals; then, the most expensive first, drop each candidate that is redundant
///
/// What is chosen for bugs that no candidate shares with other bugs does not depend on the others.
/// Shapes   the result holds indices into `candidates`, ascending
/// Numeric  at most ln(times * bugs) + 1 times the cost of the cheapest choice
/// Source   V. Chvatal, "A Greedy Heuristic for the Set-Covering Problem",
///          Mathematics of Operations
///          Research 4(3), 1979
std::vector<std::size_t> choose_greedily(const std::vector<Candidate>& candidates, int times);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_CATALOG_GREEDY_CHOICE_H_
