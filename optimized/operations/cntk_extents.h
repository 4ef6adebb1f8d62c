// SPDX-License-Identifier: Apache-2.0
// The checks of CNTK's Convolution and the extents that follow from its attributes.
#ifndef CONCORD_OPTIMIZED_OPERATIONS_CNTK_EXTENTS_H_
#define CONCORD_OPTIMIZED_OPERATIONS_CNTK_EXTENTS_H_

#include "optimized/operations/cntk_shape.h"

namespace concord::optimized {

/// Everything that infer_cntk() says but the steps, the strides of dst and its kDst.
Result<CntkShape> infer_cntk_extents(const CntkTensors& tensors, const CntkConvolutionAttributes& a,
                                     Reading reading);

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_OPERATIONS_CNTK_EXTENTS_H_
