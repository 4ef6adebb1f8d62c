// SPDX-License-Identifier: Apache-2.0
// Runs the engine on random numbers whose sums are not exact: another order of summation shows.
#ifndef CONCORD_OPTIMIZED_TESTING_BITS_H_
#define CONCORD_OPTIMIZED_TESTING_BITS_H_

#include <cstddef>
#include <vector>

#include "optimized/convolution.h"

namespace concord::optimized::testing {

using Bytes = std::vector<std::byte>;

/// How memory is before a run, and when weights are packed.
struct RunState {
  std::byte dirt{0};      ///< every byte of the workspace
  std::size_t shift = 0;  ///< bytes of src and the workspace from an allocation
  bool packs_before = true;
};

/// dst of the problem, which has no bias; the same elements of src and weights in every run.
Bytes dst_bits(const Problem& problem, const Options& options, const RunState& state = {});

}  // namespace concord::optimized::testing

#endif  // CONCORD_OPTIMIZED_TESTING_BITS_H_
