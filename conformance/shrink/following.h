// SPDX-License-Identifier: Apache-2.0
// The tensors whose extents follow from the attributes and from src.
#ifndef CONCORD_CONFORMANCE_SHRINK_FOLLOWING_H_
#define CONCORD_CONFORMANCE_SHRINK_FOLLOWING_H_

#include <optional>

#include "spec/problem.h"

namespace concord::conformance {

/// The attributes of CNTK's N-D form, or of a gradient of it; null if the problem is neither.
CntkConvolutionAttributes* cntk_nd(Problem& problem);
const CntkConvolutionAttributes* cntk_nd(const Problem& problem);

/// The extents that weights must have: runs and cells for CNTK's operations, the parameters of
/// theta for the continuous ones. Nothing where the operation does not say, or nobody can.
std::optional<Extents> needed_weights(const Problem& problem);

/// The extents of the forward operation's output, which diff_dst must have. Nothing as above.
std::optional<Extents> needed_diff_dst(const Problem& problem);

/// `changed`, made from `before`, with all that follows from the change: weights and diff_dst that
/// were of the needed extents are so again; a stated dst has the inferred shape, or is stated no
/// longer; src, weights and dst that were dense are.
Problem refitted(const Problem& before, Problem changed);

/// Dense as the operation has it, the first axis fastest for src, diff_dst and dst of CNTK's.
void make_dense(const Problem& problem, Tensor& tensor);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_SHRINK_FOLLOWING_H_
