// SPDX-License-Identifier: Apache-2.0
#include "conformance/run/other_bits.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "conformance/arithmetic/same_value.h"
#include "conformance/record/failure_text.h"
#include "spec/tensor_values.h"

namespace concord::conformance {
namespace {

// The index of element `place` of the dense order of the tensor's axes.
Extents index_of(const Tensor& tensor, std::size_t place) {
  Extents index(tensor.rank());
  auto rest = static_cast<Extent>(place);
  for (std::size_t axis = tensor.rank(); axis-- > 0;) {
    index[axis] = rest % tensor.dims[axis];
    rest /= tensor.dims[axis];
  }
  return index;
}

}  // namespace

std::optional<OtherBits> find_other_bits(Dtype dtype, const Tensor& dst,
                                         std::span<const std::byte> before,
                                         std::span<const std::byte> now) {
  const std::vector<double> first = read_tensor(dtype, dst, before.data());
  const std::vector<double> then = read_tensor(dtype, dst, now.data());
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (!has_same_bits(first[i], then[i])) return OtherBits{index_of(dst, i), first[i], then[i]};
  }
  return std::nullopt;
}

std::string describe(const OtherBits& bits) {
  return fmt::format("dst[{}] was {} and then {}", fmt::join(bits.element, ","),
                     value_text(bits.before), value_text(bits.now));
}

std::string describe(const OtherBits& bits, int threads, int other_threads) {
  return fmt::format("dst[{}] was {} with threads={} and {} with threads={}",
                     fmt::join(bits.element, ","), value_text(bits.before), threads,
                     value_text(bits.now), other_threads);
}

}  // namespace concord::conformance
