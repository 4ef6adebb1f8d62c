// SPDX-License-Identifier: Apache-2.0
// A chain of operations as a sequence of problems.
#ifndef CONCORD_OPTIMIZED_OPERATIONS_CHAIN_STAGES_H_
#define CONCORD_OPTIMIZED_OPERATIONS_CHAIN_STAGES_H_

#include <cstddef>
#include <vector>

#include "spec/problem.h"

namespace concord::optimized {

/// Every problem's src is the dst of the one before it. The first and the last have the strides of
/// the chain's tensors; what is between them is dense.
struct ChainStages {
  struct Stage {
    Problem problem{};
    std::size_t weights_at = 0;  ///< bytes before the weights of its layer
  };
  std::vector<Stage> stages{};
  std::size_t buffer_bytes = 0;  ///< of the largest tensor between two stages
};

/// So many bytes in whole cache lines.
inline std::size_t in_whole_lines(std::size_t bytes) {
  constexpr std::size_t kLine = 64;
  return (bytes + kLine - 1) / kLine * kLine;
}

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_OPERATIONS_CHAIN_STAGES_H_
