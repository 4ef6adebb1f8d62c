// SPDX-License-Identifier: Apache-2.0
// Convolutions of tensors that cannot be copied: every element is read and written where it lies.
#ifndef CONCORD_BACKENDS_FAULTY_HUGE_H_
#define CONCORD_BACKENDS_FAULTY_HUGE_H_

#include "backends/faulty/convolution.h"

namespace concord::backends::faulty {

/// True if a tensor has so many elements that dense copies of it would take gigabytes.
bool is_huge(const Nest& nest);

/// Writes dst. `offset` is null where offsets are right.
/// Numeric  f32: products and sums in the order ic, kd, kh, kw, those with a src of zero left out,
///          then the bias
void convolve_in_place(OffsetHook offset, const Nest& nest, const Run& run);

}  // namespace concord::backends::faulty

#endif  // CONCORD_BACKENDS_FAULTY_HUGE_H_
