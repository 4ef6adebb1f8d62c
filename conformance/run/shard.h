// SPDX-License-Identifier: Apache-2.0
// Parts of a run for several machines, which take about the same time.
#ifndef CONCORD_CONFORMANCE_RUN_SHARD_H_
#define CONCORD_CONFORMANCE_RUN_SHARD_H_

#include <cstddef>
#include <span>
#include <vector>

namespace concord::conformance {

/// Part `index` of `count`, both counted from one.
struct Shard {
  std::size_t index = 1, count = 1;
};

/// The places, ascending, of the cases of a part: the dearest case first, each goes to the part
/// that costs least so far, so that parts differ by less than the dearest case costs. The parts of
/// the same costs hold each place once.
/// Shapes  1 <= index <= count
/// Source  Graham, "Bounds on Multiprocessing Timing Anomalies", 1969: longest processing time first
std::vector<std::size_t> places_of_shard(std::span<const double> costs, const Shard& shard);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_RUN_SHARD_H_
