// SPDX-License-Identifier: Apache-2.0
// A sum that also knows the scale of its rounding error.
#ifndef CONCORD_REFERENCE_SUM_H_
#define CONCORD_REFERENCE_SUM_H_

#include <cmath>

namespace concord::reference {

/// Adds terms in f64, in the order given, and separately their magnitudes.
struct Sum {
  double value = 0;
  double magnitude = 0;

  void add(double term) {
    value += term;
    magnitude += std::fabs(term);
  }
};

}  // namespace concord::reference

#endif  // CONCORD_REFERENCE_SUM_H_
