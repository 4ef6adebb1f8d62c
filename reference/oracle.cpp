// SPDX-License-Identifier: Apache-2.0
#include "reference/oracle.h"

#include <cmath>

#include "reference/sum.h"

namespace concord::reference {

Oracle oracle_of(Dtype dtype, Oracle sums) {
  if (dtype != Dtype::kF64) {
    sums.low = {};
    return sums;
  }
  for (std::size_t i = 0; i < sums.low.size(); ++i) {
    double& value = sums.value[i];
    double& low = sums.low[i];
    const TwoSum all(value, low);
    // Infinite values, and what is NaN, have lost nothing.
    const bool is_finite = std::isfinite(value) && std::isfinite(low) && std::isfinite(all.sum);
    if (is_finite) value = all.sum;
    low = is_finite ? all.lost : 0;
  }
  return sums;
}

}  // namespace concord::reference
