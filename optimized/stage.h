// SPDX-License-Identifier: Apache-2.0
// Tensors that the kernels cannot read or write as they lie are brought into, or taken from, f32
// with channels last.
#ifndef CONCORD_OPTIMIZED_STAGE_H_
#define CONCORD_OPTIMIZED_STAGE_H_

#include "optimized/plan.h"

namespace concord::optimized {

/// Element `index` of a tensor's memory.
const std::byte* element_at(const void* tensor, Extent index, Dtype dtype);

/// Copies src to `to`, [N, D, H, W, IC] dense: f32, or pairs of bf16 for a tiling that reads them.
void stage_src(const Plan& plan, const void* src, float* to);

/// Writes consecutive outputs of a row of a plan's view of dst: `pixels` of them from `ow`, for
/// `channels` channels from `oc`.
/// Shapes  `from` has [pixels, channels] elements, pixels `from_pixel` apart
struct StagedRow {
  Extent n, od, oh, ow, pixels;
  Extent oc, channels;
};
void store_dst(const Plan& plan, const Strides& view, const StagedRow& row, const float* from,
               Extent from_pixel, void* dst);

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_STAGE_H_
