// SPDX-License-Identifier: Apache-2.0
#include "spec/tensor_values.h"

#include "spec/check.h"
#include "spec/copy.h"

namespace concord {
namespace {

std::size_t count_of(const Tensor& tensor) {
  const auto count = element_count(tensor.dims);
  CONCORD_CHECK(count.has_value()) << to_string(tensor);
  return static_cast<std::size_t>(*count);
}

// True if the elements lie one behind the other in the order of the axes.
bool is_dense(const Tensor& tensor) { return strides_of(tensor) == strides_of({tensor.dims, {}}); }

}  // namespace

std::vector<double> read_tensor(Dtype dtype, const Tensor& tensor, const void* data) {
  const std::size_t count = count_of(tensor);
  if (count > 0 && is_dense(tensor)) {
    std::vector<double> values(count);
    load(dtype, {static_cast<const std::byte*>(data), count * size_of(dtype)}, values);
    return values;
  }
  std::vector<std::byte> dense(count * size_of(dtype));
  copy_elements(size_of(dtype), tensor, data, {tensor.dims, {}}, dense.data());
  std::vector<double> values(count);
  load(dtype, dense, values);
  return values;
}

void write_tensor(Dtype dtype, const Tensor& tensor, std::span<const double> values, void* data) {
  CONCORD_CHECK(values.size() == count_of(tensor)) << values.size() << " " << to_string(tensor);
  if (!values.empty() && is_dense(tensor)) {
    return store(dtype, values, {static_cast<std::byte*>(data), values.size() * size_of(dtype)});
  }
  std::vector<std::byte> dense(values.size() * size_of(dtype));
  store(dtype, values, dense);
  copy_elements(size_of(dtype), {tensor.dims, {}}, dense.data(), tensor, data);
}

}  // namespace concord
