// SPDX-License-Identifier: Apache-2.0
// What the checks of the engine's shapes share.
#ifndef CONCORD_OPTIMIZED_SHAPE_VERDICT_H_
#define CONCORD_OPTIMIZED_SHAPE_VERDICT_H_

#include <initializer_list>
#include <optional>
#include <string>

#include "spec/dtype.h"
#include "spec/result.h"
#include "spec/tensor.h"

namespace concord::optimized {

/// Wide enough for every product of two extents and every sum of a few.
__extension__ typedef __int128 Wide;

/// The quotient rounded down; `divisor` is positive.
constexpr Wide divide_down(Wide value, Wide divisor) {
  return value >= 0 ? value / divisor : -((divisor - 1 - value) / divisor);
}
/// True if `value` is an Extent.
constexpr bool is_extent(Wide value) { return value >= INT64_MIN && value <= INT64_MAX; }

/// Keeps, of the faults that it is told, the one that comes first in the order of the enumeration.
class Verdict {
 public:
  void add(Fault fault, std::string detail);
  const std::optional<Refusal>& first() const { return first_; }
  /// True if a fault was told without whose cure no size of a discrete convolution can be derived.
  bool forbids_sizes() const { return forbids_sizes_; }

 private:
  std::optional<Refusal> first_{};
  bool forbids_sizes_ = false;
};

/// "(1,2,3)".
std::string text_of(const Extents& values);

/// True if so many elements have a size in bytes.
bool fits_memory(std::optional<Extent> elements, Dtype dtype);

/// kSize and kLayout of one tensor.
void check_tensor(const char* name, const Tensor& tensor, Dtype dtype, Verdict* verdict);

/// A tensor and what messages call it; null where the problem has none.
struct NamedTensor {
  const char* name;
  const Tensor* tensor;
};
/// The fault that comes first of `refusal`, which looked at extents and attributes, and of those of
/// the tensors as they lie. kRank comes before all: tensors are not looked at then.
std::optional<Refusal> with_tensors(const std::optional<Refusal>& refusal, Dtype dtype,
                                    std::initializer_list<NamedTensor> tensors);
/// The tensor without its strides.
inline Tensor without_strides(const Tensor& tensor) { return {tensor.dims, {}}; }

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_SHAPE_VERDICT_H_
