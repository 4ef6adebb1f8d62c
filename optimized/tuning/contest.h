// SPDX-License-Identifier: Apache-2.0
// Which of several ways to do the same is the fastest, found in a bounded time.
#ifndef CONCORD_OPTIMIZED_TUNING_CONTEST_H_
#define CONCORD_OPTIMIZED_TUNING_CONTEST_H_

#include <cstddef>
#include <functional>
#include <vector>

namespace concord::optimized {

/// Does it so many times. Returns the seconds of all of them, which are more than 0; of the first
/// call with what it needs to begin.
using Contender = std::function<double(int calls)>;

struct ContestResult {
  std::size_t winner = 0;         ///< another one than the first only if it is faster beyond noise
  std::vector<double> seconds{};  ///< of a call, the least: of those that were measured
};

/// Calls contenders in turns until `budget` seconds have passed, or their order is clear. No call
/// is begun that is likely to end after that; the first two of the first contender are, whatever
/// they take. Contenders that are much slower have no further turns.
ContestResult fastest_of(const std::vector<Contender>& contenders, double budget);

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_TUNING_CONTEST_H_
