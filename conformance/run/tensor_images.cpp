// SPDX-License-Identifier: Apache-2.0
#include "conformance/run/tensor_images.h"

#include "spec/tensor_values.h"

namespace concord::conformance {
namespace {

template <class Format>
Tensor channels_first(const Tensor& tensor, Format format) {
  return permute(tensor, channels_first_axes(format, tensor.rank()));
}

std::vector<std::byte> image_of(Dtype dtype, const Tensor& tensor, std::span<const double> values) {
  const auto span = static_cast<std::size_t>(element_span(tensor).value());
  std::vector<std::byte> bytes(span * size_of(dtype), std::byte{0xFF});
  write_tensor(dtype, tensor, values, bytes.data());
  return bytes;
}

}  // namespace

InputImages images_of(const Problem& problem, const Inputs& inputs) {
  InputImages images;
  images.src =
      image_of(problem.dtype, channels_first(problem.src, data_format_of(problem)), inputs.src);
  images.weights = image_of(
      problem.dtype, channels_first(problem.weights, weights_format_of(problem)), inputs.weights);
  if (problem.bias) images.bias = image_of(problem.dtype, *problem.bias, inputs.bias);
  return images;
}

std::vector<double> values_of(const Problem& problem, const Tensor& dst,
                              std::span<const std::byte> bytes) {
  return read_tensor(problem.dtype, channels_first(dst, data_format_of(problem)), bytes.data());
}

Extents own_index(const Problem& problem, const Tensor& dst, std::size_t place) {
  const auto axes = channels_first_axes(data_format_of(problem), dst.rank());
  Extents index(dst.rank());
  auto rest = static_cast<Extent>(place);
  for (std::size_t i = axes.size(); i-- > 0;) {
    index[axes[i]] = rest % dst.dims[axes[i]];
    rest /= dst.dims[axes[i]];
  }
  return index;
}

std::size_t place_of(const Problem& problem, const Tensor& dst, const Extents& index) {
  Extent place = 0;
  for (const std::size_t axis : channels_first_axes(data_format_of(problem), dst.rank())) {
    place = place * dst.dims[axis] + index[axis];
  }
  return static_cast<std::size_t>(place);
}

}  // namespace concord::conformance
