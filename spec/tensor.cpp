// SPDX-License-Identifier: Apache-2.0
#include "spec/tensor.h"

#include <algorithm>
#include <numeric>

#include "spec/check.h"

namespace concord {
namespace {

std::string joined(const Extents& values) {
  std::string text;
  for (const Extent value : values) {
    if (!text.empty()) text += 'x';
    text += std::to_string(value);
  }
  return text.empty() ? "()" : text;
}

}  // namespace

Extents dense_strides(const Extents& dims) {
  Extents strides(dims.size(), 1);
  for (std::size_t axis = dims.size(); axis-- > 1;) {
    // A product that overflows belongs to a tensor that element_count() refuses.
    if (__builtin_mul_overflow(strides[axis], std::max<Extent>(dims[axis], 1),
                               &strides[axis - 1])) {
      strides[axis - 1] = INT64_MAX;
    }
  }
  return strides;
}

Extents column_major_strides(const Extents& dims) {
  Extents reversed(dims.rbegin(), dims.rend());
  const Extents strides = dense_strides(reversed);
  return {strides.rbegin(), strides.rend()};
}

Extents strides_of(const Tensor& tensor) {
  CONCORD_CHECK(tensor.strides.empty() || tensor.strides.size() == tensor.rank())
      << to_string(tensor);
  return tensor.strides.empty() ? dense_strides(tensor.dims) : tensor.strides;
}

std::optional<Extent> element_count(const Extents& dims) {
  Extent count = 1;
  bool empty = false;
  for (const Extent extent : dims) {
    if (extent < 0) return std::nullopt;
    if (extent == 0) empty = true;
    if (__builtin_mul_overflow(count, std::max<Extent>(extent, 1), &count)) return std::nullopt;
  }
  return empty ? 0 : count;
}

std::optional<Extent> element_span(const Tensor& tensor) {
  const auto count = element_count(tensor.dims);
  if (!count) return std::nullopt;
  const Extents strides = strides_of(tensor);
  if (std::any_of(strides.begin(), strides.end(), [](Extent s) { return s < 0; })) {
    return std::nullopt;
  }
  if (*count == 0) return 0;
  Extent span = 1;
  for (std::size_t axis = 0; axis < strides.size(); ++axis) {
    Extent reach = 0;
    if (__builtin_mul_overflow(tensor.dims[axis] - 1, strides[axis], &reach) ||
        __builtin_add_overflow(span, reach, &span)) {
      return std::nullopt;
    }
  }
  return span;
}

bool is_injective(const Tensor& tensor) {
  if (std::any_of(tensor.dims.begin(), tensor.dims.end(), [](Extent e) { return e < 1; })) {
    return true;
  }
  const Extents strides = strides_of(tensor);
  std::vector<std::size_t> order(strides.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::erase_if(order, [&](std::size_t axis) { return tensor.dims[axis] <= 1; });
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return strides[a] < strides[b]; });
  Extent reach = 0;
  for (const std::size_t axis : order) {
    if (strides[axis] <= reach) return false;
    reach += (tensor.dims[axis] - 1) * strides[axis];
  }
  return true;
}

std::vector<std::size_t> channels_first_axes(DataFormat format, std::size_t rank) {
  CONCORD_CHECK(rank >= 2) << "rank " << rank;
  std::vector<std::size_t> axes(rank);
  std::iota(axes.begin(), axes.end(), std::size_t{0});
  // [N, X..., C]: the last axis comes second, the spatial ones behind it.
  if (format == DataFormat::kNXC) std::rotate(axes.begin() + 1, axes.end() - 1, axes.end());
  return axes;
}

std::vector<std::size_t> channels_first_axes(WeightsFormat format, std::size_t rank) {
  CONCORD_CHECK(rank >= 2) << "rank " << rank;
  std::vector<std::size_t> axes(rank);
  std::iota(axes.begin(), axes.end(), std::size_t{0});
  // [X..., I, O] -> [O, I, X...].
  if (format == WeightsFormat::kXIO) {
    std::rotate(axes.begin(), axes.end() - 2, axes.end());
    std::swap(axes[0], axes[1]);
  }
  return axes;
}

Tensor permute(const Tensor& tensor, const std::vector<std::size_t>& axes) {
  CONCORD_CHECK(axes.size() == tensor.rank());
  const Extents strides = strides_of(tensor);
  Tensor result{Extents(axes.size()), Extents(axes.size())};
  for (std::size_t i = 0; i < axes.size(); ++i) {
    result.dims[i] = tensor.dims[axes[i]];
    result.strides[i] = strides[axes[i]];
  }
  return result;
}

Tensor unpermute(const Tensor& tensor, const std::vector<std::size_t>& axes) {
  CONCORD_CHECK(axes.size() == tensor.rank());
  const Extents strides = strides_of(tensor);
  Tensor result{Extents(axes.size()), Extents(axes.size())};
  for (std::size_t i = 0; i < axes.size(); ++i) {
    result.dims[axes[i]] = tensor.dims[i];
    result.strides[axes[i]] = strides[i];
  }
  return result;
}

std::string to_string(const Tensor& tensor) {
  std::string text = joined(tensor.dims);
  if (!tensor.strides.empty()) text += ":" + joined(tensor.strides);
  return text;
}

}  // namespace concord
