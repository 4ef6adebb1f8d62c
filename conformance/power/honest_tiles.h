// SPDX-License-Identifier: Apache-2.0
// Winograd's F(m, r) and Fourier transforms over whole tensors, each operation by a RoundingUnit.
#ifndef CONCORD_CONFORMANCE_POWER_HONEST_TILES_H_
#define CONCORD_CONFORMANCE_POWER_HONEST_TILES_H_

#include <vector>

#include "conformance/power/honest_library.h"

namespace concord::conformance {

/// The sums of a library with tiles, before its bias is added and its results are stored.
/// Shapes  as compute()
std::vector<double> compute_tiles(const HonestLibrary& library, const reference::Geometry& geometry,
                                  const Inputs& inputs, RoundingUnit& unit);

/// What is left of an input: the parts that are multiplied, one or two.
struct Demoted {
  double high, low;
};
Demoted demote(const HonestLibrary& library, double value);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_POWER_HONEST_TILES_H_
