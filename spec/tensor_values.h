// SPDX-License-Identifier: Apache-2.0
// The values of a tensor stored in any dtype and layout.
#ifndef CONCORD_SPEC_TENSOR_VALUES_H_
#define CONCORD_SPEC_TENSOR_VALUES_H_

#include <span>
#include <vector>

#include "spec/dtype.h"
#include "spec/tensor.h"

namespace concord {

/// An element of a tensor, by its place in memory, counted in elements.
struct PlacedValue {
  Extent place = 0;
  double value = 0;
};

/// Reads every element. Exact.
/// Shapes  `tensor` has any strides that element_span() accepts; the result is dense, in the order
///         of the tensor's axes, last axis fastest. `data` may be null for no elements
std::vector<double> read_tensor(Dtype dtype, const Tensor& tensor, const void* data);

/// Writes every element with one rounding, and no byte of the gaps between them.
/// Shapes  `values` as read_tensor() returns them; `tensor` is_injective()
void write_tensor(Dtype dtype, const Tensor& tensor, std::span<const double> values, void* data);

}  // namespace concord

#endif  // CONCORD_SPEC_TENSOR_VALUES_H_
