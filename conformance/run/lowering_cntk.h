// SPDX-License-Identifier: Apache-2.0
// CNTK's convolutions as views of the same bytes that a Convolution reads.
#ifndef CONCORD_CONFORMANCE_RUN_LOWERING_CNTK_H_
#define CONCORD_CONFORMANCE_RUN_LOWERING_CNTK_H_

#include "conformance/run/lowering.h"

namespace concord::conformance {

/// As lower(), of a CntkConvolution.
std::optional<Lowered> lower_cntk(const Problem& problem, const reference::Resolution& resolution);

/// As lower(), of a CntkConvolution2d. The layout HWC counts elements and not axes where it differs
/// from what its document says: there, and of its weights, only dense tensors are lowered.
std::optional<Lowered> lower_cntk_2d(const Problem& problem,
                                     const reference::Resolution& resolution);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_RUN_LOWERING_CNTK_H_
