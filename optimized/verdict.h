// SPDX-License-Identifier: Apache-2.0
// What the checks of the engine's shapes share.
#ifndef CONCORD_OPTIMIZED_VERDICT_H_
#define CONCORD_OPTIMIZED_VERDICT_H_

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

 private:
  std::optional<Refusal> first_{};
};

/// "(1,2,3)".
std::string text_of(const Extents& values);

/// kSize and kLayout of one tensor.
void check_tensor(const char* name, const Tensor& tensor, Dtype dtype, Verdict* verdict);

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_VERDICT_H_
