// SPDX-License-Identifier: Apache-2.0
// Converts between values, dense in the reference's reading order, and memory as a backend sees
// it.
#ifndef CONCORD_CONFORMANCE_RUN_TENSOR_IMAGES_H_
#define CONCORD_CONFORMANCE_RUN_TENSOR_IMAGES_H_

#include <cstddef>
#include <span>
#include <vector>

#include "conformance/fill/fill.h"
#include "spec/problem.h"

namespace concord::conformance {

/// The bytes of each input, gaps included; empty where there is none.
struct InputImages {
  std::vector<std::byte> src, weights, bias, diff_dst;

  std::vector<std::byte>& of(Input input) {
    std::vector<std::byte>* const all[] = {&src, &weights, &bias, &diff_dst};
    return *all[static_cast<std::size_t>(input)];
  }
  const std::vector<std::byte>& of(Input input) const {
    return const_cast<InputImages&>(*this).of(input);
  }
};

/// Gaps hold Poison::gaps(), so that a backend which reads them shows it.
InputImages images_of(const Problem& problem, const Inputs& inputs,
                      std::span<const Input> which = kInputs);

/// What a backend wrote.
/// Shapes  dst as inferred; the result in the reading order
std::vector<double> values_of(const Problem& problem, const Tensor& dst,
                              std::span<const std::byte> bytes);

/// The offset, in an input's own axis order, of element `place` of its dense reading order.
Extents own_index(const Problem& problem, Input input, std::size_t place);

/// The offset, in dst's own axis order, of element `place` of the dense reading order.
Extents own_index(const Problem& problem, const Tensor& dst, std::size_t place);
/// The inverse.
std::size_t place_of(const Problem& problem, const Tensor& dst, const Extents& index);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_RUN_TENSOR_IMAGES_H_
