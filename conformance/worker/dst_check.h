// SPDX-License-Identifier: Apache-2.0
// Checks dst: its elements, and the gaps between them, which must not be written.
#ifndef CONCORD_CONFORMANCE_WORKER_DST_CHECK_H_
#define CONCORD_CONFORMANCE_WORKER_DST_CHECK_H_

#include <cstddef>
#include <span>
#include <vector>

#include "conformance/worker/arena.h"
#include "spec/dtype.h"
#include "spec/tensor.h"

namespace concord::conformance {

/// The number of bytes from the first to the last element. `tensor` has an element_span().
std::size_t bytes_of(Dtype dtype, const Tensor& tensor);

/// Knows which bytes of a tensor belong to an element.
class ElementMask {
 public:
  /// `tensor` has an element_span().
  ElementMask(Dtype dtype, const Tensor& tensor);

  /// The number of bytes of `memory` that belong to no element and are no longer poison.
  /// Shapes  memory, a and b are element_span() * size_of(dtype) bytes
  std::size_t gap_bytes_written(std::span<const std::byte> memory, const Poison& poison) const;
  /// True if all elements have the same bits, or are NaN in both.
  bool same_elements(std::span<const std::byte> a, std::span<const std::byte> b) const;

 private:
  Dtype dtype_;
  std::size_t element_bytes_;
  std::vector<bool> is_element_{};  ///< one an element's place in memory; empty if all are
};

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_WORKER_DST_CHECK_H_
