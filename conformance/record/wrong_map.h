// SPDX-License-Identifier: Apache-2.0
// Where the wrong elements of a failure lie in dst.
#ifndef CONCORD_CONFORMANCE_RECORD_WRONG_MAP_H_
#define CONCORD_CONFORMANCE_RECORD_WRONG_MAP_H_

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "spec/tensor.h"

namespace concord::conformance {

/// Counts by axis and a small picture. An axis of more indices than kParts is divided into that
/// many parts; index i of an axis of E belongs to part i * parts / E.
struct WrongMap {
  static constexpr Extent kParts = 16;

  Extents dims{};                                  ///< of dst, in its own axis order
  std::vector<std::vector<std::size_t>> counts{};  ///< wrong elements in each part of each axis
  std::vector<std::size_t> axes{};                 ///< the axes of the picture: rows, columns
  /// For each of `axes`, how many indices at its begin and at its end have a window that reaches
  /// into the padding; zeros where that is not known.
  std::vector<std::array<Extent, 2>> borders{};
  /// A text for each row: '0' where no element is wrong, '9' where all are, between them by ninths.
  std::vector<std::string> picture{};
  bool operator==(const WrongMap&) const = default;
};

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_RECORD_WRONG_MAP_H_
