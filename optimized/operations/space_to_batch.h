// SPDX-License-Identifier: Apache-2.0
// space_to_batch and batch_to_space: each phase of an image is a strided view of it, which is
// copied to, or from, a batch of its own.
#ifndef CONCORD_OPTIMIZED_OPERATIONS_SPACE_TO_BATCH_H_
#define CONCORD_OPTIMIZED_OPERATIONS_SPACE_TO_BATCH_H_

#include <memory>
#include <optional>

#include "optimized/runtime/thread_pool.h"
#include "spec/attributes.h"
#include "spec/dtype.h"
#include "spec/result.h"

namespace concord::optimized {

/// Either operation. `space` is the side of whole images, `batch` that of the phases.
struct PhasePlan {
  Dtype dtype = Dtype::kF32;
  bool to_batch = true;
  Tensor space{}, batch{};  ///< [B,H,W,C] with strides
  Extent block = 1;
  Extent top = 0, left = 0;  ///< from a phase's first row to the image's: paddings or crops
  std::shared_ptr<const ThreadPool> thread_pool{};

  const Tensor& dst() const { return to_batch ? batch : space; }
};

/// Shapes  src [batch,height,width,depth], dense or strided; dst, if given, has the dims that the
///         operation makes, and strides
/// Errors  the first of kRank, kSize, kLayout, kBlockSize, kPads, kDst, as
///         docs/spec.md#atrous_conv2d lists them
Result<PhasePlan> plan_space_to_batch(Dtype dtype, const Tensor& src,
                                      const std::optional<Tensor>& dst,
                                      const SpaceToBatchAttributes& a, int threads);
Result<PhasePlan> plan_batch_to_space(Dtype dtype, const Tensor& src,
                                      const std::optional<Tensor>& dst,
                                      const BatchToSpaceAttributes& a, int threads);

/// Reorders every element; exact.
void execute(const PhasePlan& plan, const void* src, void* dst);

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_OPERATIONS_SPACE_TO_BATCH_H_
