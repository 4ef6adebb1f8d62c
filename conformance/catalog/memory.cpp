// SPDX-License-Identifier: Apache-2.0
#include "conformance/catalog/memory.h"

#include <algorithm>

namespace concord::conformance {

Tensor with_row_gaps(const Extents& dims) {
  Extents larger = dims;
  larger.back() += 3;
  if (larger.size() > 1) larger[larger.size() - 2] += 1;
  return {dims, dense_strides(larger)};
}

Tensor with_element_gaps(const Extents& dims) {
  Tensor tensor{dims, dense_strides(dims)};
  for (Extent& stride : tensor.strides) stride *= 2;
  return tensor;
}

Tensor reversed_order(const Extents& dims) {
  const Extents reversed(dims.rbegin(), dims.rend());
  Extents strides = dense_strides(reversed);
  std::reverse(strides.begin(), strides.end());
  return {dims, strides};
}

}  // namespace concord::conformance
