// SPDX-License-Identifier: Apache-2.0
// Which elements of a huge problem are not zero: those that chosen outputs see through some taps.
#ifndef CONCORD_CONFORMANCE_HUGE_PROBES_H_
#define CONCORD_CONFORMANCE_HUGE_PROBES_H_

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "reference/discrete.h"
#include "spec/problem.h"

namespace concord::conformance {

using reference::Geometry;
using reference::Spatial;

/// An element of src: image, channel, place.
struct SrcIndex {
  Extent n, c;
  Spatial i;
  auto operator<=>(const SrcIndex&) const = default;
};
/// An element of weights.
struct WeightIndex {
  Extent oc, ic;  ///< ic within the group
  Spatial k;
  auto operator<=>(const WeightIndex&) const = default;
};
/// The outputs of all channels of a group at one place.
struct Position {
  Extent n, g;
  Spatial o;
  auto operator<=>(const Position&) const = default;
};
/// A tap at a position: by which weights, of any of the group's output channels, src element `i`
/// is multiplied.
struct Tap {
  Extent ic;
  Spatial k;
  auto operator<=>(const Tap&) const = default;
};

/// The element of src that a tap meets at a position; none in the padding.
std::optional<SrcIndex> met_by(const Geometry& g, const Position& at, const Tap& tap);

/// The tensors with their axes channels first, so that an index has a place.
struct Layout {
  Tensor src, weights, dst;

  Layout(const Problem& problem, const Geometry& geometry);
  Extent place_of(const SrcIndex& index) const;
  Extent place_of(const WeightIndex& index) const;
  Extent place_of_output(const Position& at, Extent oc) const;
};

/// The index of the last element of a tensor at or before that place in memory.
Extents index_at(const Tensor& tensor, Extent place);

struct Probes {
  std::set<SrcIndex> src{};
  /// Empty: all weights, since they are few.
  std::set<WeightIndex> weights{};
};

/// Chooses them by the marks_of() each tensor.
Probes choose_probes(const Problem& problem, const Geometry& geometry, std::uint64_t seed);

/// All positions that an element of src reaches, each with its taps whose src is in `src`.
std::map<Position, std::vector<Tap>> reached_by(const Geometry& geometry,
                                                const std::set<SrcIndex>& src);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_HUGE_PROBES_H_
