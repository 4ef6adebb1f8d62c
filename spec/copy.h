// SPDX-License-Identifier: Apache-2.0
// Copying a tensor from one layout to another.
#ifndef CONCORD_SPEC_COPY_H_
#define CONCORD_SPEC_COPY_H_

#include <cstddef>

#include "spec/tensor.h"

namespace concord {

/// Copies every element of `from` to the same index of `to`. Gaps of `to` stay as they are.
/// Shapes  equal dims, any strides that element_span() accepts; `to` is_injective(). An axis of
///         `from` may have stride 0. The two memories do not overlap; null is fine for no elements
/// Errors  none: both tensors were checked before
void copy_elements(std::size_t element_bytes, const Tensor& from, const void* from_data,
                   const Tensor& to, void* to_data);

}  // namespace concord

#endif  // CONCORD_SPEC_COPY_H_
