// SPDX-License-Identifier: Apache-2.0
// Problems of all operations, for properties about shapes and refusals. Every generator shrinks
// towards small extents.
#ifndef CONCORD_FUZZ_OPERATIONS_H_
#define CONCORD_FUZZ_OPERATIONS_H_

#include "fuzz/generators.h"

namespace concord::fuzz {

/// A small problem of one of CNTK's two operations, dense, strided or with dst given; three of four
/// are valid.
rc::Gen<Problem> cntk_problem();

/// A gradient of CNTK's N-D convolution, or that convolution where none can be made.
rc::Gen<Problem> cntk_gradient_problem();

/// A small problem of any operation; most are valid.
rc::Gen<Problem> operation_problem();

/// Such a problem in which one or two attributes, tensors or their strides were replaced by
/// nonsense, extremes included.
rc::Gen<Problem> spoiled_operation_problem();

}  // namespace concord::fuzz

#endif  // CONCORD_FUZZ_OPERATIONS_H_
