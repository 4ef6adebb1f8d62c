// SPDX-License-Identifier: Apache-2.0
// Decides how a convolution is cut into register tiles, panels and tasks.
#ifndef CONCORD_OPTIMIZED_DIRECT_PLAN_H_
#define CONCORD_OPTIMIZED_DIRECT_PLAN_H_

#include "optimized/plan.h"

namespace concord::optimized {

/// Cuts `shape`, which is not empty, into the tiles of `family` and into tasks for `threads`.
/// Numeric  which products are summed in which order depends on the shape and the family alone
Tiling make_tiling(const Shape& shape, const TileFamily& family, int threads);

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_DIRECT_PLAN_H_
