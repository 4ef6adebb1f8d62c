// SPDX-License-Identifier: Apache-2.0
#include "fuzz/tensor_bytes.h"

#include "spec/tensor_values.h"

namespace concord::fuzz {

std::vector<std::byte> bytes_of(Dtype dtype, const Tensor& tensor, std::span<const double> values) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(*element_span(tensor)) * size_of(dtype),
                               std::byte{0xFF});
  write_tensor(dtype, tensor, values, bytes.data());
  return bytes;
}

}  // namespace concord::fuzz
