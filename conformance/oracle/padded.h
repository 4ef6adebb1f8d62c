// SPDX-License-Identifier: Apache-2.0
// src with its padding written out, so that every tap of every output finds a number.
#ifndef CONCORD_CONFORMANCE_ORACLE_PADDED_H_
#define CONCORD_CONFORMANCE_ORACLE_PADDED_H_

#include <optional>
#include <span>
#include <vector>

#include "reference/discrete.h"

namespace concord::conformance {

/// Rows of one image are dealt out by their place modulo the stride, so that the inputs of
/// neighbouring outputs lie side by side: [IC, depth, height, SW, row].
template <class Number>
struct Padded {
  std::vector<Number> values{};
  Extent image = 0;  ///< elements of one image
  Extent plane = 0;  ///< of one channel
  Extent slice = 0;  ///< of one depth
  Extent line = 0;   ///< of one height, all phases
  Extent row = 0;    ///< of one phase
  /// For every tap of a group in the order ic, kd, kh, kw: how far its input lies from that of the
  /// first tap of the output at 0,0,0.
  std::vector<Extent> taps{};
};

/// Nothing if it would be far larger than src. `slack` elements may be read behind any row. Number
/// is double, or float if that holds every value of src.
template <class Number>
std::optional<Padded<Number>> pad(const reference::Geometry& geometry, std::span<const double> src,
                                  Extent slack);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_ORACLE_PADDED_H_
