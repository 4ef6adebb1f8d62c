// SPDX-License-Identifier: Apache-2.0
#include "backends/adapter/views.h"

#include <algorithm>

namespace concord::backends {
namespace {

Window::Spatial behind(Extent lead, const Extents& list) {
  Window::Spatial result{lead, lead, lead};
  std::copy_backward(list.begin(), list.end(), result.end());
  return result;
}

/// Splits axis `at` into [groups, extent / groups].
void split(Tensor& tensor, std::size_t at, Extent groups) {
  const auto axis = static_cast<Extents::difference_type>(at);
  tensor.dims[at] /= groups;
  tensor.dims.insert(tensor.dims.begin() + axis, groups);
  tensor.strides.insert(tensor.strides.begin() + axis, tensor.dims[at + 1] * tensor.strides[at]);
}

/// `tensor` is channels first; its channels on axis `channels` are split into groups.
Tensor view_of(Tensor tensor, std::size_t channels, Extent groups) {
  while (tensor.rank() < 5) {
    tensor.dims.insert(tensor.dims.begin() + 2, 1);
    tensor.strides.insert(tensor.strides.begin() + 2, 0);
  }
  split(tensor, channels, groups);
  return tensor;
}

}  // namespace

Window window_of(const PaddedConvolution& p) {
  return {behind(1, p.I), behind(1, p.O),         behind(1, p.K),      behind(1, p.S),
          behind(1, p.D), behind(0, p.pad_begin), behind(0, p.pad_end)};
}

Views views_of(const PaddedConvolution& p) {
  Views views{view_of(p.src, 1, p.G), view_of(p.weights, 0, p.G), view_of(p.dst, 1, p.G), {}};
  if (p.bias_stride) views.bias = {{p.OC}, {*p.bias_stride}};
  return views;
}

Tensor ordered(const Tensor& tensor, std::initializer_list<std::size_t> axes) {
  return permute(tensor, axes);
}

bool is_dense(const Tensor& tensor) {
  const Extents strides = strides_of(tensor), packed = dense_strides(tensor.dims);
  for (std::size_t axis = 0; axis < packed.size(); ++axis) {
    if (tensor.dims[axis] > 1 && strides[axis] != packed[axis]) return false;
  }
  return true;
}

}  // namespace concord::backends
