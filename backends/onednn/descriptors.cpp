// SPDX-License-Identifier: Apache-2.0
#include "backends/onednn/descriptors.h"

#include <algorithm>
#include <limits>

namespace concord::backends {
namespace {

using dnnl::memory;

memory::data_type data_type_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::kF32:
      return memory::data_type::f32;
    case Dtype::kF16:
      return memory::data_type::f16;
    case Dtype::kBF16:
      return memory::data_type::bf16;
    default:  // declined before
      return memory::data_type::undef;
  }
}

/// The tensor's strides with those replaced that mean nothing, because their axis has one element
/// at most: oneDNN checks them all. The stand-in steps over everything.
Extents meaningful_strides(const Tensor& tensor) {
  Extents strides = strides_of(tensor);
  Extent outermost = 1;
  for (std::size_t axis = 0; axis < strides.size(); ++axis) {
    if (tensor.dims[axis] > 1) outermost = std::max(outermost, strides[axis] * tensor.dims[axis]);
  }
  for (std::size_t axis = 0; axis < strides.size(); ++axis) {
    if (tensor.dims[axis] <= 1) strides[axis] = outermost;
  }
  return strides;
}

memory::desc describe_tensor(const Tensor& tensor, memory::data_type type) {
  return {tensor.dims, type, meaningful_strides(tensor)};
}

/// With groups, [G,OC/G,IC/G,spatial...].
memory::desc describe_weights(const Tensor& tensor, Extent groups, memory::data_type type) {
  Tensor view{tensor.dims, meaningful_strides(tensor)};
  if (groups > 1) {
    view.dims[0] /= groups;
    view.dims.insert(view.dims.begin(), groups);
    view.strides.insert(view.strides.begin(), view.dims[1] * view.strides[0]);
  }
  return {view.dims, type, view.strides};
}

}  // namespace

Descriptors describe(Dtype dtype, const PaddedConvolution& p) {
  const memory::data_type type = data_type_of(dtype);
  Descriptors result{describe_tensor(p.src, type), describe_weights(p.weights, p.G, type),
                     describe_tensor(p.dst, type), std::nullopt};
  if (p.bias_stride) result.bias = describe_tensor({{p.OC}, {*p.bias_stride}}, type);
  return result;
}

PrimitiveWindow primitive_window(const PaddedConvolution& p) {
  PrimitiveWindow window{p.S, p.D, p.pad_begin, p.pad_end};
  for (auto& dilation : window.dilations) --dilation;
  return window;
}

std::optional<std::string> beyond_32_bits(const PaddedConvolution& p) {
  constexpr Extent kLargest = std::numeric_limits<std::int32_t>::max();
  const Extents channels = {p.N, p.IC, p.OC};
  for (const Extents* sizes : {&channels, &p.I, &p.O, &p.K, &p.S, &p.D, &p.pad_begin, &p.pad_end}) {
    for (const Extent size : *sizes) {
      if (size > kLargest) return "oneDNN's kernels hold sizes in 32 bits: " + std::to_string(size);
    }
  }
  return std::nullopt;
}

}  // namespace concord::backends
