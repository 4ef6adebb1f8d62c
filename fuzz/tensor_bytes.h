// SPDX-License-Identifier: Apache-2.0
// Tensors as the engine gets them: bytes of a dtype, in a layout.
#ifndef CONCORD_FUZZ_TENSOR_BYTES_H_
#define CONCORD_FUZZ_TENSOR_BYTES_H_

#include <cstddef>
#include <span>
#include <vector>

#include "spec/dtype.h"
#include "spec/tensor.h"

namespace concord::fuzz {

/// The memory of a tensor that has these values; gaps between its elements are NaN.
/// Shapes  `values` are dense, in the order of the tensor's axes
std::vector<std::byte> bytes_of(Dtype dtype, const Tensor& tensor, std::span<const double> values);

}  // namespace concord::fuzz

#endif  // CONCORD_FUZZ_TENSOR_BYTES_H_
