// SPDX-License-Identifier: Apache-2.0
// For tests: values in, values out, in the axis order that the example's own source uses.
#ifndef CONCORD_REFERENCE_WORKED_EXAMPLE_H_
#define CONCORD_REFERENCE_WORKED_EXAMPLE_H_

#include <string>
#include <vector>

#include "reference/discrete.h"

namespace concord::reference {

using Values = std::vector<double>;

struct Answer {
  Extents dims{};   ///< of dst
  Values values{};  ///< dense
  bool operator==(const Answer&) const = default;
};

/// Evaluates a valid problem line, and fails the test that calls it if the line is not valid.
/// Shapes  src, weights and the answer are dense, in the order of the problem's own formats
Answer answer(const std::string& line, const Values& src, const Values& weights,
              const Values& bias = {});

/// 1, 2, 3, ... `count`.
Values counting(int count);

}  // namespace concord::reference

#endif  // CONCORD_REFERENCE_WORKED_EXAMPLE_H_
