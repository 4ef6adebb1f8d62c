// SPDX-License-Identifier: Apache-2.0
// Times competitors interleaved, so that disturbances of the machine affect all of them.
#ifndef CONCORD_BENCH_MEASURE_H_
#define CONCORD_BENCH_MEASURE_H_

#include <functional>
#include <vector>

namespace concord::bench {

struct Spread {
  double median = 0, lower = 0, upper = 0;  ///< with the quartiles
};
Spread spread_of(std::vector<double> values);

/// Seconds a call, for each side, for each round.
using Rounds = std::vector<std::vector<double>>;

/// What counts as time: kProcessor leaves out the time in which the system ran something else,
/// which makes one-threaded figures of a busy machine steady, but counts waiting threads.
enum class Clock { kWall, kProcessor };

/// In each of `rounds` rounds, calls every side in turn for about `seconds`, after a first call
/// that is not timed: it brings the side's data into the caches and wakes its threads. The order
/// changes from round to round, and no turn begins before the threads of the last one rest.
Rounds take_turns(const std::vector<std::function<void()>>& competitors, int rounds, double seconds,
                  Clock clock);

/// The bytes that `threads` threads read and write a second in a triad, the best of a few.
double measure_triad(int threads, Clock clock);

}  // namespace concord::bench

#endif  // CONCORD_BENCH_MEASURE_H_
