// SPDX-License-Identifier: Apache-2.0
// Memory layouts of tensors other than dense ones.
#ifndef CONCORD_CONFORMANCE_CATALOG_MEMORY_H_
#define CONCORD_CONFORMANCE_CATALOG_MEMORY_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "spec/tensor.h"

namespace concord::conformance {

/// Strides with gaps after every row and every plane, as of a view into a larger tensor. Those of
/// axes of one element, which have no meaning, are 0.
Tensor with_row_gaps(const Extents& dims);
/// Strides with a gap after every element. Those of axes of one element are large and odd.
Tensor with_element_gaps(const Extents& dims);
/// Strides without gaps, the first axis fastest instead of the last.
Tensor reversed_order(const Extents& dims);
/// Strides for which the axes are in `order`, the fastest first, and with a gap before the one at
/// place `gap` in it: before the fastest, after each element.
/// Shapes  `order` holds each axis of `dims` once
Tensor in_order(const Extents& dims, const std::vector<std::size_t>& order,
                std::optional<std::size_t> gap);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_CATALOG_MEMORY_H_
