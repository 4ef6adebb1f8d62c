// SPDX-License-Identifier: Apache-2.0
#include "spec/copy.h"

#include <algorithm>
#include <cstring>
#include <tuple>
#include <vector>

#include "spec/check.h"

namespace concord {
namespace {

struct Axis {
  Extent extent, from, to;  // elements, and bytes from one to the next on either side
};

// The axes that move, innermost of `to` first; two that continue one another on both sides are one.
std::vector<Axis> moving_axes(Extent bytes, const Tensor& from, const Tensor& to) {
  const Extents from_strides = strides_of(from), to_strides = strides_of(to);
  std::vector<Axis> axes;
  for (std::size_t i = 0; i < to.rank(); ++i) {
    if (to.dims[i] != 1) {
      axes.push_back({to.dims[i], from_strides[i] * bytes, to_strides[i] * bytes});
    }
  }
  std::sort(axes.begin(), axes.end(), [](const Axis& a, const Axis& b) {
    return std::tie(a.to, a.from) < std::tie(b.to, b.from);
  });
  std::vector<Axis> merged;
  for (const Axis& axis : axes) {
    if (!merged.empty() && axis.from == merged.back().extent * merged.back().from &&
        axis.to == merged.back().extent * merged.back().to) {
      merged.back().extent *= axis.extent;
    } else {
      merged.push_back(axis);
    }
  }
  if (merged.empty()) merged.push_back({1, bytes, bytes});
  return merged;
}

// A size that the compiler knows makes each memcpy one move.
template <std::size_t bytes>
void copy_apart(const Axis& axis, const std::byte* from, std::byte* to) {
  for (Extent i = 0; i < axis.extent; ++i) {
    std::memcpy(to + i * axis.to, from + i * axis.from, bytes);
  }
}

void copy_run(std::size_t bytes, const Axis& axis, const std::byte* from, std::byte* to) {
  const auto step = static_cast<Extent>(bytes);
  if (axis.from == step && axis.to == step) {
    std::memcpy(to, from, static_cast<std::size_t>(axis.extent) * bytes);
  } else if (bytes == 2) {
    copy_apart<2>(axis, from, to);
  } else if (bytes == 4) {
    copy_apart<4>(axis, from, to);
  } else if (bytes == 8) {
    copy_apart<8>(axis, from, to);
  } else {
    for (Extent i = 0; i < axis.extent; ++i) {
      std::memcpy(to + i * axis.to, from + i * axis.from, bytes);
    }
  }
}

}  // namespace

void copy_elements(std::size_t element_bytes, const Tensor& from, const void* from_data,
                   const Tensor& to, void* to_data) {
  CONCORD_CHECK(from.dims == to.dims) << to_string(from) << " to " << to_string(to);
  if (std::any_of(to.dims.begin(), to.dims.end(), [](Extent e) { return e < 1; })) return;
  const std::vector<Axis> axes = moving_axes(static_cast<Extent>(element_bytes), from, to);
  std::vector<Extent> index(axes.size(), 0);
  auto* from_place = static_cast<const std::byte*>(from_data);
  auto* to_place = static_cast<std::byte*>(to_data);
  while (true) {
    copy_run(element_bytes, axes[0], from_place, to_place);
    std::size_t axis = 1;
    for (; axis < axes.size(); ++axis) {
      if (++index[axis] < axes[axis].extent) {
        from_place += axes[axis].from;
        to_place += axes[axis].to;
        break;
      }
      index[axis] = 0;
      from_place -= axes[axis].from * (axes[axis].extent - 1);
      to_place -= axes[axis].to * (axes[axis].extent - 1);
    }
    if (axis >= axes.size()) return;
  }
}

}  // namespace concord
