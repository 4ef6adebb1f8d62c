// SPDX-License-Identifier: Apache-2.0
#ifndef CONCORD_REFERENCE_ORACLE_H_
#define CONCORD_REFERENCE_ORACLE_H_

#include <vector>

namespace concord::reference {

/// Per element of a result: its value, and the sum of the magnitudes of the terms that went into
/// it, which is the scale of any computation's rounding error (docs/numerics.md).
struct Oracle {
  std::vector<double> value;
  std::vector<double> magnitude;
};

}  // namespace concord::reference

#endif  // CONCORD_REFERENCE_ORACLE_H_
