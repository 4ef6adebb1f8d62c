// SPDX-License-Identifier: Apache-2.0
// What the models of the continuous layer share: their factors, and what they ask of an axis.
#ifndef CONCORD_CONFORMANCE_CATALOG_CONTINUOUS_AXIS_H_
#define CONCORD_CONFORMANCE_CATALOG_CONTINUOUS_AXIS_H_

#include <algorithm>
#include <cstddef>

#include "reference/continuous_grid.h"

namespace concord::conformance {

namespace continuous {

/// The factors of a row.
enum Index {
  kOperation,
  kDtype,
  kFunction,
  kTies,
  kBoundary,
  kImages,
  kCin,
  kCout,
  kWidths,
  kSlope,
  kMemory,
  kAxes  // kOfAxis factors of the height, then of the width
};
enum OfAxis { kScale, kKernel, kExtent, kSize, kOfAxis };

/// Where a row has a factor of the height, axis 0, or of the width.
inline std::size_t place(int axis, OfAxis factor) {
  return std::size_t{kAxes} + static_cast<std::size_t>(axis) * kOfAxis +
         static_cast<std::size_t>(factor);
}

}  // namespace continuous

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
