// SPDX-License-Identifier: Apache-2.0
// Packs weights for Algorithm::kGroups.
#ifndef CONCORD_OPTIMIZED_GROUPED_PACK_H_
#define CONCORD_OPTIMIZED_GROUPED_PACK_H_

#include "optimized/plan.h"

namespace concord::optimized {

/// Writes weights as [vector of OC, taps, channel in its group, lane], then the bias, both padded.
void pack_groups(const Plan& plan, const void* weights, const void* bias, float* to);
/// Writes the bias as it stands behind packed weights; `packed` is where those begin.
void pack_group_bias(const Plan& plan, const void* bias, float* packed);

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_GROUPED_PACK_H_
