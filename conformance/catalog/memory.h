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
/// Where a tensor has a gap, in elements: before the axis at `place` in an order of its axes.
struct Gap {
  std::size_t place;
  Extent elements;
};
/// Strides for which the axes are in `order`, the fastest first, with the gap: at place 0, after
/// each element. Those of axes of one element are beyond 32 bits where there is one.
/// Shapes  `order` holds each axis of `dims` once
Tensor in_order(const Extents& dims, const std::vector<std::size_t>& order,
                const std::optional<Gap>& gap);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_CATALOG_MEMORY_H_
