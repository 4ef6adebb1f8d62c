// SPDX-License-Identifier: Apache-2.0
// For tests: a continuous layer with values for it.
#ifndef CONCORD_REFERENCE_CONTINUOUS_EXAMPLE_H_
#define CONCORD_REFERENCE_CONTINUOUS_EXAMPLE_H_

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

#include "reference/continuous.h"

namespace concord::reference {

/// `count` values from -1 to 1.
inline std::vector<double> random_values(Extent count, unsigned seed) {
  std::mt19937 generator(seed);
  std::vector<double> values;
  for (Extent i = 0; i < count; ++i) {
    values.push_back(static_cast<double>(generator()) / 2147483648.0 - 1);
  }
  return values;
}

/// The number of parameters of a layer on `Cin` channels.
inline Extent parameters_for(Extent Cin, const ContinuousAttributes& a) {
  if (a.function == KernelFunction::kKeys) return 0;
  const Extent more = a.ties == Ties::kClosed ? 1 : 0;
  const Extent slots = (a.kernel[0] + more) * (a.kernel[1] + more);
  const Extent outputs = Cin * a.channels * (predicts_all(a.function) ? slots : 1);
  return 3 * a.widths[0] + (a.widths[0] + 1) * a.widths[1] + (a.widths[1] + 1) * outputs;
}

/// A resolved layer, its input and its parameters, random.
struct ContinuousExample {
  ContinuousExample(const Extents& dims, const ContinuousAttributes& a) {
    const auto resolved = resolve_continuous(dims, parameters_for(dims[1], a), a);
    EXPECT_TRUE(resolved) << resolved.why().detail;
    if (!resolved) return;
    geometry = *resolved;
    src = random_values(dims[0] * dims[1] * dims[2] * dims[3], 1);
    theta = random_values(geometry.parameters, 2);
  }

  std::vector<double> output() const { return evaluate_continuous(geometry, src, theta).value; }

  ContinuousGeometry geometry{};
  std::vector<double> src{}, theta{};
};

}  // namespace concord::reference

#endif  // CONCORD_REFERENCE_CONTINUOUS_EXAMPLE_H_
