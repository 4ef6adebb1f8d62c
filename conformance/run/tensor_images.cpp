// SPDX-License-Identifier: Apache-2.0
#include "conformance/run/tensor_images.h"

#include <numeric>

#include "conformance/worker/poison.h"
#include "spec/tensor_values.h"

namespace concord::conformance {
namespace {

std::vector<std::byte> image_of(Dtype dtype, Input input, const Tensor& tensor,
                                std::span<const double> values) {
  const auto span = static_cast<std::size_t>(element_span(tensor).value());
  std::vector<std::byte> bytes(span * size_of(dtype));
  if (span != values.size()) Poison::gaps(input, dtype).fill(bytes, 0);
  write_tensor(dtype, tensor, values, bytes.data());
  return bytes;
}

// The index of element `place` of the dense order that `axes` gives.
Extents index_of(const Tensor& tensor, const std::vector<std::size_t>& axes, std::size_t place) {
  Extents index(tensor.rank());
  auto rest = static_cast<Extent>(place);
  for (std::size_t i = axes.size(); i-- > 0;) {
    index[axes[i]] = rest % tensor.dims[axes[i]];
    rest /= tensor.dims[axes[i]];
  }
  return index;
}

}  // namespace

InputImages images_of(const Problem& problem, const Inputs& inputs, std::span<const Input> which) {
  InputImages images;
  for (const Input input : which) {
    if (input_of(problem, input) == nullptr) continue;
    images.of(input) =
        image_of(problem.dtype, input, in_reading_order(problem, input), inputs.of(input));
  }
  return images;
}

std::vector<double> values_of(const Problem& problem, const Tensor& dst,
                              std::span<const std::byte> bytes) {
  return read_tensor(problem.dtype, dst_in_reading_order(problem, dst), bytes.data());
}

Extents own_index(const Problem& problem, Input input, std::size_t place) {
  const Tensor& tensor = *input_of(problem, input);
  if (input == Input::kSrc) return own_index(problem, tensor, place);
  std::vector<std::size_t> axes(tensor.rank());
  std::iota(axes.begin(), axes.end(), std::size_t{0});
  if (input == Input::kWeights && is_discrete(problem.operation())) {
    axes = channels_first_axes(weights_format_of(problem), tensor.rank());
  }
  return index_of(tensor, axes, place);
}

Extents own_index(const Problem& problem, const Tensor& dst, std::size_t place) {
  return index_of(dst, dst_reading_axes(problem, dst.rank()), place);
}

std::size_t place_of(const Problem& problem, const Tensor& dst, const Extents& index) {
  Extent place = 0;
  for (const std::size_t axis : dst_reading_axes(problem, dst.rank())) {
    place = place * dst.dims[axis] + index[axis];
  }
  return static_cast<std::size_t>(place);
}

}  // namespace concord::conformance
