// SPDX-License-Identifier: Apache-2.0
#include "conformance/catalog/memory.h"

#include <algorithm>
#include <utility>

namespace concord::conformance {
namespace {

Tensor with_lone_strides(Tensor tensor, Extent stride) {
  for (std::size_t axis = 0; axis < tensor.rank(); ++axis) {
    if (tensor.dims[axis] == 1) tensor.strides[axis] = stride;
  }
  return tensor;
}

}  // namespace

Tensor with_row_gaps(const Extents& dims) {
  Extents larger = dims;
  larger.back() += 3;
  if (larger.size() > 1) larger[larger.size() - 2] += 1;
  return with_lone_strides({dims, dense_strides(larger)}, 0);
}

Tensor with_element_gaps(const Extents& dims) {
  Tensor tensor{dims, dense_strides(dims)};
  for (Extent& stride : tensor.strides) stride *= 2;
  return with_lone_strides(std::move(tensor), 99'991);
}

Tensor reversed_order(const Extents& dims) {
  const Extents reversed(dims.rbegin(), dims.rend());
  Extents strides = dense_strides(reversed);
  std::reverse(strides.begin(), strides.end());
  return {dims, strides};
}

Tensor in_order(const Extents& dims, const std::vector<std::size_t>& order,
                const std::optional<Gap>& gap) {
  constexpr Extent kFar = (Extent{1} << 33) + 1;
  Tensor tensor{dims, Extents(dims.size())};
  Extent stride = 1;
  for (std::size_t place = 0; place < order.size(); ++place) {
    if (gap && gap->place == place) stride += gap->elements;
    tensor.strides[order[place]] = stride;
    stride *= dims[order[place]];
  }
  return gap ? with_lone_strides(std::move(tensor), kFar) : tensor;
}

}  // namespace concord::conformance
