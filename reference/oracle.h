// SPDX-License-Identifier: Apache-2.0
#ifndef CONCORD_REFERENCE_ORACLE_H_
#define CONCORD_REFERENCE_ORACLE_H_

#include <vector>

#include "spec/dtype.h"

namespace concord::reference {

/// Per element of a result: its value, and the sum of the magnitudes of the terms that went into
/// it, which is the scale of any computation's rounding error (docs/numerics.md).
struct Oracle {
  std::vector<double> value;
  std::vector<double> magnitude;
  /// Of sums in f64: what `value` is short of the sum. `value` is then the sum rounded to nearest,
  /// and `low` at most half its last place. Empty where there is none.
  std::vector<double> low{};
};

/// Of evaluated sums the oracle of a dtype. What plain sums in f64 lost is added to those of f64
/// itself; products of all other dtypes are exact in f64, so their oracle is the plain sum.
Oracle oracle_of(Dtype dtype, Oracle sums);

}  // namespace concord::reference

#endif  // CONCORD_REFERENCE_ORACLE_H_
