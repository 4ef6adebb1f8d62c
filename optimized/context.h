// SPDX-License-Identifier: Apache-2.0
// What all algorithms need of a plan.
#ifndef CONCORD_OPTIMIZED_CONTEXT_H_
#define CONCORD_OPTIMIZED_CONTEXT_H_

#include <memory>

#include "optimized/kernels/reorders/kernel.h"
#include "optimized/layout/convert.h"
#include "optimized/options.h"
#include "optimized/runtime/thread_pool.h"
#include "optimized/shape/shape.h"
#include "optimized/targets/target.h"

namespace concord::optimized {

struct Context {
  /// As inferred, but that taps may be channels (layout/pairs.h) and taps that meet nothing but
  /// padding are not there; shape.dst_tensor is what the user gets.
  Shape shape{};
  Isa isa = Isa::kGeneric;
  const Target* target = nullptr;
  const ReorderFamily* reorders = nullptr;
  std::shared_ptr<const ThreadPool> thread_pool{};

  int threads() const { return thread_pool->threads(); }
  /// Bytes of an element of packed weights and workspace.
  Extent element_bytes() const { return computed_bytes(shape.dtype); }
};

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_CONTEXT_H_
