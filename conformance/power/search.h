// SPDX-License-Identifier: Apache-2.0
// A search for sums that are legal in a class of arithmetic and come close to its error bound, or
// beyond it: data and the order of summation are drawn and then improved step by step.
// Source: docs/numerics.md#search-for-legal-sums-beyond-a-bound
#ifndef CONCORD_CONFORMANCE_POWER_SEARCH_H_
#define CONCORD_CONFORMANCE_POWER_SEARCH_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "conformance/power/simulated_arithmetic.h"

namespace concord::conformance {

/// How the terms of a sum are added.
///   kTree     in a binary tree of any shape
///   kLanes    each to one of several partial sums in turn, and those one after the other
///   kSplit    in runs, each from zero, and their sums one after the other: split reductions
///   kPairs    one after the other, the second of each pair first: VDPBF16PS
///   kTiles    in blocks; in each the even and the odd ones from zero, the two sums, and that to
///             the sum so far: TDPBF16PS
///   kAligned  in blocks, all terms of one and the sum so far cut off at the last bit of the
///             largest: matrix units, only legal in a faithful class
enum class Summation { kTree, kLanes, kSplit, kPairs, kTiles, kAligned };
inline constexpr std::array kSummations{Summation::kTree,  Summation::kLanes, Summation::kSplit,
                                        Summation::kPairs, Summation::kTiles, Summation::kAligned};
/// "tree", "lanes", "split", "pairs", "tiles" or "aligned".
std::string to_string(Summation summation);

/// True if `summation` is legal in the simulation's class.
bool is_legal(const Simulation& simulation, Summation summation);

struct Reached {
  /// The largest |computed - exact| / A before the store; with a bias after it, the margin of the
  /// result: docs/numerics.md#interval-tier.
  double ratio = 0;
  std::size_t terms = 0;  ///< products of the sum that reached it
};

/// Tries `steps` sums of up to 64 products, rounded to the accumulator of `simulation` and judged
/// by its class. Products are rounded or fused; in a faithful class each operation goes to the
/// neighbour that the search chooses.
Reached search_bound(const Simulation& simulation, Summation summation, std::uint64_t steps,
                     std::uint64_t seed);

/// What all simulations reach.
struct SearchTable {
  struct Row {
    std::string name;
    std::array<Reached, kSummations.size()> reached{};
  };
  std::vector<Row> rows{};
  std::uint64_t sums = 0;
  double largest() const;
};
/// Adds what another `steps` sums of each simulation and summation reach.
void search_bounds(SearchTable& table, std::uint64_t steps, std::uint64_t seed);
/// A Markdown table: a row for each simulation, a column for each summation.
std::string print(const SearchTable& table);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_POWER_SEARCH_H_
