// SPDX-License-Identifier: Apache-2.0
// A sum that also knows the scale of its rounding error, and the error itself.
#ifndef CONCORD_REFERENCE_SUM_H_
#define CONCORD_REFERENCE_SUM_H_

#include <cmath>
#include <limits>

#include "reference/oracle.h"

namespace concord::reference {

/// a + b and what its rounding lost, exactly. Source: Knuth's TwoSum.
struct TwoSum {
  double sum, lost;
  TwoSum(double a, double b) : sum(a + b) {
    const double of_b = sum - a;
    lost = (a - (sum - of_b)) + (b - of_b);
  }
};

/// Adds terms in f64, in the order given, and separately their magnitudes and what was lost.
/// Source: Ogita, Rump, Oishi, Dot2; docs/numerics.md#f64
struct Sum {
  double value = 0;
  double magnitude = 0;
  double low = 0;  ///< of the roundings of products and sums; without meaning beside Inf and NaN

  void add(double term) {
    const TwoSum added(value, term);
    value = added.sum;
    low += added.lost;
    magnitude += std::fabs(term);
  }
  void add_product(double x, double w) {
    const double product = x * w;
    add(product);
    low += std::fma(x, w, -product);
    // Only in f64 does a product vanish. What is left of it must have a scale.
    if (product == 0 && x != 0 && w != 0) magnitude += std::numeric_limits<double>::denorm_min();
  }
  void append_to(Oracle& oracle) const {
    oracle.value.push_back(value);
    oracle.magnitude.push_back(magnitude);
    oracle.low.push_back(low);
  }
};

}  // namespace concord::reference

#endif  // CONCORD_REFERENCE_SUM_H_
