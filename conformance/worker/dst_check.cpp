// SPDX-License-Identifier: Apache-2.0
#include "conformance/worker/dst_check.h"

#include <cmath>
#include <cstring>

#include "spec/check.h"

namespace concord::conformance {
namespace {

// Marks the elements of the axes from `axis` on, the first of them at `place`.
void mark(const Tensor& tensor, const Extents& strides, std::size_t axis, Extent place,
          std::vector<bool>& is_element) {
  if (axis == tensor.rank()) {
    is_element[static_cast<std::size_t>(place)] = true;
    return;
  }
  for (Extent i = 0; i < tensor.dims[axis]; ++i) {
    mark(tensor, strides, axis + 1, place + i * strides[axis], is_element);
  }
}

}  // namespace

std::size_t bytes_of(Dtype dtype, const Tensor& tensor) {
  const auto span = element_span(tensor);
  CONCORD_CHECK(span.has_value()) << to_string(tensor) << " has no span";
  return static_cast<std::size_t>(*span) * size_of(dtype);
}

ElementMask::ElementMask(Dtype dtype, const Tensor& tensor)
    : dtype_(dtype), element_bytes_(size_of(dtype)) {
  const Extent span = *element_span(tensor);
  if (span == *element_count(tensor.dims)) return;
  is_element_.resize(static_cast<std::size_t>(span));
  mark(tensor, strides_of(tensor), 0, 0, is_element_);
}

std::size_t ElementMask::gap_bytes_written(std::span<const std::byte> memory,
                                           const Poison& poison) const {
  std::size_t written = 0;
  for (std::size_t i = 0; i < is_element_.size(); ++i) {
    if (is_element_[i]) continue;
    const std::size_t place = i * element_bytes_;
    written += poison.count_written(memory.subspan(place, element_bytes_),
                                    static_cast<std::ptrdiff_t>(place));
  }
  return written;
}

bool ElementMask::same_elements(std::span<const std::byte> a, std::span<const std::byte> b) const {
  if (a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0) return true;
  for (std::size_t i = 0; i < a.size() / element_bytes_; ++i) {
    if (!is_element_.empty() && !is_element_[i]) continue;
    const std::byte *x = &a[i * element_bytes_], *y = &b[i * element_bytes_];
    if (std::memcmp(x, y, element_bytes_) == 0) continue;
    if (!std::isnan(load(dtype_, x)) || !std::isnan(load(dtype_, y))) return false;
  }
  return true;
}

}  // namespace concord::conformance
