// SPDX-License-Identifier: Apache-2.0
// Processor time: other work on the machine does not count.
#ifndef CONCORD_EXPERIMENTS_CLOCK_H_
#define CONCORD_EXPERIMENTS_CLOCK_H_

#include <ctime>

namespace concord::experiments {

/// Of this process so far, on all its threads.
inline double processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace concord::experiments

#endif  // CONCORD_EXPERIMENTS_CLOCK_H_
