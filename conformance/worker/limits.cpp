// SPDX-License-Identifier: Apache-2.0
#include "conformance/worker/limits.h"

#include <algorithm>
#include <fstream>

namespace concord::conformance {

void limit_descriptors(rlim_t soft) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = std::min(soft, limit.rlim_max);
  setrlimit(RLIMIT_NOFILE, &limit);
}

void be_ended_first() { std::ofstream("/proc/self/oom_score_adj") << 1000; }

void limit_memory([[maybe_unused]] std::size_t bytes) {
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  // Sanitizers map terabytes that they never touch.
  const rlimit data{bytes, bytes};
  setrlimit(RLIMIT_DATA, &data);
#endif
}

}  // namespace concord::conformance
