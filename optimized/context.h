// SPDX-License-Identifier: Apache-2.0
// What is asked of a plan, and what all algorithms need of it.
#ifndef CONCORD_OPTIMIZED_CONTEXT_H_
#define CONCORD_OPTIMIZED_CONTEXT_H_

#include <memory>
#include <optional>

#include "optimized/kernels/reorders/kernel.h"
#include "optimized/runtime/isa.h"
#include "optimized/runtime/thread_pool.h"
#include "optimized/shape/shape.h"

namespace concord::optimized {

struct Options {
  int threads = 1;           ///< at least 1
  std::optional<Isa> isa{};  ///< nothing: CONCORD_ISA, else the richest that this processor runs
  /// 2 or 4: Winograd's F(2x2, 3x3) or F(4x4, 3x3) for the problems that winograd/plan.h names; the
  /// others, and 0, are computed directly.
  int winograd = 0;
};

struct Context {
  Shape shape{};  ///< as inferred; shape.dst_tensor is what the user gets
  Isa isa = Isa::kGeneric;
  const ReorderFamily* reorders = nullptr;
  std::shared_ptr<const ThreadPool> thread_pool{};

  int threads() const { return thread_pool->threads(); }
};

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_CONTEXT_H_
