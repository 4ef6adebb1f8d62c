// SPDX-License-Identifier: Apache-2.0
// A call of a register tile's kernel, as far as it is known before a run.
#ifndef CONCORD_OPTIMIZED_DIRECT_PLANNED_CALL_H_
#define CONCORD_OPTIMIZED_DIRECT_PLANNED_CALL_H_

#include <cstddef>

#include "optimized/kernels/direct/kernel.h"
#include "spec/tensor.h"

namespace concord::optimized {

/// Where the tensors of a run lie, as kernels see them: weights packed, src and dst perhaps staged.
struct Addresses {
  const std::byte *weights, *bias, *src;
  std::byte* dst;
};

/// Where a call's tensors lie, and what it prefetches of them.
/// Units    bytes from where a tensor begins
struct Places {
  /// What is prefetched from this call on; of none, what the call before has left.
  struct Ahead {
    enum Of { kNone, kWeights, kSrc } of = kNone;
    Extent first = 0, end = 0, step = 0;
    Extent more = 0, to_next = 0;  ///< as of a PrefetchRange
    Extent pixel = 0;  ///< bytes that each step has of a group: so many lines of it; 0: all
  };

  Extent weights = 0, bias = 0, src = 0, dst = 0;
  bool rounds = false;  ///< dst is rounded_dst
  bool prefetches = false;
  Ahead ahead{};

  /// Sets the call's addresses, and with `range` what it prefetches.
  void set(const Addresses& at, TileCall* call, PrefetchRange* range) const;
};

/// All of a call but addresses.
struct PlannedCall {
  TileCall call{};
  TileKernel kernel = nullptr;
  Places places{};
  /// Whose runs the call has: those of a tiling, which may be copied.
  bool of_last_block = false;
  std::size_t segment = 0;
};

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_DIRECT_PLANNED_CALL_H_
