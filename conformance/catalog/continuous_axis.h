// SPDX-License-Identifier: Apache-2.0
// What the models of the continuous layer ask of one of its axes.
#ifndef CONCORD_CONFORMANCE_CATALOG_CONTINUOUS_AXIS_H_
#define CONCORD_CONFORMANCE_CATALOG_CONTINUOUS_AXIS_H_

#include <algorithm>

#include "reference/continuous_grid.h"

namespace concord::conformance {

/// True if some output has a pixel for its neighbour.
inline bool sees_input(const reference::ContinuousAxis& axis) {
  for (Extent place = 0; place < axis.out; ++place) {
    const auto neighbours = reference::neighbours(axis, place);
    if (std::any_of(neighbours.begin(), neighbours.end(),
                    [](const auto& neighbour) { return neighbour.source.has_value(); })) {
      return true;
    }
  }
  return false;
}

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_CATALOG_CONTINUOUS_AXIS_H_
