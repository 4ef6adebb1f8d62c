// SPDX-License-Identifier: Apache-2.0
// src as the kernels read it: every tap of every output finds a number. Of at most three spatial
// axes.
#ifndef CONCORD_CONFORMANCE_ORACLE_PADDED_H_
#define CONCORD_CONFORMANCE_ORACLE_PADDED_H_

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "reference/discrete.h"

namespace concord::conformance {

/// [IC, depth, height, row] of each image.
template <class Number>
struct Padded {
  std::unique_ptr<Number[]> own{};  ///< null where src itself has all that is read
  const Number* values = nullptr;   ///< what the first tap of the output at 0,0,0 reads
  Extent image = 0;                 ///< elements from one image to the next
  Extent plane = 0;                 ///< from one channel
  Extent slice = 0;                 ///< from one depth
  Extent line = 0;                  ///< from one height
  Extent step = 0;                  ///< from what one output reads to its neighbour on W
  /// For every tap of a group in the order ic, kd, kh, kw: how far its input lies from that of the
  /// first tap of the same output.
  std::vector<Extent> taps{};
};

/// For kernels that read an output's inputs one by one: with zeros around, where an output needs
/// them. Rows that nothing reads are left as they come. Nothing if it would be far larger than src.
/// Number is double, or float if that holds every value of src.
/// Shapes  `src` lives as long as the result
template <class Number>
std::optional<Padded<Number>> pad(const reference::Geometry& geometry, std::span<const double> src);

/// For kernels that read the inputs of neighbouring outputs as a vector: rows are dealt out by
/// their place modulo the stride, so that these lie side by side. `slack` elements may be read
/// behind any row.
template <class Number>
std::optional<Padded<Number>> pad_by_phase(const reference::Geometry& geometry,
                                           std::span<const double> src, Extent slack);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_ORACLE_PADDED_H_
