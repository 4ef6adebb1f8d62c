// SPDX-License-Identifier: Apache-2.0
#include "conformance/run/tensor_images.h"

#include "spec/tensor_values.h"

namespace concord::conformance {
namespace {

std::vector<std::byte> image_of(Dtype dtype, const Tensor& tensor, std::span<const double> values) {
  const auto span = static_cast<std::size_t>(element_span(tensor).value());
  std::vector<std::byte> bytes(span * size_of(dtype), std::byte{0xFF});
  write_tensor(dtype, tensor, values, bytes.data());
  return bytes;
}

}  // namespace

InputImages images_of(const Problem& problem, const Inputs& inputs) {
  InputImages images;
  std::vector<std::byte>* const all[] = {&images.src, &images.weights, &images.bias,
                                         &images.diff_dst};
  for (const Input input : kInputs) {
    if (input_of(problem, input) == nullptr) continue;
    *all[static_cast<std::size_t>(input)] =
        image_of(problem.dtype, in_reading_order(problem, input), inputs.of(input));
  }
  return images;
}

std::vector<double> values_of(const Problem& problem, const Tensor& dst,
                              std::span<const std::byte> bytes) {
  return read_tensor(problem.dtype, dst_in_reading_order(problem, dst), bytes.data());
}

Extents own_index(const Problem& problem, const Tensor& dst, std::size_t place) {
  const auto axes = dst_reading_axes(problem, dst.rank());
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
  for (const std::size_t axis : dst_reading_axes(problem, dst.rank())) {
    place = place * dst.dims[axis] + index[axis];
  }
  return static_cast<std::size_t>(place);
}

}  // namespace concord::conformance
