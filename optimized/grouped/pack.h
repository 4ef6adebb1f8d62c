// SPDX-License-Identifier: Apache-2.0
// A part of packing for narrow groups.
#ifndef CONCORD_OPTIMIZED_GROUPED_PACK_H_
#define CONCORD_OPTIMIZED_GROUPED_PACK_H_

#include "optimized/grouped/plan.h"

namespace concord::optimized {

/// Writes the bias as it stands behind packed weights; `packed` is where those begin.
void pack_bias(const Context& context, const Grouping& g, const void* bias, float* packed);

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_GROUPED_PACK_H_
